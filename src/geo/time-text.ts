import { infinityText, isInfiniteDay, isInfiniteMicros, minusInfinityText } from './infinite-times.ts'

const microsPerDay = 86_400_000_000n

/** Layers contain the same days many times. */
const knownDays = new Map<number, string>()
const maxKnownDays = 20_000

const yearsPerCycle = 400
const daysPerCycle = 146_097

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0')

/**
 * Formats days since 1970-01-01 as `YYYY-MM-DD` of the proleptic Gregorian calendar. Years beyond 9999 or
 * before 0 have a sign and six digits (ECMA-262, section 21.4.1.32.1), or as many as they need; infinite days
 * are `infinity` and `-infinity`.
 */
export function dateText(days: number): string {
  const known = knownDays.get(days)
  if (known !== undefined) return known
  const text = writeDate(days)
  if (knownDays.size >= maxKnownDays) knownDays.clear()
  knownDays.set(days, text)
  return text
}

function writeDate(days: number): string {
  const date = new Date(days * 86_400_000)
  if (!Number.isNaN(date.getTime())) return date.toISOString().slice(0, -14)
  if (isInfiniteDay(days)) return days > 0 ? infinityText : minusInfinityText
  // The calendar is the same every 400 years.
  const cycles = Math.floor(days / daysPerCycle)
  const inCycle = new Date((days - cycles * daysPerCycle) * 86_400_000)
  const year = inCycle.getUTCFullYear() + cycles * yearsPerCycle
  return `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}${inCycle.toISOString().slice(4, 10)}`
}

/** Formats microseconds since midnight as `HH:MM:SS`, with a fraction if there is one. */
export function timeText(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n)
  const fraction = Number(micros % 1_000_000n)
  const clock = `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`
  if (fraction === 0) return clock
  return `${clock}.${fraction % 1000 === 0 ? pad(fraction / 1000, 3) : pad(fraction, 6)}`
}

/**
 * Formats microseconds since 1970-01-01T00:00:00Z as ISO 8601 in UTC, `2024-05-01T12:00:00Z`, with a fraction
 * if there is one; `infinity` and `-infinity`.
 */
export function timestampText(micros: bigint): string {
  if (isInfiniteMicros(micros)) return micros > 0n ? infinityText : minusInfinityText
  const timeOfDay = ((micros % microsPerDay) + microsPerDay) % microsPerDay
  const days = Number((micros - timeOfDay) / microsPerDay)
  return `${dateText(days)}T${timeText(timeOfDay)}Z`
}
