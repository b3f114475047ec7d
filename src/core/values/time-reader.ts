import { daysFromDate, microsPerDay, monthLength, toMicros } from './calendar.ts'
import type { TimeRule } from './time-rules.ts'

const [dash, colon, dot, comma, plus, blank] = [0x2d, 0x3a, 0x2e, 0x2c, 0x2b, 0x20]
const [upperT, upperZ, caseBit] = [0x54, 0x5a, 0x20]
const microsPerMinute = 60_000_000
const zoneWordLength = 3
const encoder = new TextEncoder()

/** Returns the number of `count` digits, NaN if another byte is among them. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at += 1) {
    const digit = (bytes[at] as number) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/**
 * Parses dates and times by a rule, one text after the other, from bytes and without allocation: the fields
 * hold the result of the last call that returned true. The whole text must match.
 */
export class TimeReader {
  /** Days of the date since 1970-01-01. */
  days = 0
  /** Microseconds since midnight UTC of that day; negative or above a day if the time zone moves it. */
  micros = 0
  /** True if the date is followed by a time. */
  hasTime = false
  readonly #rule: TimeRule
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0

  constructor(rule: TimeRule) {
    this.#rule = rule
  }

  /** Parses a date, or a date with a time. */
  parse(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#usual(bytes, start, end)) return true
    this.#begin(bytes, start, end)
    if (this.#rule.trims === true) this.#trim()
    return this.#moment() && this.#at === this.#end
  }

  /** Parses a date without time, `yyyy-MM-dd`. */
  parseDate(bytes: Uint8Array, start: number, end: number): boolean {
    this.#begin(bytes, start, end)
    return this.#wholeDate() && this.#at === end
  }

  /** Parses a time of day without zone, `HH:mm` with optional seconds, into `micros`; at most a day. */
  parseTime(bytes: Uint8Array, start: number, end: number): boolean {
    this.#begin(bytes, start, end)
    return this.#clock(true, true) && this.#at === end && this.micros <= microsPerDay
  }

  /** Microseconds since 1970-01-01T00:00:00Z; a number if that is exact, as from the year 1685 to 2255. */
  get sinceEpoch(): number | bigint {
    const value = this.days * microsPerDay + this.micros
    return Number.isSafeInteger(value) ? value : toMicros(this.days, this.micros)
  }

  /**
   * Parses the usual form `yyyy-MM-ddTHH:mm:ssZ`, with or without milliseconds, faster than the general
   * parser.
   */
  #usual(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start
    if ((length !== 20 && length !== 24) || bytes[start + 10] !== upperT || bytes[end - 1] !== upperZ)
      return false
    if (bytes[start + 4] !== dash || bytes[start + 7] !== dash) return false
    if (bytes[start + 13] !== colon || bytes[start + 16] !== colon) return false
    if (length === 24 && bytes[start + 19] !== dot) return false
    const hour = digits(bytes, start + 11, 2)
    const minute = digits(bytes, start + 14, 2)
    const second = digits(bytes, start + 17, 2)
    const milliseconds = length === 24 ? digits(bytes, start + 20, 3) : 0
    if (!(hour <= 23 && minute <= 59 && second <= 59 && milliseconds >= 0)) return false
    this.hasTime = true
    this.micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + milliseconds * 1000
    return this.#setDate(digits(bytes, start, 4), digits(bytes, start + 5, 2), digits(bytes, start + 8, 2))
  }

  /** Milliseconds since 1970-01-01T00:00:00Z, truncated. */
  get milliseconds(): number {
    return this.days * 86_400_000 + Math.floor(this.micros / 1000)
  }

  /** Like `parse`, for a string. */
  parseText(text: string): boolean {
    const bytes = encoder.encode(text)
    return this.parse(bytes, 0, bytes.length)
  }

