import type { Period } from '../../lib/day-periods.ts'
import { dayStart } from '../../lib/day-periods.ts'

const daysOfWeek = 7
export const hoursOfDay = 24

/**
 * Returns the mean of each hour of the week, from Monday on; an hour that clocks show twice counts twice. Hours before `began`, when
 * nothing was counted yet, have no part in it: null where there is no other.
 */
export function hoursOfWeek(
  periods: readonly Period[],
  values: readonly number[],
  began: number,
): (number | null)[][] {
  const sums = Array.from({ length: daysOfWeek }, () => new Array<number>(hoursOfDay).fill(0))
  const times = Array.from({ length: daysOfWeek }, () => new Array<number>(hoursOfDay).fill(0))
  for (const [at, { from, to }] of periods.entries()) {
    if (to <= began) continue
    const date = new Date(from)
    const day = (date.getDay() + daysOfWeek - 1) % daysOfWeek
    const [own, count] = [sums[day], times[day]]
    if (own === undefined || count === undefined) continue
    own[date.getHours()] = (own[date.getHours()] ?? 0) + (values[at] ?? 0)
    count[date.getHours()] = (count[date.getHours()] ?? 0) + 1
  }
  return sums.map((row, day) =>
    row.map((sum, hour) => {
      const count = times[day]?.[hour] ?? 0
      return count === 0 ? null : sum / count
    }),
  )
}

/** Returns the number of days with hours that end after `began`. */
export function daysSince(periods: readonly Period[], began: number): number {
  return new Set(periods.filter(({ to }) => to > began).map(({ from }) => dayStart(from))).size
}
