import type { Dialect } from '../../config/settings.ts'
import { Transfer } from '../../lib/workers/handlers.ts'
import type { ServiceRecord } from '../../monitoring/model/records.ts'
import type { ExceptionFilter } from '../../monitoring/query/exception-reads.ts'
import { listExceptions } from '../../monitoring/query/exception-reads.ts'
import type { ListQuery, ResourceListQuery } from '../../monitoring/query/list-reads.ts'
import { listLabels, listResources } from '../../monitoring/query/list-reads.ts'
import { readMetricData } from '../../monitoring/query/metric-data.ts'
import type { Reads } from '../../monitoring/query/reads.ts'
import type { SeriesDatabase } from '../../monitoring/series/series-database.ts'
import { bytesOf } from './byte-text.ts'
import { wireOf } from './dialect.ts'
import { envelope } from './envelope-shape.ts'
import { toWireListed } from './exception-wire.ts'
import type { MetricDataRequest } from './metric-data-writer.ts'
import { writeMetricData } from './metric-data-writer.ts'

/** What a reader thread is asked for a list. */
export interface ListRequest<T> {
  query: T
  dialect: Dialect
}

export interface ExceptionListRequest extends ListRequest<ExceptionFilter> {
  /** Of the list, below which each has its details. */
  path: string
  services: readonly Pick<ServiceRecord, 'id' | 'name' | 'type'>[]
}

/** Reads whose answers are JSON already: large ones cost the main thread nothing. */
export const metricDataReads = {
  metricData: async (database: SeriesDatabase, request: MetricDataRequest) =>
    transferred(writeMetricData(request, await readMetricData(database, request.query))),
  labels: async (database: SeriesDatabase, { query, dialect }: ListRequest<ListQuery>) =>
    listed('labels', await listLabels(database, query), dialect),
  resources: async (database: SeriesDatabase, { query, dialect }: ListRequest<ResourceListQuery>) =>
    listed('resources', await listResources(database, query), dialect),
  exceptionList: async (
    database: SeriesDatabase,
    { query, dialect, path, services }: ExceptionListRequest,
  ) => {
    const wire = wireOf(dialect)
    const known = new Map(services.map((service) => [service.id, service]))
    const exceptions = (await listExceptions(database, query)).map((one) =>
      toWireListed(one, { wire, service: known.get(one.serviceId), path }),
    )
    return listed('exceptions', exceptions, dialect)
  },
} satisfies Reads

function listed(key: string, list: unknown[], dialect: Dialect): Transfer<Uint8Array> {
  const around = dialect === 'geoserver' ? envelope({ key }) : {}
  return transferred(bytesOf(JSON.stringify({ ...around, [key]: list })))
}

function transferred(bytes: Uint8Array): Transfer<Uint8Array> {
  return new Transfer(bytes, [bytes.buffer as ArrayBuffer])
}
