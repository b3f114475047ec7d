import { metricNamed } from '../metrics/metrics.ts'
import type { EventType } from '../model/event-types.ts'
import type { Resolution } from '../series/schema.ts'
import { resolutions, tableOf } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { readRows } from './metric-rows.ts'
import { findLabel } from './names.ts'
import { planRowTable } from './row-plan.ts'
import { amountOf } from './row-table.ts'
import type { ResolvedQuery } from './series-sql.ts'
import { seriesCondition } from './series-sql.ts'

/** Query for one number: a metric over `[from, to)`, in seconds since 1970. */
export interface MetricValueQuery {
  /** Name of a metric. */
  metric: string
  serviceIds: readonly number[]
  resourceId?: number
  /** Exact label name. */
  label?: string
  /** Default: `all`. */
  eventType?: EventType
  from: number
  to: number
}

export interface MetricValue {
  /** Value by the type of the metric; undefined if nothing was collected. */
  value: number | undefined
  /**
   * End of the newest stored row up to `to`, however old, in seconds since 1970; undefined if there is none.
   */
  lastValidTo: number | undefined
}

/** Reads the number that a check compares. */
export async function readMetricValue(
  database: SeriesDatabase,
  metricValueQuery: MetricValueQuery,
): Promise<MetricValue> {
  const { label, from, to } = metricValueQuery
  const labelId = label === undefined ? undefined : await findLabel(database, label)
  if (label !== undefined && labelId === undefined) return { value: undefined, lastValidTo: undefined }
  const query: ResolvedQuery = {
    metric: metricNamed(metricValueQuery.metric),
    shape: { keys: [], value: 'amount', isOfUsers: false },
    serviceIds: metricValueQuery.serviceIds,
    eventType: metricValueQuery.eventType,
    resourceId: metricValueQuery.resourceId,
    labelId,
  }
  const rows = await readRows(
    database,
    await planRowTable(database, query, { from, to, intervalSeconds: to - from }),
  )
  const value = rows.length === 0 ? undefined : amountOf(query.metric, rows, 0)
  return { value, lastValidTo: await readLastValidTo(database, query, to) }
}

async function readLastValidTo(
  database: SeriesDatabase,
  query: ResolvedQuery,
  to: number,
): Promise<number | undefined> {
  for (const resolution of resolutions) {
    const newest = await readNewest(database, query, { resolution, to })
    if (newest !== undefined) return newest + resolution
  }
  return undefined
}

async function readNewest(
  database: SeriesDatabase,
  query: ResolvedQuery,
  { resolution, to }: { resolution: Resolution; to: number },
): Promise<number | undefined> {
  const isOfLabel = query.labelId === undefined ? '' : `and v.label_id = ${query.labelId}`
  const newest = `select v.period from ${tableOf[resolution]} v where v.series_id = s.id and v.period < ? ${isOfLabel}
    order by v.period desc limit 1`
  const selects = [false, true].map((isLoaded) => {
    const where = seriesCondition(query, { isLoaded, isTotal: false })
    return `select (${newest}) as period from monitoring_series s where ${where}`
  })
  const sql = `select max(period) from (${selects.join(' union all ')}) r`
  const [found] = await database.arrays(sql, [to, to])
  return found?.[0] == null ? undefined : Number(found[0])
}
