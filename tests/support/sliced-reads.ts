import { metricDataReads } from '../../src/api/rest/monitoring/metrics/metric-data-reads.ts'
import type { MetricDataRequest } from '../../src/api/rest/monitoring/metrics/metric-data-writer.ts'
import { Transfer } from '../../src/core/workers/handlers.ts'
import type { MetricData } from '../../src/monitoring/query/metric-data.ts'
import type { MetricDataQuery } from '../../src/monitoring/query/metric-data-query.ts'
import type { Read, SeriesReadLimits, Slice } from '../../src/monitoring/query/reads.ts'
import { readMetricDataSlice } from '../../src/monitoring/query/slice-metric-data.ts'
import type { SeriesDatabase } from '../../src/monitoring/series/series-database.ts'

const everything: SeriesReadLimits = { isLight: false, rowsPerRead: 1e9, maxRows: 1e9 }

/** Returns the slices of a response, as the reader threads create them one after the other. */
export async function slicesOf(
  database: SeriesDatabase,
  name: keyof typeof metricDataReads,
  request: object,
  limits: Partial<SeriesReadLimits> = {},
): Promise<string[]> {
  const read: Read = metricDataReads[name]
  const slices: string[] = []
  let next: unknown = request
  while (next !== undefined) {
    const argument = next
    const given = await database.snapshot((snapshot) =>
      read(snapshot, argument as never, { ...everything, ...limits }),
    )
    const slice = (given instanceof Transfer ? given.value : given) as Slice<unknown>
    slices.push(new TextDecoder().decode(slice.bytes))
    next = slice.next
  }
  return slices
}

/** Returns the whole response to a metric data query as JSON. */
export async function metricDataText(database: SeriesDatabase, request: MetricDataRequest): Promise<string> {
  return (await slicesOf(database, 'metricData', request)).join('')
}

/** Returns the rows of the whole response to a metric data query. */
export async function readWhole(database: SeriesDatabase, query: MetricDataQuery): Promise<MetricData> {
  const start = { first: 0, expected: query.window.count }
  return (await readMetricDataSlice(database, query, start, everything)).data
}
