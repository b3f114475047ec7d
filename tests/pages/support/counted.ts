import { join } from 'node:path'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { CaughtException, RequestEvent, Sample } from '../../../src/monitoring/series/request-event.ts'
import { createSeriesWriter } from '../../../src/monitoring/series/series-writer.ts'
import { fedLimits, requestAt, sampleAt } from '../../support/fed-monitoring.ts'
import type { PageServer } from './shown-pages.ts'
import { askServer } from './shown-pages.ts'

interface Service {
  id: number
  name: string
  type: string
}

/** Data to write: requests and readings of the server's own service. */
export interface Fed {
  requests: { time: number; more: Partial<RequestEvent> }[]
  exceptions?: Omit<CaughtException, 'serviceId'>[]
  /** Minutes in which the host was read. */
  readings?: number[]
}

/** The server may be writing for longer than SQLite waits on a busy machine; then nothing was written. */
async function onceFree<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (tries === 10 || !String(error).includes('database is locked')) throw error
    }
  }
}

/** Writes requests of the past with the series' own writer, while the server is running. */
export async function feedPast(
  server: PageServer,
  { requests, exceptions = [], readings = [] }: Fed,
): Promise<void> {
  const { services } = (await askServer(server, '/monitoring/api/services')) as { services: Service[] }
  const idOf = (type: string): number => services.find((one) => one.type === type)?.id ?? 0
  const writer = createSeriesWriter(
    await openSeriesDatabase({ path: join(server.folder, 'monitoring.sqlite') }),
    fedLimits,
  )
  try {
    const batch = {
      events: requests.map(({ time, more }) =>
        requestAt(new Date(time).toISOString(), { serviceId: idOf('app'), ...more }),
      ),
      exceptions: exceptions.map((one) => ({ ...one, serviceId: idOf('app') })),
      samples: readings.map(
        (time): Sample =>
          sampleAt(new Date(time).toISOString(), {
            serviceId: idOf('hostapp'),
            metric: 'uptime',
            label: 'value',
            value: 1000,
          }),
      ),
    }
    await onceFree(() => writer.append(batch))
    while ((await onceFree(() => writer.settle(Date.now()))).hasMore);
  } finally {
    await writer.close()
  }
}
