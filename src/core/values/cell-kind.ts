import { daysFromDate, microsPerDay, monthLength, toMicros } from './calendar.ts'
import { asciiText, exactMantissa, parseDecimalText, scaleDecimal } from './decimal.ts'

const encoder = new TextEncoder()

/** Possible types of a text cell, as combinable bits. */
export const int32Kind = 1
export const int64Kind = 2
/** An integer of more than 15 digits that fits int64. */
export const longIntKind = 4
export const floatKind = 8
export const booleanKind = 16
export const dateKind = 32
export const timestampKind = 64
export const textKind = 128
export const timeKind = 256

const maxInt64 = 9223372036854775807n
const booleanWords = ['true', 'false', 'TRUE', 'FALSE', 'True', 'False'].map((word) => encoder.encode(word))

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/**
 * Determines the types that represent an unquoted cell without loss, and its value. Numbers have no leading
 * zeros and no plus sign; with a point they have at most 15 significant digits; an exponent needs a point or
 * a sign, since `1E5` is more often a code. Dates are `YYYY-MM-DD`, times `HH:MM[:SS[.ffffff]]`; timestamps
 * have a date, `T` or a space, a time, and then `Z`, an offset `+HH:MM`, or nothing, which means UTC (ISO
 * 8601-1, sections 5.2 to 5.4). Everything else is text.
 */
export class CellParser {
  /** The number, 0 or 1 of a boolean, or days since 1970-01-01 of a date or timestamp. */
  value = 0
  /** Microseconds of the day in UTC, for timestamps and times. */
  microseconds = 0
  /** True if a timestamp has an offset other than UTC. */
  hasOffset = false
  /** Index of the spelling of a boolean or timestamp; all cells of a column use the same. */
  form = 0

  /** Returns the kind of `bytes[start, end)`, which must not be empty. */
  parse(bytes: Uint8Array, start: number, end: number): number {
    const first = bytes[start] as number
    if (isDigit(first)) {
      if (bytes[start + 4] === 0x2d && end - start >= 10) return this.#dateOrTimestamp(bytes, start, end)
      if (bytes[start + 2] === 0x3a) return this.#clock(bytes, start, end) === end ? timeKind : textKind
      return this.#number(bytes, start, start, end)
    }
    if (first === 0x2d) return this.#number(bytes, start, start + 1, end)
    return end - start === 4 || end - start === 5 ? this.#boolean(bytes, start, end) : textKind
  }

