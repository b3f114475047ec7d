import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createHostCollector } from '../../src/monitoring/collect/hosts/host-collector.ts'
import type { CollectedSource } from '../../src/monitoring/collect/service-collector.ts'
import { metricNamed } from '../../src/monitoring/metrics/metrics.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { SeriesDatabase, SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import { testCluster } from './postgres.ts'
import { temporaryData } from './terrane-process.ts'
import { patienceMs } from './until.ts'

export const seriesKinds = ['sqlite', 'postgres'] as const

/** A place for the series of a test's own. */
export async function seriesPlace(
  test: TestContext,
  kind: (typeof seriesKinds)[number],
): Promise<SeriesLocation> {
  if (kind === 'sqlite') return { path: join(temporaryData(test), 'monitoring.sqlite') }
  const cluster = await testCluster()
  const url = await cluster.createDatabase()
  test.after(() => cluster.dropDatabase(url))
  return { url }
}

export interface HostWatch {
  /** Reads the host as if it were that moment. */
  collect(now: number, signal?: AbortSignal): Promise<void>
  /** The rows of a metric, oldest minute first. */
  rows(metric: string): Promise<HostRow[]>
  close(): Promise<void>
}

interface HostRow {
  /** Seconds since 1970. */
  period: number
  label: string
  sum: number
}

/** Watches a host as the collector thread does, with the real writer. */
export async function watchHost(place: SeriesLocation, source: CollectedSource): Promise<HostWatch> {
  const database = await openSeriesDatabase(place)
  const writer = createSeriesWriter(database, { labels: 100, visitors: 10_000, resources: 500 })
  const type = source.kind === 'own' ? 'hostapp' : 'hostmapserver'
  const service = { id: 7, name: 'host', type, url: '', checkIntervalSeconds: 60, source } as const
  const collector = createHostCollector(service, { writer })
  if (collector === undefined) throw new Error(`Nothing collects ${source.kind}`)
  return {
    async collect(now, signal = AbortSignal.timeout(patienceMs)) {
      await collector.collect(now, signal)
    },
    rows: (metric) => readRows(database, metric),
    async close() {
      await collector.close()
      await writer.close()
    },
  }
}

function readRows(database: SeriesDatabase, metric: string): Promise<HostRow[]> {
  return database.all<HostRow>(
    `select period, name as label, sum from monitoring_minutes
       join monitoring_series on monitoring_series.id = series_id
       join monitoring_labels on monitoring_labels.id = label_id
     where service_id = 7 and metric_id = ? and is_total = 0 order by period, name`,
    [metricNamed(metric).id],
  )
}
