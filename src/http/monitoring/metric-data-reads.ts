import type { Dialect } from '../../config/settings.ts'
import { Transfer } from '../../lib/work/handlers.ts'
import type { ListQuery, ResourceListQuery } from '../../monitoring/query/list-reads.ts'
import { listLabels, listResources } from '../../monitoring/query/list-reads.ts'
import { readMetricData } from '../../monitoring/query/metric-data.ts'
import type { Reads } from '../../monitoring/query/reads.ts'
import type { SeriesDatabase } from '../../monitoring/series/series-database.ts'
import { bytesOf } from './byte-text.ts'
import { envelope } from './envelope-shape.ts'
import type { MetricDataRequest } from './metric-data-writer.ts'
import { writeMetricData } from './metric-data-writer.ts'

/** What a reader thread is asked for a list. */
export interface ListRequest<T> {
  query: T
  dialect: Dialect
}

/** Reads whose answers are JSON already: large ones cost the main thread nothing. */
export const metricDataReads = {
  metricData: async (database: SeriesDatabase, request: MetricDataRequest) =>
    transferred(writeMetricData(request, await readMetricData(database, request.query))),
  labels: async (database: SeriesDatabase, { query, dialect }: ListRequest<ListQuery>) =>
    listed('labels', await listLabels(database, query), dialect),
  resources: async (database: SeriesDatabase, { query, dialect }: ListRequest<ResourceListQuery>) =>
    listed('resources', await listResources(database, query), dialect),
} satisfies Reads

function listed(key: string, list: unknown[], dialect: Dialect): Transfer<Uint8Array> {
  const around = dialect === 'geoserver' ? envelope({ key }) : {}
  return transferred(bytesOf(JSON.stringify({ ...around, [key]: list })))
}

function transferred(bytes: Uint8Array): Transfer<Uint8Array> {
  return new Transfer(bytes, [bytes.buffer as ArrayBuffer])
}
