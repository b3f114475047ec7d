import { daysFromDate, isLeapYear, monthLength } from '../core/values/calendar.ts'

/** Fields of java.util.Calendar, by their indexes in the arrays below. */
export const field = {
  era: 0,
  year: 1,
  month: 2,
  weekOfYear: 3,
  weekOfMonth: 4,
  dayOfMonth: 5,
  dayOfYear: 6,
  dayOfWeek: 7,
  dayOfWeekInMonth: 8,
  amPm: 9,
  hour: 10,
  hourOfDay: 11,
  minute: 12,
  second: 13,
  millisecond: 14,
  zoneOffset: 15,
  weekYear: 16,
} as const
const fieldCount = 17
/** Bits of the fields that define a moment directly: year, month, day, hour of the day and smaller, zone. */
const plainFields =
  (1 << field.year) |
  (1 << field.month) |
  (1 << field.dayOfMonth) |
  (1 << field.hourOfDay) |
  (1 << field.minute) |
  (1 << field.second) |
  (1 << field.millisecond) |
  (1 << field.zoneOffset)

const minutesPerDay = 1440
const msPerMinute = 60_000
const msPerDay = minutesPerDay * msPerMinute

/** Returns the day of the week of a day since 1970, 1 for Sunday to 7 for Saturday. */
function dayOfWeek(days: number): number {
  return ((((days + 4) % 7) + 7) % 7) + 1
}

/** Returns the first day of the first week of a year: weeks start on Sunday, and January 1 is in week 1. */
function weekYearStart(year: number): number {
  const first = daysFromDate(year, 1, 1)
  return first - (dayOfWeek(first) - 1)
}

/**
 * Fields of a moment parsed from a text, in their order. Resolves like a strict (not lenient)
 * java.util.GregorianCalendar of English (United States) in UTC, but with the Gregorian calendar also before
 * 1582: the fields set last decide, and every field must agree with the result.
 */
export class CalendarFields {
  readonly #values = new Int32Array(fieldCount)
  readonly #stamps = new Int32Array(fieldCount)
  #next = 1
  /** A bit for each set field. */
  #set = 0

  clear(): void {
    if (this.#set !== 0) this.#stamps.fill(0)
    this.#next = 1
    this.#set = 0
  }

  set(name: number, value: number): void {
    this.#values[name] = value
    this.#stamps[name] = this.#next
    this.#next += 1
    this.#set |= 1 << name
  }

  /** Adds years, for two-digit years that are too early. */
  addYears(count: number): void {
    const name = this.#stamp(field.year) > 0 ? field.year : field.weekYear
    this.#values[name] = (this.#values[name] as number) + count
  }

  /** Returns milliseconds since 1970, NaN if fields are contradictory or out of range. */
  resolve(): number {
    if ((this.#set & ~plainFields) === 0) return this.#resolvePlain()
    const days = this.#days()
    if (Number.isNaN(days)) return Number.NaN
    const time = this.#timeOfDay()
    const isConsistent = this.#agreesWithDay(days) && this.#agreesWithTime(time)
    return isConsistent ? days * msPerDay + time - this.#value(field.zoneOffset, 0) : Number.NaN
  }

  /** The same for plain fields only, which cannot be contradictory. */
  #resolvePlain(): number {
    const year = this.#value(field.year, 1970)
    const month = this.#value(field.month, 0)
    const day = this.#value(field.dayOfMonth, 1)
    const hour = this.#value(field.hourOfDay, 0)
    const minute = this.#value(field.minute, 0)
    const second = this.#value(field.second, 0)
    const ms = this.#value(field.millisecond, 0)
    if (year < 1 || year > 270_000 || month < 0 || month > 11) return Number.NaN
    if (day < 1 || day > monthLength(year, month + 1) || hour < 0 || hour > 23) return Number.NaN
    if (minute < 0 || minute > 59 || second < 0 || second > 59 || ms < 0 || ms > 999) return Number.NaN
    const time = ((hour * 60 + minute) * 60 + second) * 1000 + ms
    return daysFromDate(year, month + 1, day) * msPerDay + time - this.#value(field.zoneOffset, 0)
  }

  #stamp(name: number): number {
    return this.#stamps[name] as number
  }

  #value(name: number, missing: number): number {
    return this.#stamp(name) > 0 ? (this.#values[name] as number) : missing
  }

