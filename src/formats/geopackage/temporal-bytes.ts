const microsPerDay = 86_400_000_000
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
/** 1970-01-01 counted from 0000-01-01. */
const epochDay = 719_528

/** The number in ASCII digits, NaN where another byte stands among them. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at += 1) {
    const digit = (bytes[at] as number) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** Days since 1970-01-01 of `YYYY-MM-DD`, which must fill the range; NaN for all else. */
export function daysInBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 10 || bytes[start + 4] !== 45 || bytes[start + 7] !== 45) return Number.NaN
  const year = digits(bytes, start, 4)
  const month = digits(bytes, start + 5, 2)
  const day = digits(bytes, start + 8, 2)
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1)) return Number.NaN
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (day > (monthDays[month - 1] as number) + (isLeap && month === 2 ? 1 : 0)) return Number.NaN
  const leapDays =
    year === 0 ? 0 : ((year + 3) >> 2) - Math.floor((year + 99) / 100) + Math.floor((year + 399) / 400)
  const dayOfYear = (daysBefore[month - 1] as number) + day - 1 + (isLeap && month > 2 ? 1 : 0)
  return year * 365 + leapDays + dayOfYear - epochDay
}

/** Microseconds since 1970-01-01 of `YYYY-MM-DDTHH:MM:SSZ` with three digits of fraction or none; NaN for all else. */
export function microsInBytes(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  if ((length !== 20 && length !== 24) || bytes[start + 10] !== 84 || bytes[end - 1] !== 90) return Number.NaN
  if (bytes[start + 13] !== 58 || bytes[start + 16] !== 58) return Number.NaN
  if (length === 24 && bytes[start + 19] !== 46) return Number.NaN
  const days = daysInBytes(bytes, start, start + 10)
  const hour = digits(bytes, start + 11, 2)
  const minute = digits(bytes, start + 14, 2)
  const second = digits(bytes, start + 17, 2)
  const milliseconds = length === 24 ? digits(bytes, start + 20, 3) : 0
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  const micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + milliseconds * 1000
  const value = days * microsPerDay + micros
  return Number.isSafeInteger(value) ? value : Number.NaN
}
