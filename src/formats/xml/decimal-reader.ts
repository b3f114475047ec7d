import { exactMantissa, parseDecimalText, scaleDecimal } from '../../lib/values/decimal.ts'

/** Reads numbers as people and programs write them into XML: plus signs and leading zeros too, `.5` and `5.`. */
export class DecimalReader {
  /** Behind the number read last. */
  end = 0

  /** The double nearest to the number at `start`; NaN where none is. The byte behind the text must be no digit. */
  read(bytes: Uint8Array, start: number): number {
    let at = start
    let byte = bytes[at] as number
    const isNegative = byte === 0x2d
    if (isNegative || byte === 0x2b) {
      at += 1
      byte = bytes[at] as number
    }
    const first = at
    let mantissa = 0
    while (byte >= 0x30 && byte <= 0x39) {
      mantissa = mantissa * 10 + (byte - 48)
      at += 1
      byte = bytes[at] as number
    }
    let digits = at - first
    let exponent = 0
    if (byte === 0x2e) {
      const point = at
      at += 1
      byte = bytes[at] as number
      while (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 48)
        at += 1
        byte = bytes[at] as number
      }
      exponent = point + 1 - at
      digits -= exponent
    }
    if (digits === 0) return Number.NaN
    this.end = at
    if ((byte | 0x20) === 0x65) exponent += this.#exponent(bytes, at + 1)
    const scaled = scaleDecimal(mantissa, exponent)
    const value = Number.isNaN(scaled) ? parseDecimalText(bytes, first, this.end) : scaled
    return isNegative ? -value : value
  }

  /** NaN where no digit stands there. */
  #exponent(bytes: Uint8Array, start: number): number {
    let at = start
    const isNegative = bytes[at] === 0x2d
    if (isNegative || bytes[at] === 0x2b) at += 1
    const first = at
    let value = 0
    for (let byte = bytes[at] as number; byte >= 0x30 && byte <= 0x39; byte = bytes[at] as number) {
      if (value < exactMantissa) value = value * 10 + (byte - 48)
      at += 1
    }
    if (at === first) return Number.NaN
    this.end = at
    return isNegative ? -value : value
  }
}