  #number(bytes: Uint8Array, start: number, digits: number, end: number): number {
    let mantissa = 0
    let at = digits
    for (; at < end && isDigit(bytes[at] as number); at += 1)
      mantissa = mantissa * 10 + ((bytes[at] as number) - 48)
    const count = at - digits
    if (count === 0 || (bytes[digits] === 0x30 && count > 1)) return textKind
    if (at === end) return this.#integer(bytes, start, digits, end, mantissa)
    const point = at
    if (bytes[at] === 0x2e) {
      at += 1
      for (; at < end && isDigit(bytes[at] as number); at += 1)
        mantissa = mantissa * 10 + ((bytes[at] as number) - 48)
      if (at === point + 1) return textKind
    }
    if (mantissa >= exactMantissa) return textKind
    if (at < end) return this.#withExponent(bytes, start, at, end, at > point, mantissa)
    const value = scaleDecimal(mantissa, point + 1 - at)
    const exact = Number.isNaN(value) ? parseDecimalText(bytes, digits, end) : value
    this.value = digits > start ? -exact : exact
    return exact === 0 && mantissa > 0 ? textKind : floatKind
  }

  #integer(bytes: Uint8Array, start: number, digits: number, end: number, mantissa: number): number {
    const value = digits > start ? -mantissa : mantissa
    this.value = value
    if (end - digits <= 15) {
      if (Object.is(value, -0)) return textKind
      return value === (value | 0) ? int32Kind : int64Kind
    }
    if (end - digits > 19) return textKind
    const big = BigInt(asciiText(bytes, digits, end))
    return big <= maxInt64 || (digits > start && big === maxInt64 + 1n) ? longIntKind : textKind
  }

  #withExponent(
    bytes: Uint8Array,
    start: number,
    from: number,
    end: number,
    hasPoint: boolean,
    mantissa: number,
  ): number {
    if (((bytes[from] as number) | 0x20) !== 0x65 || end - from > 6) return textKind
    const hasSign = bytes[from + 1] === 0x2b || bytes[from + 1] === 0x2d
    let at = hasSign ? from + 2 : from + 1
    if (at === end || !(hasPoint || hasSign)) return textKind
    for (; at < end; at += 1) if (!isDigit(bytes[at] as number)) return textKind
    this.value = Number(asciiText(bytes, start, end))
    if (!Number.isFinite(this.value) || (this.value === 0 && mantissa > 0)) return textKind
    return floatKind
  }

  #boolean(bytes: Uint8Array, start: number, end: number): number {
    for (let word = 0; word < booleanWords.length; word += 1) {
      const expected = booleanWords[word] as Uint8Array
      if (expected.length !== end - start || !isWord(bytes, start, expected)) continue
      this.form = word >> 1
      this.value = (word & 1) === 0 ? 1 : 0
      return booleanKind
    }
    return textKind
  }

  #dateOrTimestamp(bytes: Uint8Array, start: number, end: number): number {
    const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
    const month = twoDigits(bytes, start + 5)
    const day = twoDigits(bytes, start + 8)
    if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1) || bytes[start + 7] !== 0x2d) return textKind
    if (day > monthLength(year, month)) return textKind
    this.value = daysFromDate(year, month, day)
    return end - start === 10 ? dateKind : this.#time(bytes, start + 10, end)
  }

  #time(bytes: Uint8Array, start: number, end: number): number {
    const separator = bytes[start] as number
    if (separator !== 0x54 && separator !== 0x20) return textKind
    const zoneStart = this.#clock(bytes, start + 1, end)
    if (zoneStart < 0) return textKind
    const zone = this.#zone(bytes, zoneStart, end)
    if (zone === 0) return textKind
    this.form = zone * 2 + (separator === 0x54 ? 0 : 1)
    return timestampKind
  }

  /** Parses `HH:MM[:SS[.ffffff]]` into `microseconds`; returns its end offset, or -1 for other text. */
  #clock(bytes: Uint8Array, start: number, end: number): number {
    if (end - start < 5) return -1
    const hours = twoDigits(bytes, start)
    const minutes = twoDigits(bytes, start + 3)
    if (bytes[start + 2] !== 0x3a || !(hours < 24 && minutes < 60)) return -1
    let seconds = 0
    let fraction = 0
    let at = start + 5
    if (at < end && bytes[at] === 0x3a) {
      seconds = end - at < 3 ? Number.NaN : twoDigits(bytes, at + 1)
      if (!(seconds < 60)) return -1
      at += 3
      if (at < end && bytes[at] === 0x2e) {
        const point = at
        for (at += 1; at < end && isDigit(bytes[at] as number); at += 1)
          fraction = fraction * 10 + ((bytes[at] as number) - 48)
        const digits = at - point - 1
        if (digits === 0 || digits > 6) return -1
        fraction *= 10 ** (6 - digits)
      }
    }
    this.microseconds = (hours * 3600 + minutes * 60 + seconds) * 1e6 + fraction
    return at
  }

  /**
   * Returns the notation of the time zone: 1 `Z`, 2 an offset, 3 none, 0 invalid. Converts the timestamp to
   * UTC.
   */
  #zone(bytes: Uint8Array, start: number, end: number): number {
    this.hasOffset = false
    if (start === end) return 3
    const sign = bytes[start]
    if (end - start === 1) return sign === 0x5a ? 1 : 0
    if (end - start !== 6 || (sign !== 0x2b && sign !== 0x2d) || bytes[start + 3] !== 0x3a) return 0
    const hours = twoDigits(bytes, start + 1)
    const minutes = twoDigits(bytes, start + 4)
    if (!(hours < 24 && minutes < 60)) return 0
    const offset = (hours * 3600 + minutes * 60) * 1e6
    if (offset === 0) return 2
    this.hasOffset = true
    this.microseconds += sign === 0x2b ? -offset : offset
    if (this.microseconds < 0) {
      this.microseconds += microsPerDay
      this.value -= 1
    } else if (this.microseconds >= microsPerDay) {
      this.microseconds -= microsPerDay
      this.value += 1
    }
    return 2
  }
}

function isWord(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return false
  return true
}

/** Parses two digits; NaN for other bytes. */
function twoDigits(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at] as number) || !isDigit(bytes[at + 1] as number)) return Number.NaN
  return (bytes[at] as number) * 10 + (bytes[at + 1] as number) - 528
}

/** Returns microseconds since 1970-01-01T00:00:00Z; a safe integer between the years 1685 and 2255. */
export function timestampMicroseconds(day: number, microseconds: number): number | bigint {
  const value = day * microsPerDay + microseconds
  return Number.isSafeInteger(value) ? value : toMicros(day, microseconds)
}
