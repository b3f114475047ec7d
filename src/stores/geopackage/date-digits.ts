const microsPerDay = 86_400_000_000
/** 0000-01-01 and 9999-12-31 as days since 1970-01-01: the range of four-digit years. */
const firstDay = -719_528
const lastDay = 2_932_896
const daysPerEra = 146_097

/** Lengths of a DATE, and of a DATETIME with milliseconds and with microseconds (OGC 12-128r18, table 1). */
export const dateBytes = 10
const millisecondBytes = 24
const microsecondBytes = 27

export function isWritableDay(days: number): boolean {
  return days >= firstDay && days <= lastDay
}

/** Writes the last `count` digits of a number below 2^31, up to `end`. */
function writeDigits(bytes: Uint8Array, end: number, value: number, count: number): void {
  let rest = value
  for (let at = end - 1; at >= end - count; at -= 1) {
    const tenth = (rest / 10) | 0
    bytes[at] = 48 + rest - tenth * 10
    rest = tenth
  }
}

/** Writes `YYYY-MM-DD`. Years start in March in this calculation, so that the leap day is the last day. */
export function writeDate(bytes: Uint8Array, at: number, days: number): void {
  const day = days - firstDay - 60 + daysPerEra
  const era = (day / daysPerEra) | 0
  const dayOfEra = day - era * daysPerEra
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0)
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
  const month = ((5 * dayOfYear + 2) / 153) | 0
  const isNextYear = month >= 10
  writeDigits(bytes, at + 4, yearOfEra + (era - 1) * 400 + (isNextYear ? 1 : 0), 4)
  bytes[at + 4] = 45
  writeDigits(bytes, at + 7, isNextYear ? month - 9 : month + 3, 2)
  bytes[at + 7] = 45
  writeDigits(bytes, at + 10, dayOfYear - (((153 * month + 2) / 5) | 0) + 1, 2)
}

/** Days, and microseconds within the day, of a time in microseconds given as two 32-bit halves. */
export interface Instant {
  days: number
  micros: number
}

/** Splits a 64-bit time; its halves are exact where a double of the whole would not be. */
export function splitInstant(high: number, low: number, into: Instant): void {
  const value = high * 4_294_967_296 + (low >>> 0)
  if (Number.isSafeInteger(value)) {
    into.days = Math.floor(value / microsPerDay)
    into.micros = value - into.days * microsPerDay
    return
  }
  const exact = (BigInt(high) << 32n) + BigInt(low >>> 0)
  const micros = BigInt.asIntN(64, exact) % BigInt(microsPerDay)
  into.micros = Number(micros < 0n ? micros + BigInt(microsPerDay) : micros)
  into.days = Number((exact - BigInt(into.micros)) / BigInt(microsPerDay))
}

export function instantBytes(instant: Instant): number {
  return instant.micros % 1000 === 0 ? millisecondBytes : microsecondBytes
}

/** Writes `YYYY-MM-DDTHH:MM:SS.SSSZ`, with six digits of fraction if three do not suffice. */
export function writeInstant(bytes: Uint8Array, at: number, instant: Instant): void {
  const seconds = Math.floor(instant.micros / 1_000_000)
  const micros = instant.micros - seconds * 1_000_000
  writeDate(bytes, at, instant.days)
  bytes[at + 10] = 84
  writeDigits(bytes, at + 13, Math.floor(seconds / 3600), 2)
  bytes[at + 13] = 58
  writeDigits(bytes, at + 16, Math.floor(seconds / 60) % 60, 2)
  bytes[at + 16] = 58
  writeDigits(bytes, at + 19, seconds % 60, 2)
  bytes[at + 19] = 46
  const isMilliseconds = micros % 1000 === 0
  writeDigits(
    bytes,
    at + (isMilliseconds ? 23 : 26),
    isMilliseconds ? micros / 1000 : micros,
    isMilliseconds ? 3 : 6,
  )
  bytes[at + (isMilliseconds ? 23 : 26)] = 90
}
