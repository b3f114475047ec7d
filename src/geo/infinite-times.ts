/**
 * PostgreSQL has infinite dates and timestamps. A column stores them as the ends of its range: days as the
 * ends of 32 bits, microseconds as those of 64. No store supports a finite date or time with that value.
 */
export const lastDay = 0x7fffffff
export const firstDay = -0x80000000
export const lastMicros = 2n ** 63n - 1n
export const firstMicros = -(2n ** 63n)

const microsPerDay = 86_400_000_000n

/** PostgreSQL's notation. */
export const infinityText = 'infinity'
export const minusInfinityText = '-infinity'

/** True for the days of `infinity` and `-infinity`. */
export function isInfiniteDay(days: number): boolean {
  return days === lastDay || days === firstDay
}

/** True for the microseconds of `infinity` and `-infinity`. */
export function isInfiniteMicros(micros: bigint): boolean {
  return micros === lastMicros || micros === firstMicros
}

/** The same for the two 32-bit halves of the microseconds, the low one signed or unsigned. */
export function areInfiniteHalves(high: number, low: number): boolean {
  return (high === lastDay && (low | 0) === -1) || (high === firstDay && low === 0)
}

/**
 * Returns the microseconds at the start of a day, infinite for an infinite one; undefined if 64 bits are not
 * sufficient.
 */
export function microsOfDay(days: number): bigint | undefined {
  if (isInfiniteDay(days)) return days > 0 ? lastMicros : firstMicros
  const micros = BigInt(days) * microsPerDay
  return micros > firstMicros && micros < lastMicros ? micros : undefined
}

/** Returns the day that begins at these microseconds, infinite for infinite ones; undefined if none does. */
export function dayOfMicros(micros: bigint): number | undefined {
  if (isInfiniteMicros(micros)) return micros > 0n ? lastDay : firstDay
  return micros % microsPerDay === 0n ? Number(micros / microsPerDay) : undefined
}
