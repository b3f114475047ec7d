const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Microseconds of a day without a leap second. */
export const microsPerDay = 86_400_000_000

/** True if the year of the proleptic Gregorian calendar has 366 days. */
export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

/** Returns the number of days of a month, counted from 1; 0 for an invalid month. */
export function monthLength(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (monthLengths[month - 1] ?? 0)
}

/**
 * Returns the days since 1970-01-01 of a date of the proleptic Gregorian calendar; the month is from 1 to 12,
 * the day is not checked.
 */
export function daysFromDate(year: number, month: number, day: number): number {
  const before = year - 1
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const inYear = (daysBeforeMonth[month - 1] as number) + (month > 2 && isLeapYear(year) ? 1 : 0) + day - 1
  return before * 365 + leapDays + inYear - 719_162
}

/** The same; NaN for an invalid date. */
export function findDays(year: number, month: number, day: number): number {
  return day >= 1 && day <= monthLength(year, month) ? daysFromDate(year, month, day) : Number.NaN
}

/** Returns the microseconds since 1970-01-01T00:00:00Z as a bigint. */
export function toMicros(days: number, microsOfDay: number): bigint {
  return BigInt(days) * BigInt(microsPerDay) + BigInt(microsOfDay)
}
