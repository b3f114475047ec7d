import { metricNamed } from '../metrics/metrics.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { readMetricValue } from './metric-value.ts'
import { readWatermarks } from './row-plan.ts'

/** A time of which requests are counted, in seconds since 1970, and whose. */
export interface RequestTotalsQuery {
  from: number
  to: number
  serviceIds: readonly number[]
}

/** What there was up to `to`: earlier than asked where only whole hours are kept. */
export interface RequestTotals {
  to: number
  requests: number
  failed: number
}

const hourSeconds = 3600

/** How many requests there were, and how many of them failed. */
export async function readRequestTotals(
  database: SeriesDatabase,
  { from, to: asked, serviceIds }: RequestTotalsQuery,
): Promise<RequestTotals> {
  const { minutesKeptFrom } = await readWatermarks(database)
  const isKept = asked <= from || asked > minutesKeptFrom
  const to = isKept ? asked : Math.max(from, Math.floor(asked / hourSeconds) * hourSeconds)
  const sumOf = async (metric: string): Promise<number> => {
    if (to <= from || serviceIds.length === 0) return 0
    const { value } = await readMetricValue(database, {
      metric: metricNamed(metric).name,
      serviceIds,
      from,
      to,
    })
    return value ?? 0
  }
  return { to, requests: await sumOf('request.count'), failed: await sumOf('response.error.count') }
}
