/** A period in milliseconds since 1970. */
export interface Period {
  from: number
  to: number
}

export type PeriodStep = 'minute' | 'quarter' | 'hour' | 'day'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const lengths: Record<Exclude<PeriodStep, 'day'>, number> = {
  minute: minuteMs,
  quarter: 15 * minuteMs,
  hour: hourMs,
}

/**
 * Returns periods from `from` to `to` that begin at a whole minute, quarter of an hour, hour or day of local
 * time; the first and the last are cut to the window. A day has 23 or 25 hours when clocks change.
 */
export function periodsBetween({ from, to }: Period, step: PeriodStep): Period[] {
  const periods: Period[] = []
  for (let at = from; at < to; ) {
    const end = Math.min(to, boundAfter(at, step))
    periods.push({ from: at, to: end })
    at = end
  }
  return periods
}

function boundAfter(time: number, step: PeriodStep): number {
  if (step === 'day') {
    const next = new Date(time)
    next.setHours(24, 0, 0, 0)
    return Math.max(next.getTime(), time + minuteMs)
  }
  const length = lengths[step]
  const offset = new Date(time).getTimezoneOffset() * minuteMs
  return Math.floor((time - offset) / length) * length + length + offset
}

/** The beginning of the day here. */
export function dayStart(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** The same time of day so many days later, as clocks here show it. */
export function daysLater(time: number, days: number): number {
  const date = new Date(time)
  return date.setDate(date.getDate() + days)
}

/** Consecutive periods of one length. */
export interface Run {
  from: number
  to: number
  lengthMs: number
}

/** Periods in as few runs as can be. */
export function runsOf(periods: readonly Period[]): Run[] {
  const runs: Run[] = []
  for (const { from, to } of periods) {
    const last = runs.at(-1)
    if (last !== undefined && last.to === from && last.lengthMs === to - from) last.to = to
    else runs.push({ from, to, lengthMs: to - from })
  }
  return runs
}
