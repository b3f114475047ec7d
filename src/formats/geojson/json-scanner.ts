import { exactMantissa, parseDecimalText, scaleDecimal } from '../../core/values/decimal.ts'

const encoder = new TextEncoder()

/** Thrown, always the same object, if a token continues after the available bytes. */
export const outOfJsonBytes = new Error('Out of bytes')

/** The error for invalid JSON (RFC 8259); `at` is the index in the bytes of the scanner. */
export class JsonSyntaxError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.at = at
  }
}

const maxDepth = 256
/** Numbers that JSON lacks but json-c, Python and GDAL read and write, in any case. */
const notFiniteWords = [
  { word: encoder.encode('nan'), value: Number.NaN },
  { word: encoder.encode('infinity'), value: Number.POSITIVE_INFINITY },
] as const
const letterN = 0x6e
const letterI = 0x69
const letterA = 0x61

const literals = { t: encoder.encode('true'), f: encoder.encode('false'), n: encoder.encode('null') }

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isHex(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}

/**
 * Reads JSON tokens from `bytes[at, end)`, where `bytes[end]` is 0. Each method starts at the first byte of
 * the token and leaves `at` after its last. It throws `JsonSyntaxError`, or `outOfJsonBytes` if more bytes could
 * make the token valid.
 */
export class JsonScanner {
  bytes: Uint8Array = new Uint8Array(1)
  at = 0
  end = 0
  /** Start of the last string (without its quotes) or number. */
  tokenStart = 0
  tokenEnd = 0
  hasEscapes = false
  isAscii = true
  /**
   * Facts about the last number: true if it had neither decimal point nor exponent; if it had an exponent;
   * its digits as a number, not exact from 10^15.
   */
  isInteger = false
  hasExponent = false
  mantissa = 0
  /** Start and end offsets of NaN and infinite numbers, which JSON lacks, since this was last emptied. */
  readonly notFinite: number[] = []

  fail(message: string, at = this.at): never {
    if (at >= this.end) throw outOfJsonBytes
    throw new JsonSyntaxError(message, at)
  }

