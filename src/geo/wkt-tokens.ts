import { asciiText, parseDecimalText, scaleDecimal } from '../core/values/decimal.ts'
import { GeometryError } from './wkb.ts'

const longestWord = 20

/** True if a byte is an ASCII letter. */
export function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** Reads the words and numbers of WKT from `bytes[at, end)`; each method throws `GeometryError` for anything else. */
export class WktTokens {
  bytes: Uint8Array = new Uint8Array(0)
  at = 0
  end = 0

  begin(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes
    this.at = start
    this.end = end
  }

  fail(expected: string): never {
    const found = asciiText(this.bytes, this.at, Math.min(this.end, this.at + 12))
    throw new GeometryError(`WKT cannot be read: ${expected}, found "${found}"`)
  }

  /** Skips spaces and returns the byte after them; 0 at the end. */
  space(): number {
    while (this.at < this.end) {
      const byte = this.bytes[this.at] as number
      if (byte > 0x20) return byte
      if (byte === 0) this.fail('no NUL was expected')
      this.at += 1
    }
    return 0
  }

  expect(byte: number): void {
    if (this.space() !== byte) this.fail(`"${String.fromCharCode(byte)}" was expected`)
    this.at += 1
  }

  /** Skips the byte if it is the next one. Returns true if it was. */
  take(byte: number): boolean {
    if (this.space() !== byte) return false
    this.at += 1
    return true
  }

  word(): string {
    this.space()
    const start = this.at
    while (this.at < this.end && isLetter(this.bytes[this.at] as number)) this.at += 1
    if (this.at - start > longestWord) return ''
    return asciiText(this.bytes, start, this.at).toUpperCase()
  }

  /** True if a number follows: ordinates are separated by at least one space. */
  isNumberNext(): boolean {
    if (this.at >= this.end || (this.bytes[this.at] as number) > 0x20) return false
    const byte = this.space()
    return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e
  }

  number(): number {
    const bytes = this.bytes
    const sign = this.space()
    const start = this.at
    let at = sign === 0x2d || sign === 0x2b ? start + 1 : start
    let mantissa = 0
    let digits = 0
    let point = -1
    for (; at < this.end; at += 1) {
      const byte = bytes[at] as number
      if (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 48)
        digits += 1
      } else if (byte === 0x2e && point < 0) point = at
      else break
    }
    if (digits === 0) this.fail('a number was expected')
    const scale = point < 0 ? 0 : at - point - 1
    const hasExponent = at < this.end && ((bytes[at] as number) | 0x20) === 0x65
    if (hasExponent) at = this.#exponentEnd(at)
    this.at = at
    const value = hasExponent ? Number.NaN : scaleDecimal(mantissa, -scale)
    if (!Number.isNaN(value)) return sign === 0x2d ? -value : value
    const exact = parseDecimalText(bytes, sign === 0x2b ? start + 1 : start, at)
    if (!Number.isFinite(exact)) throw new GeometryError('A coordinate is beyond the range of numbers')
    return exact
  }

  #exponentEnd(at: number): number {
    const sign = this.bytes[at + 1]
    const first = sign === 0x2d || sign === 0x2b ? at + 2 : at + 1
    let end = first
    while (end < this.end && (this.bytes[end] as number) >= 0x30 && (this.bytes[end] as number) <= 0x39)
      end += 1
    if (end === first) {
      this.at = at
      this.fail('an exponent was expected')
    }
    return end
  }
}
