import { metricNamed } from '../metrics/metrics.ts'
import { pagesServiceId } from '../model/service-types.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import { readLastUse } from './last-use.ts'
import { readLayerRequests } from './layer-requests.ts'
import { readRows } from './metric-rows.ts'
import { readLabelNames } from './names.ts'
import type { Reads } from './reads.ts'
import { planRowTable, readWatermarks } from './row-plan.ts'
import type { ResolvedQuery } from './series-sql.ts'
import { readCounterMonths, readServiceMonths } from './usage-months.ts'
import { readLayerDemand } from './usage-reads.ts'
import { readUsageReport } from './usage-report.ts'

/** Period in seconds since 1970, and services whose requests are counted. */
export interface RequestTotalsQuery {
  from: number
  to: number
  serviceIds: readonly number[]
  /** True to include requests of this server's own pages. */
  isWithPages: boolean
}

/** Totals up to `to`: earlier than requested if only whole hours are stored. */
export interface RequestTotals {
  to: number
  requests: number
  /** Requests answered with status 400 or above; a client that disconnects earlier has no response. */
  failed: number
}

const hourSeconds = 3600
const firstFailure = 400
/** Status of a request whose client disconnected before the response. */
const clientGone = 499

/** Returns the numbers of all and of failed requests. */
async function readRequestTotals(
  database: SeriesDatabase,
  { from, to: requested, serviceIds, isWithPages }: RequestTotalsQuery,
): Promise<RequestTotals> {
  const { minutesKeptFrom } = await readWatermarks(database)
  const isKept = requested <= from || requested > minutesKeptFrom
  const to = isKept ? requested : Math.max(from, Math.floor(requested / hourSeconds) * hourSeconds)
  if (to <= from || serviceIds.length === 0) return { to, requests: 0, failed: 0 }
  const all = await readCounts(database, { from, to, serviceIds })
  if (isWithPages) return { to, ...all }
  const pages = await readCounts(database, { from, to, serviceIds: serviceIds.map(pagesServiceId) })
  return { to, requests: all.requests - pages.requests, failed: all.failed - pages.failed }
}

/** Counts requests by the status metric, which each request has. */
async function readCounts(
  database: SeriesDatabase,
  { from, to, serviceIds }: Omit<RequestTotalsQuery, 'isWithPages'>,
): Promise<Omit<RequestTotals, 'to'>> {
  const query: ResolvedQuery = {
    metric: metricNamed('response.status'),
    shape: { keys: ['label'], value: 'amount', isOfUsers: false },
    serviceIds,
  }
  const plan = await planRowTable(database, query, { from, to, intervalSeconds: to - from })
  const rows = await readRows(database, plan)
  const labels = await readLabelNames(database, [...rows.column('key')])
  const counts = { requests: 0, failed: 0 }
  for (let row = 0; row < rows.length; row += 1) {
    const count = rows.get(row, 'sum')
    counts.requests += count
    const status = Number(labels.get(rows.get(row, 'key'))?.name)
    if (status >= firstFailure && status !== clientGone) counts.failed += count
  }
  return counts
}

/** Reads of this folder whose results are plain data. */
export const coreReads = {
  layerRequests: readLayerRequests,
  requestTotals: readRequestTotals,
  usageReport: readUsageReport,
  counterMonths: readCounterMonths,
  serviceMonths: readServiceMonths,
  lastUse: readLastUse,
  layerDemand: readLayerDemand,
} satisfies Reads