  /** Skips white space and returns the next byte, 0 at the end. */
  space(): number {
    const bytes = this.bytes
    let at = this.at
    let byte = bytes[at] as number
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      at += 1
      byte = bytes[at] as number
    }
    this.at = at
    return byte
  }

  /** Skips white space and one given byte. */
  expect(byte: number): void {
    if (this.space() !== byte) this.fail(`"${String.fromCharCode(byte)}" was expected`)
    this.at += 1
  }

  /**
   * Between members or elements: skips a comma (not before the first) or the closing byte; false at the
   * close.
   */
  next(isFirst: boolean, close: number): boolean {
    const byte = this.space()
    if (byte === close) {
      this.at += 1
      return false
    }
    if (isFirst) return true
    if (byte !== 0x2c) this.fail(`"," or "${String.fromCharCode(close)}" was expected`)
    this.at += 1
    this.space()
    return true
  }

  /** Reads a member name and its colon; the name is the token. */
  key(): void {
    if (this.bytes[this.at] !== 0x22) this.fail('A name in double quotes was expected')
    this.string()
    if (this.bytes[this.at] === 0x3a) this.at += 1
    else this.expect(0x3a)
    const byte = this.bytes[this.at] as number
    if (byte <= 0x20) this.space()
  }

  /**
   * Skips `word` if exactly these bytes follow. For the usual `"name":` and `"value"`, where comparing
   * suffices; on false use `key` or `string`.
   */
  take(word: Uint8Array): boolean {
    const { bytes, at } = this
    const length = word.length
    for (let i = 0; i < length; i += 1) if (bytes[at + i] !== word[i]) return false
    this.at = at + length
    if ((bytes[at + length] as number) <= 0x20) this.space()
    return true
  }

  string(): void {
    const bytes = this.bytes
    let at = this.at + 1
    let seen = 0
    this.tokenStart = at
    this.hasEscapes = false
    for (;;) {
      const byte = bytes[at] as number
      if (byte === 0x22) break
      if (byte < 0x20) this.fail('A control character stands in a string', at)
      if (byte === 0x5c) {
        this.hasEscapes = true
        at = this.#escape(at + 1)
      } else {
        seen |= byte
        at += 1
      }
    }
    this.isAscii = seen < 0x80
    this.tokenEnd = at
    this.at = at + 1
  }

  /** Checks the escape sequence whose letter is at `at`. */
  #escape(at: number): number {
    const byte = this.bytes[at] as number
    if (byte === 0x75) {
      for (let i = 1; i <= 4; i += 1) {
        if (!isHex(this.bytes[at + i] as number)) this.fail('Four hexadecimal digits were expected', at + i)
      }
      return at + 5
    }
    // The permitted escapes are " \ / b f n r t.
    const isKnown =
      byte === 0x22 ||
      byte === 0x5c ||
      byte === 0x2f ||
      byte === 0x62 ||
      byte === 0x66 ||
      byte === 0x6e ||
      byte === 0x72 ||
      byte === 0x74
    if (!isKnown) this.fail('Unknown escape in a string', at)
    return at + 1
  }

  /** Returns the double nearest to the literal (infinite if out of range). */
  number(): number {
    const bytes = this.bytes
    const start = this.at
    let at = start
    let byte = bytes[at] as number
    if (byte === 0x2d) byte = bytes[++at] as number
    const first = at
    let mantissa = 0
    while (byte >= 0x30 && byte <= 0x39) {
      mantissa = mantissa * 10 + (byte - 48)
      byte = bytes[++at] as number
    }
    if (at === first) return this.#notFiniteNumber(start)
    if (bytes[first] === 0x30 && at > first + 1) this.fail('A number has a leading zero', first)
    let exponent = 0
    this.isInteger = true
    this.hasExponent = false
    if (byte === 0x2e) {
      const point = at
      byte = bytes[++at] as number
      while (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 48)
        byte = bytes[++at] as number
      }
      if (at === point + 1) this.fail('A digit was expected after the point', at)
      exponent = point + 1 - at
      this.isInteger = false
    }
    if ((byte | 0x20) === 0x65) {
      this.at = at
      exponent += this.#exponent()
      at = this.at
    }
    if (at >= this.end) throw outOfJsonBytes
    this.tokenStart = start
    this.tokenEnd = at
    this.at = at
    this.mantissa = mantissa
    const value = scaleDecimal(mantissa, exponent)
    if (Number.isNaN(value)) return parseDecimalText(bytes, start, at)
    return bytes[start] === 0x2d ? -value : value
  }

  /**
   * True at the start of NaN or an unsigned infinite number; call only at characters that start no JSON
   * value, and at `n`.
   */
  get isAtNotFinite(): boolean {
    const first = (this.bytes[this.at] as number) | 0x20
    if (first === letterI || this.bytes[this.at] === 0x4e) return true
    return first === letterN && ((this.bytes[this.at + 1] as number) | 0x20) === letterA
  }

  #notFiniteNumber(start: number): number {
    const isNegative = this.bytes[start] === 0x2d
    const first = isNegative ? start + 1 : start
    const letter = (this.bytes[first] as number) | 0x20
    const found = notFiniteWords.find(({ word }) => word[0] === letter)
    // Like json-c: an infinity may be negative, NaN may not.
    if (found === undefined || (isNegative && Number.isNaN(found.value)))
      this.fail('A value was expected', first)
    const { word, value } = found
    for (let i = 0; i < word.length; i += 1) {
      if (((this.bytes[first + i] as number) | 0x20) !== word[i]) this.fail('A value was expected', first + i)
    }
    this.tokenStart = start
    this.tokenEnd = first + word.length
    this.at = this.tokenEnd
    this.isInteger = false
    this.hasExponent = false
    this.mantissa = 0
    this.notFinite.push(start, this.at)
    return isNegative ? -value : value
  }

  #exponent(): number {
    const bytes = this.bytes
    let at = this.at + 1
    let byte = bytes[at] as number
    const isNegative = byte === 0x2d
    if (isNegative || byte === 0x2b) byte = bytes[++at] as number
    const first = at
    let value = 0
    while (byte >= 0x30 && byte <= 0x39) {
      if (value < exactMantissa) value = value * 10 + (byte - 48)
      byte = bytes[++at] as number
    }
    if (at === first) this.fail('A digit was expected in the exponent', at)
    this.at = at
    this.isInteger = false
    this.hasExponent = true
    return isNegative ? -value : value
  }

  /** Reads `true`, `false` or `null`; returns its first byte. */
  literal(): number {
    const first = this.bytes[this.at] as number
    const word = first === 0x74 ? literals.t : first === 0x66 ? literals.f : literals.n
    for (let i = 0; i < word.length; i += 1) {
      if (this.bytes[this.at + i] !== word[i]) this.fail('A value was expected', this.at + i)
    }
    this.at += word.length
    return first
  }

  /** Skips any value after checking it. Records NaN and infinite numbers in `notFinite`. */
  value(): void {
    let depth = 0
    const closes: number[] = []
    for (;;) {
      let byte = this.space()
      let isOpen = false
      if (byte === 0x7b || byte === 0x5b) {
        if (depth === maxDepth) this.fail(`Values are nested more than ${maxDepth} deep`)
        closes[depth] = byte + 2
        depth += 1
        this.at += 1
        isOpen = true
      } else this.scalar(byte)
      for (;;) {
        if (depth === 0) return
        byte = closes[depth - 1] as number
        if (this.next(isOpen, byte)) break
        depth -= 1
        isOpen = false
      }
      if (byte === 0x7d) this.key()
    }
  }

  scalar(byte: number): void {
    if (byte === 0x22) this.string()
    else if (byte === 0x2d || isDigit(byte)) this.number()
    else if (byte !== 0x74 && byte !== 0x66 && this.isAtNotFinite) this.number()
    else this.literal()
  }

  /** True if the last token equals these bytes. */
  tokenIs(word: Uint8Array): boolean {
    const length = this.tokenEnd - this.tokenStart
    if (length !== word.length) return false
    for (let i = 0, at = this.tokenStart; i < length; i += 1) if (this.bytes[at + i] !== word[i]) return false
    return true
  }
}
