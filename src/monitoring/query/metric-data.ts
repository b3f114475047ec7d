import { hasQuantiles } from '../metrics/metrics.ts'
import type { Resolution } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { amountOf } from './amount.ts'
import type { RowKey } from './grouping.ts'
import type { MetricDataQuery } from './metric-data-query.ts'
import { readRows } from './metric-rows.ts'
import type { LabelName, NamedResource } from './names.ts'
import { distinctIds, readLabels, readResources } from './names.ts'
import { orderRows } from './order-rows.ts'
import { resolveQuery } from './resolve-query.ts'
import type { RowPlan } from './row-plan.ts'
import { planRows } from './row-plan.ts'
import type { RowTable } from './row-table.ts'
import type { ResolvedQuery } from './series-sql.ts'
import { rowsSql } from './series-sql.ts'
import type { Quantiles } from './sketches.ts'
import { countOthers, readQuantiles } from './sketches.ts'
import type { PeriodRange } from './stretches.ts'
import { nests } from './stretches.ts'

/** The answer to a `MetricDataQuery`. */
export interface MetricData {
  query: ResolvedQuery
  rows: RowTable
  /** Rows in the order of periods, then by value from the largest, then by name. */
  order: Uint32Array
  /** By row. */
  values: Float64Array
  labels: Map<number, LabelName>
  resources: Map<number, NamedResource>
  /** By row, where the metric has them. */
  quantiles: Map<number, Quantiles>
  /** Seconds that rows stand for where they are longer than the periods, because finer ones are no longer kept. */
  resolution: Resolution | undefined
}

/** Throws `FieldFailure` for a resource that does not exist, `Failure` (`invalid`) for an answer that is too large. */
export async function readMetricData(database: SeriesDatabase, asked: MetricDataQuery): Promise<MetricData> {
  const query = await resolveQuery(database, asked)
  const { window } = asked
  const from = Math.ceil(window.from / 1000)
  const range = {
    from,
    to: from + window.count * window.intervalSeconds,
    intervalSeconds: window.intervalSeconds,
  }
  const plan = await planRows(database, query, range)
  // A label that was never seen has no rows.
  const hasRows = plan.parts.length > 0 && !(asked.label !== undefined && query.labelId === undefined)
  const rows = await readRows(database, hasRows ? plan : { ...plan, parts: [] })
  if (rows.length > 0) await countOthers(database, plan, rows)
  const isWithQuantiles = hasQuantiles(query.metric) && rows.length > 0
  const quantiles = isWithQuantiles ? await readQuantiles(database, plan, rows) : new Map()
  const values = valuesOf(query, rows)
  const labels = await readLabels(database, idsIn(query, rows, 'label', 'user'))
  const resources = await readResources(database, idsIn(query, rows, 'resource'))
  const order = orderRows(rows, values, { query, labels, resources, periods: window.count })
  return {
    ...{ query, rows, order, values, labels, resources, quantiles },
    resolution: hasRows ? await findResolution(database, plan, range) : undefined,
  }
}

function valuesOf({ metric, shape }: ResolvedQuery, rows: RowTable): Float64Array {
  if (shape.value !== 'amount') return rows.column('extra')
  if (metric.type !== 'rate') return rows.column('sum')
  return Float64Array.from({ length: rows.length }, (_, row) => amountOf(metric, rows, row))
}

/** The ids that rows have as a key of one of the kinds. */
function idsIn({ shape }: ResolvedQuery, rows: RowTable, ...kinds: RowKey[]): number[] {
  return shape.keys.flatMap((kind, index) =>
    kinds.includes(kind) ? [...distinctIds(rows.column(index === 0 ? 'key' : 'innerKey'))] : [],
  )
}

/** The coarsest rows that were read though they are longer than the periods. */
async function findResolution(
  database: SeriesDatabase,
  { query, parts }: RowPlan,
  range: PeriodRange,
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
