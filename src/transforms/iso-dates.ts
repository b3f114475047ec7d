/**
 * Dates and times of ISO 8601 and their forms without separators, read from bytes: `yyyy`, `yyyy-MM`, `yyyy-MM-dd`,
 * `yyyyMM`, `yyyyMMdd`, `yyyyMMddHHmm[ss]`, and a date followed by `T` or a blank and `HH[:mm[:ss[.fraction]]]` with
 * `Z` or `+hh[[:]mm]`. The whole text must match.
 */
export interface IsoMoment {
  /** Days since 1970-01-01 of the proleptic Gregorian calendar. */
  days: number
  /** Microseconds since midnight UTC of that day; negative or above a day where a zone moves it. */
  micros: number
  hasTime: boolean
}

const microsPerMinute = 60_000_000
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

export function monthLength(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (monthLengths[month - 1] ?? 0)
}

/** Days since 1970-01-01; the month from 1, the day unchecked. */
export function daysFromDate(year: number, month: number, day: number): number {
  const before = year - 1
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const inYear = (daysBeforeMonth[month - 1] as number) + (month > 2 && isLeapYear(year) ? 1 : 0) + day - 1
  return before * 365 + leapDays + inYear - 719_162
}

/** Reads one text after the other without making objects; the fields hold what `parse` found. */
export class IsoReader implements IsoMoment {
  days = 0
  micros = 0
  hasTime = false
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0

  /** Whether the trimmed text is one of the forms; then the fields hold it. */
  parse(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    while (this.#at < this.#end && (bytes[this.#at] as number) <= 0x20) this.#at += 1
    while (this.#end > this.#at && (bytes[this.#end - 1] as number) <= 0x20) this.#end -= 1
    this.micros = 0
    this.hasTime = false
    return this.#date() && this.#at === this.#end
  }

  /** A time of day alone, `HH:mm[:ss[.fraction]]`; then `micros` holds it. */
  parseTime(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    return this.#clock(true, true) && this.#at === this.#end
  }

  #digits(from: number): number {
    let at = from
    for (; at < this.#end; at += 1) {
      const digit = (this.#bytes[at] as number) - 48
      if (digit < 0 || digit > 9) break
    }
    return at - from
  }

  #number(count: number): number {
    if (this.#digits(this.#at) < count) return -1
    let value = 0
    for (let i = 0; i < count; i += 1) value = value * 10 + (this.#bytes[this.#at + i] as number) - 48
    this.#at += count
    return value
  }

  #take(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false
    this.#at += 1
    return true
  }

  #date(): boolean {
    const run = this.#digits(this.#at)
    const year = this.#number(4)
    if (year < 0) return false
    if (run === 4 && this.#at === this.#end) return this.#setDate(year, 1, 1)
    const hasDashes = this.#take(0x2d)
    if (hasDashes ? run !== 4 : run !== 6 && run !== 8 && run !== 12 && run !== 14) return false
    const month = this.#number(2)
    if (this.#at === this.#end) return this.#setDate(year, month, 1)
    if (hasDashes && !this.#take(0x2d)) return false
    if (!this.#setDate(year, month, this.#number(2))) return false
    if (this.#at === this.#end) return true
    if (run > 8) return this.#clock(false, false)
    const mark = this.#bytes[this.#at]
    if (mark !== 0x54 && mark !== 0x74 && mark !== 0x20) return false
    this.#at += 1
    return this.#clock(hasDashes, false) && this.#zone()
  }

  #setDate(year: number, month: number, day: number): boolean {
    if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return false
    this.days = daysFromDate(year, month, day)
    return true
  }

  #clock(hasColons: boolean, needsMinute: boolean): boolean {
    this.hasTime = true
    const hour = this.#number(2)
    if (hour < 0 || hour > 24) return false
    let minute = 0
    let second = 0
    let fraction = 0
    if (hasColons ? this.#take(0x3a) : this.#digits(this.#at) >= 2) {
      minute = this.#number(2)
      if (hasColons ? this.#take(0x3a) : this.#digits(this.#at) >= 2) {
        second = this.#number(2)
        if (this.#take(0x2e) || this.#take(0x2c)) fraction = this.#fraction()
      }
    } else if (needsMinute) return false
    if (minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0) return false
    this.micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    return hour < 24 || minute + second + fraction === 0
  }

  /** Microseconds of a decimal fraction; digits beyond the sixth are cut. */
  #fraction(): number {
    const count = this.#digits(this.#at)
    if (count === 0) return -1
    let value = 0
    for (let i = 0; i < 6; i += 1) {
      value = value * 10 + (i < count ? (this.#bytes[this.#at + i] as number) - 48 : 0)
    }
    this.#at += count
    return value
  }

  #zone(): boolean {
    if (this.#at === this.#end || this.#take(0x5a) || this.#take(0x7a)) return true
    const sign = this.#take(0x2b) ? 1 : this.#take(0x2d) ? -1 : 0
    if (sign === 0) return false
    const hours = this.#number(2)
    let minutes = 0
    if (this.#at < this.#end) {
      this.#take(0x3a)
      minutes = this.#number(2)
    }
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return false
    this.micros -= sign * (hours * 60 + minutes) * microsPerMinute
    return true
  }
}

/** Microseconds since 1970 as a bigint. */
export function toMicros(days: number, microsOfDay: number): bigint {
  return BigInt(days) * 86_400_000_000n + BigInt(microsOfDay)
}
