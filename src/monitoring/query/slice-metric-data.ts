import type { SeriesDatabase } from '../series/series-database.ts'
import { answerTooLarge, countByTotals, countSeries, countStored, countUnique } from './answer-size.ts'
import type { MetricData, OpenQuery, PeriodSpan } from './metric-data.ts'
import { openQuery, planSpan, readMetricData } from './metric-data.ts'
import type { MetricDataQuery } from './metric-data-query.ts'
import type { SeriesReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'
import type { RowPlan } from './row-plan.ts'

/** Minimum number of stored rows of a slice per series lookup. */
const rowsPerSeries = 4

/** Start of a slice. */
export interface SliceStart {
  /** Number of its first period. */
  first: number
  /** Number of periods that can be read together, estimated from the previous slice. */
  expected: number
}

export interface MetricDataSlice extends PeriodSpan {
  data: MetricData
  /** Plan of the whole window; only in the first slice. */
  whole: RowPlan | undefined
  /** Absent after the last period. */
  next: SliceStart | undefined
}

/**
 * Reads the next periods of a result: all of them if that is light. Each slice, and so each period, sees one
 * snapshot of the series. Throws `FieldFailure` for a resource that does not exist, `Failure` (`invalid`) for
 * a result of more than `maxRows` rows, `HeavyRead`.
 */
export async function readMetricDataSlice(
  database: SeriesDatabase,
  query: MetricDataQuery,
  { first, expected }: SliceStart,
  limits: SeriesReadLimits,
): Promise<MetricDataSlice> {
  const open = await openQuery(database, query)
  const rest = query.window.count - first
  const whole = first === 0 ? planSpan(open, { first, count: rest }) : undefined
  const series = await countSeries(database, planSpan(open, { first, count: rest }))
  if (limits.isLight) await refuseHeavy(database, planSpan(open, { first, count: rest }), series, limits)
  else if (whole !== undefined && (await countUnique(database, whole, limits.maxRows)) > limits.maxRows)
    throw answerTooLarge(limits.maxRows, open.query)
  const limit = Math.max(limits.rowsPerRead, series * rowsPerSeries)
  const count = limits.isLight
    ? rest
    : await fit(database, open, { first, count: Math.min(rest, expected) }, limit)
  const data = await readMetricData(database, planSpan(open, { first, count }), limits.maxRows)
  const isLast = count === rest
  return {
    first,
    count,
    data,
    whole,
    next: isLast ? undefined : { first: first + count, expected: 2 * count },
  }
}

/**
 * Throws `HeavyRead` if a light read is not possible, or `Failure` (`invalid`) if a few totals already show
 * that the result is too large.
 */
async function refuseHeavy(
  database: SeriesDatabase,
  plan: RowPlan,
  series: number,
  { rowsPerRead, maxRows }: SeriesReadLimits,
): Promise<void> {
  if (series <= rowsPerRead && (await countStored(database, plan, rowsPerRead)) + series <= rowsPerRead)
    return
  if ((await countByTotals(database, plan)) > maxRows) throw answerTooLarge(maxRows, plan.query)
  throw new HeavyRead()
}

/** Returns the number of periods that are read together: at least one, at most `span.count`. */
async function fit(
  database: SeriesDatabase,
  open: OpenQuery,
  { first, count }: PeriodSpan,
  limit: number,
): Promise<number> {
  let fitting = count
  while (
    fitting > 1 &&
    (await countStored(database, planSpan(open, { first, count: fitting }), limit)) > limit
  )
    fitting = Math.ceil(fitting / 2)
  return fitting
}
