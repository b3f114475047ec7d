import type { Dialect } from '../../../config/settings.ts'
import type { ServiceRecord } from '../../../monitoring/model/records.ts'
import type { ExceptionFilter, ListedException } from '../../../monitoring/query/exception-reads.ts'
import { listExceptions } from '../../../monitoring/query/exception-reads.ts'
import type { ListedLabel, ListQuery, ResourceListQuery } from '../../../monitoring/query/list-reads.ts'
import { listLabels, listResources } from '../../../monitoring/query/list-reads.ts'
import { readMetricData } from '../../../monitoring/query/metric-data.ts'
import type { NamedResource } from '../../../monitoring/query/names.ts'
import type { Reads } from '../../../monitoring/query/reads.ts'
import { written } from '../../../monitoring/query/reads.ts'
import { wireOf } from '../dialect.ts'
import { envelope } from '../envelope-shape.ts'
import { bytesOf } from './byte-text.ts'
import { toWireListed } from './exception-wire.ts'
import { writeMetricData } from './metric-data-writer.ts'

/** What a reader thread is asked for a list. */
interface ListRequest<T> {
  query: T
  dialect: Dialect
}

interface ExceptionListRequest extends ListRequest<ExceptionFilter> {
  /** Of the list, below which each has its details. */
  path: string
  services: readonly Pick<ServiceRecord, 'id' | 'name' | 'type'>[]
}

/** Reads whose answers are JSON already. */
export const metricDataReads = {
  metricData: written(readMetricData, writeMetricData),
  labels: written(listLabels, ({ dialect }: ListRequest<ListQuery>, found: ListedLabel[]) =>
    writeList('labels', found, dialect),
  ),
  resources: written(listResources, ({ dialect }: ListRequest<ResourceListQuery>, found: NamedResource[]) =>
    writeList('resources', found, dialect),
  ),
  exceptionList: written(listExceptions, writeExceptions),
} satisfies Reads

function writeExceptions(
  { dialect, path, services }: ExceptionListRequest,
  found: readonly ListedException[],
): Uint8Array {
  const wire = wireOf(dialect)
  const known = new Map(services.map((service) => [service.id, service]))
  const exceptions = found.map((one) => toWireListed(one, { wire, service: known.get(one.serviceId), path }))
  return writeList('exceptions', exceptions, dialect)
}

function writeList(key: string, list: readonly unknown[], dialect: Dialect): Uint8Array {
  const around = dialect === 'geoserver' ? envelope({ key }) : {}
  return bytesOf(JSON.stringify({ ...around, [key]: list }))
}
