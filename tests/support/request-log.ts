import { join } from 'node:path'
import type { RequestColumn } from '../../src/monitoring/metrics/requests/request-metric.ts'
import { pagesOffset } from '../../src/monitoring/model/service-types.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import { decodeRequests } from '../../src/monitoring/series/request-block.ts'
import type { UsedResource } from '../../src/monitoring/series/request-event.ts'
import type { SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import type { TestApp } from './app.ts'

/** Request as the log stores it; texts by the names of `RequestEvent`. */
export interface LoggedRequest {
  serviceId: number
  eventType: string | null
  status: number
  sizeBytes: number
  milliseconds: number
  resources: UsedResource[]
  texts: Record<string, string | null>
}

/** The request log of a server on SQLite. */
export function requestLogOf(app: TestApp): Promise<LoggedRequest[]> {
  return readRequestLog({ path: join(app.dataDir, 'monitoring.sqlite') })
}

/** Every request in the log once, in the order of batches. */
export async function readRequestLog(place: SeriesLocation): Promise<LoggedRequest[]> {
  const database = await openSeriesDatabase(place, { isReader: true })
  try {
    const rows = await database.all<{ serviceId: number; data: Uint8Array }>(
      `select service_id as "serviceId", data from monitoring_requests where service_id < ${pagesOffset} order by id`,
    )
    return rows.flatMap(({ serviceId, data }) => unpack(serviceId, data))
  } finally {
    await database.close()
  }
}

function unpack(serviceId: number, data: Uint8Array): LoggedRequest[] {
  const block = decodeRequests(data)
  return Array.from({ length: block.count }, (_, at) => ({
    serviceId,
    eventType: valueAt(block.eventTypes, at),
    status: valueAt(block.statuses, at),
    sizeBytes: block.sizes[at] ?? 0,
    milliseconds: block.milliseconds[at] ?? 0,
    resources: valueAt(block.resources, at),
    texts: Object.fromEntries(
      Object.entries(block.texts).map(([name, column]) => [name, valueAt(column, at)]),
    ),
  }))
}

function valueAt<T>({ values, indexes }: RequestColumn<T>, at: number): T {
  return values[indexes?.[at] ?? 0] as T
}
