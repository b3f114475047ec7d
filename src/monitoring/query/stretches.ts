import type { Resolution } from '../series/schema.ts'

/** Seconds since 1970; whole days. See `monitoring_state` in the schema of the series. */
export interface Watermarks {
  hoursRolledBefore: number
  daysRolledBefore: number
  minutesKeptFrom: number
  hoursKeptFrom: number
}

/** Rows of one table with `from` <= period < `to`. */
export interface PeriodStretch {
  resolution: Resolution
  from: number
  to: number
}

/** A range of periods in seconds; `from` is the start of the first period. */
export interface PeriodRange {
  from: number
  to: number
  intervalSeconds: number
}

/**
 * Chooses the table for each part of the range: the coarsest one whose rows nest in the periods and that is
 * already rolled up; a coarser one if finer rows have expired.
 */
export function chooseStretches(range: PeriodRange, marks: Watermarks): PeriodStretch[] {
  const cuts = [...Object.values(marks), range.from, range.to]
    .filter((cut) => cut >= range.from && cut <= range.to)
    .sort((a, b) => a - b)
  const stretches: PeriodStretch[] = []
  cuts.slice(1).forEach((to, index) => {
    const from = cuts[index] ?? to
    if (from === to) return
    const resolution = Math.max(coarsestNested(range, from, marks), finestKept(from, marks)) as Resolution
    const last = stretches.at(-1)
    if (last?.resolution === resolution) last.to = to
    else stretches.push({ resolution, from, to })
  })
  return stretches
}

/** Groups stretches that contain rows of the same period. */
export function splitStretches(stretches: readonly PeriodStretch[], range: PeriodRange): PeriodStretch[][] {
  const parts: PeriodStretch[][] = []
  for (const stretch of stretches) {
    const isApart = (stretch.from - range.from) % range.intervalSeconds === 0
    if (isApart || parts.length === 0) parts.push([stretch])
    else parts.at(-1)?.push(stretch)
  }
  return parts
}

/** True if each row of this resolution is within one period. */
export function nests({ from, intervalSeconds }: PeriodRange, resolution: Resolution): boolean {
  return from % resolution === 0 && intervalSeconds % resolution === 0
}

function coarsestNested(range: PeriodRange, at: number, marks: Watermarks): Resolution {
  if (at < marks.daysRolledBefore && nests(range, 86_400)) return 86_400
  return at < marks.hoursRolledBefore && nests(range, 3600) ? 3600 : 60
}

function finestKept(at: number, marks: Watermarks): Resolution {
  if (at >= marks.minutesKeptFrom) return 60
  return at >= marks.hoursKeptFrom ? 3600 : 86_400
}