  #begin(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    this.micros = 0
    this.hasTime = false
  }

  #trim(): void {
    while (this.#at < this.#end && (this.#bytes[this.#at] as number) <= blank) this.#at += 1
    while (this.#end > this.#at && (this.#bytes[this.#end - 1] as number) <= blank) this.#end -= 1
  }

  #moment(): boolean {
    if (this.#wholeDate()) return this.#at === this.#end || (this.#separator() && this.#clockAndZone(true))
    const { reduced, basic } = this.#rule
    return (reduced === true && this.#reducedDate()) || (basic === true && this.#basicMoment())
  }

  #wholeDate(): boolean {
    const bytes = this.#bytes
    const at = this.#at
    if (this.#end - at < 10 || bytes[at + 4] !== dash || bytes[at + 7] !== dash) return false
    const isDate = this.#setDate(this.#digitsAt(at, 4), this.#digitsAt(at + 5, 2), this.#digitsAt(at + 8, 2))
    if (isDate) this.#at = at + 10
    return isDate
  }

  /** Parses `yyyy` or `yyyy-MM`, after which the text must end. */
  #reducedDate(): boolean {
    const at = this.#at
    const length = this.#end - at
    if (length !== 4 && (length !== 7 || this.#bytes[at + 4] !== dash)) return false
    this.#at = this.#end
    return this.#setDate(this.#digitsAt(at, 4), length === 4 ? 1 : this.#digitsAt(at + 5, 2), 1)
  }

  /**
   * Parses a date without dashes, followed by a time without a separator, or by one without colons after a
   * separator.
   */
  #basicMoment(): boolean {
    const at = this.#at
    const count = this.#countDigits()
    if (count !== 6 && count !== 8 && count !== 12 && count !== 14) return false
    const day = count === 6 ? 1 : this.#digitsAt(at + 6, 2)
    if (!this.#setDate(this.#digitsAt(at, 4), this.#digitsAt(at + 4, 2), day)) return false
    this.#at = at + Math.min(8, count)
    if (this.#at === this.#end) return true
    return count > 8
      ? this.#clock(false, true)
      : count === 8 && this.#separator() && this.#clockAndZone(false)
  }

  #setDate(year: number, month: number, day: number): boolean {
    // Refuses NaN too.
    if (!(year >= 0 && month >= 1 && day >= 1 && day <= monthLength(year, month))) return false
    this.days = daysFromDate(year, month, day)
    return true
  }

  #separator(): boolean {
    const byte = this.#bytes[this.#at]
    const { blank: hasBlank, lowerCase } = this.#rule
    const isMark =
      byte === upperT ||
      (byte === blank && hasBlank === true) ||
      (byte === (upperT | caseBit) && lowerCase === true)
    this.#at += 1
    return isMark
  }

  #clockAndZone(hasColons: boolean): boolean {
    return this.#clock(hasColons, this.#rule.basic !== true) && (this.#at === this.#end || this.#zone())
  }

  #clock(hasColons: boolean, needsMinute: boolean): boolean {
    this.hasTime = true
    const hour = this.#number()
    let minute = 0
    let second = 0
    let fraction = 0
    if (this.#takesNext(hasColons)) {
      minute = this.#number()
      if (this.#takesNext(hasColons)) {
        second = this.#number()
        if (this.#take(dot) || (this.#rule.comma === true && this.#take(comma))) fraction = this.#fraction()
      }
    } else if (needsMinute) return false
    const most = this.#rule.plainClock === true ? 0 : 1
    if (!(hour <= 23 + most && minute <= 59 && second <= 59 + most && fraction >= 0)) return false
    this.micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    return hour < 24 || minute + second + fraction === 0
  }

  /** True if another part of the time follows. */
  #takesNext(hasColons: boolean): boolean {
    return hasColons ? this.#take(colon) : this.#countDigits() >= 2
  }

  /** Returns the microseconds of a decimal fraction; negative if it is invalid. */
  #fraction(): number {
    const count = this.#countDigits()
    if (count === 0) return -1
    let value = 0
    for (let i = 0; i < 6; i += 1) {
      value = value * 10 + (i < count ? (this.#bytes[this.#at + i] as number) - 0x30 : 0)
    }
    const end = this.#at + count
    for (let at = this.#at + 6; at < end; at += 1) {
      if (this.#rule.exactFraction === true && this.#bytes[at] !== 0x30) return -1
    }
    this.#at = end
    return value
  }

  #zone(): boolean {
    const { lowerCase, shortOffset, anyOffset, mostOffsetHours = 23, queryBlanks, zoneWords } = this.#rule
    if (queryBlanks === true && this.#bytes[this.#at] === blank && !this.#isDigit(this.#at + 1)) this.#at += 1
    if (this.#at === this.#end) return true
    if (this.#take(upperZ) || (lowerCase === true && this.#take(upperZ | caseBit))) return true
    if (zoneWords === true && this.#takesWord()) return true
    const isEast = this.#take(plus) || (queryBlanks === true && this.#take(blank))
    if (!isEast && !this.#take(dash)) return false
    const hours = this.#number()
    const hasColon = this.#take(colon)
    const isShort = this.#at === this.#end && (!hasColon || anyOffset === true)
    if (!hasColon && shortOffset !== true) return false
    const minutes = isShort ? 0 : this.#number()
    const isOffset = anyOffset === true ? hours + minutes >= 0 : hours <= mostOffsetHours && minutes <= 59
    if (!isOffset) return false
    this.micros -= (isEast ? 1 : -1) * (hours * 60 + minutes) * microsPerMinute
    return true
  }

  #takesWord(): boolean {
    const word = String.fromCharCode(...this.#bytes.subarray(this.#at, this.#at + zoneWordLength))
    if (word !== 'UTC' && word !== 'GMT') return false
    this.#at += zoneWordLength
    return true
  }

  #take(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false
    this.#at += 1
    return true
  }

  #isDigit(at: number): boolean {
    const byte = this.#bytes[at] as number
    return at < this.#end && byte >= 0x30 && byte <= 0x39
  }

  #countDigits(): number {
    let at = this.#at
    while (this.#isDigit(at)) at += 1
    return at - this.#at
  }

  /** Reads two digits and advances; NaN if other bytes follow. */
  #number(): number {
    const value = this.#digitsAt(this.#at, 2)
    this.#at += 2
    return value
  }

  /** Returns the number of `count` digits; NaN if there are other bytes or the text ends. */
  #digitsAt(at: number, count: number): number {
    return at + count > this.#end ? Number.NaN : digits(this.#bytes, at, count)
  }
}