  /** Returns the later stamp of two fields that only count together. */
  #both(a: number, b: number): number {
    const first = this.#stamp(a)
    const second = this.#stamp(b)
    return first === 0 || second === 0 ? 0 : Math.max(first, second)
  }

  #year(): number {
    const year = this.#value(field.year, 1970)
    return this.#value(field.era, 1) === 0 ? 1 - year : year
  }

  #days(): number {
    if (this.#stamp(field.weekYear) > this.#stamp(field.year)) return this.#daysOfWeekYear()
    const year = this.#year()
    if (Math.abs(year) > 290_000) return Number.NaN
    const month = this.#value(field.month, 0)
    if (month < 0 || month > 11) return Number.NaN
    const weekday = this.#stamp(field.dayOfWeek)
    const byDay = this.#stamp(field.dayOfMonth)
    let byWeekOfMonth = this.#both(field.weekOfMonth, field.dayOfWeek)
    let byWeekInMonth = this.#both(field.dayOfWeekInMonth, field.dayOfWeek)
    const byDayOfYear = this.#stamp(field.dayOfYear)
    let byWeekOfYear = this.#both(field.weekOfYear, field.dayOfWeek)
    let best = Math.max(byDay, byWeekOfMonth, byWeekInMonth, byDayOfYear, byWeekOfYear)
    if (best === 0) {
      byWeekOfMonth = this.#stamp(field.weekOfMonth)
      byWeekInMonth = Math.max(this.#stamp(field.dayOfWeekInMonth), weekday)
      byWeekOfYear = this.#stamp(field.weekOfYear)
      best = Math.max(byWeekOfMonth, byWeekInMonth, byWeekOfYear)
    }
    const first = daysFromDate(year, month + 1, 1)
    if (best === byDay) return first + this.#value(field.dayOfMonth, 1) - 1
    const inYear = this.#stamp(field.weekOfYear)
    if (best === byWeekOfMonth && this.#stamp(field.weekOfMonth) >= inYear) return this.#inWeekOfMonth(first)
    if (best === byWeekInMonth && this.#stamp(field.dayOfWeekInMonth) >= inYear) {
      return this.#inMonthByWeekday(year, month, first)
    }
    if (best === byDayOfYear) return daysFromDate(year, 1, 1) + this.#value(field.dayOfYear, 1) - 1
    return (
      weekYearStart(year) + (this.#value(field.weekOfYear, 1) - 1) * 7 + this.#value(field.dayOfWeek, 1) - 1
    )
  }

  #daysOfWeekYear(): number {
    const year = this.#value(field.weekYear, 1970)
    if (year < 1 || year > 290_000) return Number.NaN
    const week = this.#value(field.weekOfYear, 1)
    const start = weekYearStart(year)
    if (week < 1 || week > (weekYearStart(year + 1) - start) / 7) return Number.NaN
    return start + (week - 1) * 7 + this.#value(field.dayOfWeek, 1) - 1
  }

  #inWeekOfMonth(first: number): number {
    const start = first - (dayOfWeek(first) - 1)
    return start + (this.#value(field.weekOfMonth, 1) - 1) * 7 + this.#value(field.dayOfWeek, 1) - 1
  }

  #inMonthByWeekday(year: number, month: number, first: number): number {
    const weekday = this.#value(field.dayOfWeek, 1)
    const number = this.#value(field.dayOfWeekInMonth, 1)
    if (number < 0) {
      const last = first + monthLength(year, month + 1) - 1
      return last - ((dayOfWeek(last) - weekday + 7) % 7) + (number + 1) * 7
    }
    return first + ((weekday - dayOfWeek(first) + 7) % 7) + (number - 1) * 7
  }

  #timeOfDay(): number {
    const byHourOfDay = this.#stamp(field.hourOfDay)
    let best = Math.max(this.#both(field.hour, field.amPm), byHourOfDay)
    if (best === 0) best = Math.max(this.#stamp(field.hour), this.#stamp(field.amPm))
    const halfDay = this.#value(field.amPm, 0) * 12 + this.#value(field.hour, 0)
    const hours = best === byHourOfDay ? this.#value(field.hourOfDay, 0) : halfDay
    const minutes = hours * 60 + this.#value(field.minute, 0)
    return minutes * msPerMinute + this.#value(field.second, 0) * 1000 + this.#value(field.millisecond, 0)
  }

  #agrees(name: number, computed: number): boolean {
    return this.#stamp(name) === 0 || this.#values[name] === computed
  }

  #agreesWithDay(days: number): boolean {
    const date = new Date(days * msPerDay)
    const year = date.getUTCFullYear()
    const month = date.getUTCMonth()
    const day = date.getUTCDate()
    if (Number.isNaN(year)) return false
    const first = days - day + 1
    const yearStart = weekYearStart(year)
    const next = weekYearStart(year + 1)
    const week = days >= next ? 1 : Math.floor((days - yearStart) / 7) + 1
    const isCommonEra = year > 0
    return (
      this.#agrees(field.era, isCommonEra ? 1 : 0) &&
      this.#agreesWithYear(year, isCommonEra ? year : 1 - year) &&
      this.#agrees(field.month, month) &&
      this.#agrees(field.dayOfMonth, day) &&
      this.#agrees(field.dayOfYear, days - daysFromDate(year, 1, 1) + 1) &&
      this.#agrees(field.dayOfWeek, dayOfWeek(days)) &&
      this.#agrees(field.dayOfWeekInMonth, Math.floor((day - 1) / 7) + 1) &&
      this.#agrees(field.weekOfMonth, Math.floor((days - first + dayOfWeek(first) - 1) / 7) + 1) &&
      this.#agrees(field.weekOfYear, week)
    )
  }

  #agreesWithYear(year: number, yearOfEra: number): boolean {
    if (this.#stamp(field.weekYear) > this.#stamp(field.year)) return true
    return this.#agrees(field.year, yearOfEra) && (isLeapYear(year) || this.#value(field.dayOfYear, 1) < 366)
  }

  #agreesWithTime(time: number): boolean {
    if (time < 0 || time >= msPerDay) return false
    const hours = Math.floor(time / 3_600_000)
    return (
      this.#agrees(field.hourOfDay, hours) &&
      this.#agrees(field.hour, hours % 12) &&
      this.#agrees(field.amPm, hours < 12 ? 0 : 1) &&
      this.#agrees(field.minute, Math.floor(time / msPerMinute) % 60) &&
      this.#agrees(field.second, Math.floor(time / 1000) % 60) &&
      this.#agrees(field.millisecond, time % 1000)
    )
  }
}
