import { hasQuantiles } from '../metrics/metrics.ts'
import type { Resolution } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { RowKey } from './grouping.ts'
import type { MetricDataQuery } from './metric-data-query.ts'
import { readRows } from './metric-rows.ts'
import type { LabelName, NamedResource } from './names.ts'
import { distinctIds, readLabelNames, readResources } from './names.ts'
import { orderRows } from './order-rows.ts'
import { resolveQuery } from './resolve-query.ts'
import type { PlanFacts, RowPlan } from './row-plan.ts'
import { planPeriods, readPlanFacts } from './row-plan.ts'
import type { RowTable } from './row-table.ts'
import { amountOf } from './row-table.ts'
import type { ResolvedQuery } from './series-sql.ts'
import { rowsSql } from './series-sql.ts'
import type { Quantiles } from './sketches.ts'
import { countOthers, readQuantiles } from './sketches.ts'
import { nests } from './stretches.ts'

/** Rows of consecutive periods of the result of a `MetricDataQuery`. */
export interface MetricData {
  query: ResolvedQuery
  /** Rows; period indexes are relative to the first of these periods. */
  rows: RowTable
  /** Rows in the order of periods, then by value from the largest, then by name. */
  order: Uint32Array
  /** Value of each row. */
  values: Float64Array
  labels: Map<number, LabelName>
  resources: Map<number, NamedResource>
  /** Quantiles by row, if the metric has quantiles. */
  quantiles: Map<number, Quantiles>
}

/** A resolved metric data query with the facts that its plans depend on. */
export interface OpenQuery {
  requested: MetricDataQuery
  query: ResolvedQuery
  facts: PlanFacts
}

/** Consecutive periods of a window, by number. */
export interface PeriodSpan {
  first: number
  count: number
}

/** Resolves a query. Throws `FieldFailure` for a resource that does not exist. */
export async function openQuery(
  database: SeriesDatabase,
  metricDataQuery: MetricDataQuery,
): Promise<OpenQuery> {
  const query = await resolveQuery(database, metricDataQuery)
  return { requested: metricDataQuery, query, facts: await readPlanFacts(database, query) }
}

/** Plans the reading of some periods of a query. */
export function planSpan(
  { requested: metricDataQuery, query, facts }: OpenQuery,
  { first, count }: PeriodSpan,
): RowPlan {
  const { window } = metricDataQuery
  const { intervalSeconds } = window
  const from = Math.ceil(window.from / 1000) + first * intervalSeconds
  const plan = planPeriods(facts, query, { from, to: from + count * intervalSeconds, intervalSeconds })
  // An unknown label has no rows.
  return metricDataQuery.label !== undefined && query.labelId === undefined ? { ...plan, parts: [] } : plan
}

/** Reads the rows of a plan. Throws `Failure` (`invalid`) if there are more than `maxRows` rows. */
export async function readMetricData(
  database: SeriesDatabase,
  plan: RowPlan,
  maxRows: number,
): Promise<MetricData> {
  const { query, range } = plan
  const rows = await readRows(database, plan, maxRows)
  if (rows.length > 0) await countOthers(database, plan, rows)
  const isWithQuantiles = hasQuantiles(query.metric) && rows.length > 0
  const quantiles = isWithQuantiles ? await readQuantiles(database, plan, rows) : new Map()
  const values = valuesOf(query, rows)
  const labels = await readLabelNames(database, idsIn(query, rows, 'label', 'user'))
  const resources = await readResources(database, idsIn(query, rows, 'resource'))
  const periods = (range.to - range.from) / range.intervalSeconds
  const order = orderRows(rows, values, { query, labels, resources, periods })
  return { query, rows, order, values, labels, resources, quantiles }
}

function valuesOf({ metric, shape }: ResolvedQuery, rows: RowTable): Float64Array {
  if (shape.value !== 'amount') return rows.column('extra')
  if (metric.type !== 'rate') return rows.column('sum')
  return Float64Array.from({ length: rows.length }, (_, row) => amountOf(metric, rows, row))
}

/** Returns the ids that rows have as a key of one of the kinds. */
function idsIn({ shape }: ResolvedQuery, rows: RowTable, ...kinds: RowKey[]): number[] {
  return shape.keys.flatMap((kind, index) =>
    kinds.includes(kind) ? [...distinctIds(rows.column(index === 0 ? 'key' : 'innerKey'))] : [],
  )
}

/**
 * Returns the period of the stored rows in seconds if it is longer than the requested periods because finer
 * rows have expired: the coarsest one that occurs.
 */
export async function findResolution(
  database: SeriesDatabase,
  { query, range, parts }: RowPlan,
): Promise<Resolution | undefined> {
  const forced = parts
    .flatMap((part) => part.sources)
    .filter(({ resolution }) => resolution > 60 && !nests(range, resolution))
    .sort((a, b) => b.resolution - a.resolution)
  for (const source of forced) {
    const { from, where } = rowsSql(database, query, source, range)
    const found = await database.arrays(`select 1 from ${from} where ${where} limit 1`)
    if (found.length > 0) return source.resolution
  }
  return undefined
}
