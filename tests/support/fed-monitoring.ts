import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { SeriesLimits } from '../../src/core/config/monitoring-settings.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'
import type { Batch } from '../../src/monitoring/series/series.ts'
import type { SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import type { TestApp } from './app.ts'
import { fixedClock } from './fixed-clock.ts'
import type { MonitoringClient } from './monitoring-client.ts'
import { startMonitoring } from './monitoring-client.ts'

export const fedLimits: SeriesLimits = { labels: 100, visitors: 10_000, resources: 500 }

/** Server that monitors with a fixed clock, and ids of its services by type. */
export interface FedMonitoring extends MonitoringClient {
  clock: ReturnType<typeof fixedClock>
  services: Record<'app' | 'mapserver' | 'hostapp', number>
  /** Has the series' own writer take what happened, and compute it. */
  feed(batch: Batch, limits?: SeriesLimits): Promise<void>
}

export async function startFed(
  test: Pick<TestContext, 'after'>,
  env: Record<string, string> = {},
  now = '2026-11-21T12:34:56.789Z',
): Promise<FedMonitoring> {
  const clock = fixedClock(now)
  const client = await startMonitoring(test, { clock, env })
  const known = await client.server.services.list()
  const idOf = (type: string): number => known.find((one) => one.type === type)?.id ?? 0
  return {
    ...client,
    clock,
    services: { app: idOf('app'), mapserver: idOf('mapserver'), hostapp: idOf('hostapp') },
    feed: (batch, limits = fedLimits) => feed(client.server, batch, { limits, now: clock.now().getTime() }),
  }
}

/** Returns the location of a server's series database. */
export function placeOf({ settings, dataDir }: TestApp): SeriesLocation {
  return settings.databaseUrl === undefined
    ? { path: join(dataDir, 'monitoring.sqlite') }
    : { url: settings.databaseUrl.reveal() }
}

async function feed(
  server: TestApp,
  batch: Batch,
  { limits, now }: { limits: SeriesLimits; now: number },
): Promise<void> {
  const writer = createSeriesWriter(await openSeriesDatabase(placeOf(server)), limits)
  try {
    await writer.append(batch)
    while ((await writer.settle(now)).hasMore);
  } finally {
    await writer.close()
  }
}

/** A request that has nothing in particular. */
export function requestAt(time: string, more: Partial<RequestEvent> & { serviceId: number }): RequestEvent {
  return {
    created: Date.parse(time),
    eventType: 'view',
    method: 'GET',
    path: '/somewhere',
    host: 'maps.example.org',
    status: 200,
    sizeBytes: 100,
    milliseconds: 10,
    contentType: null,
    userAgent: null,
    userAgentFamily: null,
    clientIp: null,
    country: null,
    region: null,
    city: null,
    latitude: null,
    longitude: null,
    visitor: null,
    userName: null,
    resources: [],
    errorType: null,
    ...more,
  }
}

export function sampleAt(time: string, more: Omit<Sample, 'created'>): Sample {
  return { created: Date.parse(time), ...more }
}
