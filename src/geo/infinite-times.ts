/**
 * PostgreSQL has infinite dates and timestamps. A column holds them as the ends of its range: days are then the ends of 32 bits,
 * microseconds those of 64. No store holds a finite date or time of that value.
 */
export const lastDay = 0x7fffffff
export const firstDay = -0x80000000
export const lastMicros = 2n ** 63n - 1n
export const firstMicros = -(2n ** 63n)

const microsPerDay = 86_400_000_000n

/** How PostgreSQL writes them. */
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

/** The microseconds at the beginning of a day, infinite for an infinite one; undefined where 64 bits do not hold them. */
export function microsOfDay(days: number): bigint | undefined {
  if (isInfiniteDay(days)) return days > 0 ? lastMicros : firstMicros
  const micros = BigInt(days) * microsPerDay
  return micros > firstMicros && micros < lastMicros ? micros : undefined
}

/** The day that begins at these microseconds, infinite for infinite ones; undefined where none does. */
export function dayOfMicros(micros: bigint): number | undefined {
  if (isInfiniteMicros(micros)) return micros > 0n ? lastDay : firstDay
  return micros % microsPerDay === 0n ? Number(micros / microsPerDay) : undefined
}
