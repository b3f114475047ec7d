import { exactMantissa, parseDecimalText, scaleDecimal } from '../../core/values/decimal.ts'

/**
 * Parses numbers as people and programs write them in XML: also with plus signs and leading zeros, `.5` and
 * `5.`.
 */
export class DecimalReader {
  /** Offset after the last number. */
  end = 0

  /**
   * Returns the double nearest to the number at `start`; NaN if there is none. The byte after the text must
   * not be a digit.
   */
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

  /** Returns NaN if there is no digit. */
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
