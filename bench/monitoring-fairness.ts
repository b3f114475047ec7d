import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricDataRequest } from '../src/api/rest/monitoring/metrics/metric-data-writer.ts'
import type { SeriesReads } from '../src/api/rest/monitoring/metrics/reader-thread.ts'
import type { AlertReads } from '../src/monitoring/alert-thread.ts'
import { SeriesReader } from '../src/monitoring/query/series-reader.ts'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import type { SeriesLocation } from '../src/monitoring/series/series-database.ts'
import { writeVisitors } from '../tests/support/many-visitors.ts'
import { silentLogger } from '../tests/support/silent-logger.ts'
import { quantile } from './quantile.ts'
import type { SmallResult } from './report.ts'

const from = Date.UTC(2026, 10, 21, 6) / 1000
const serviceId = 1
/** Six hours with 180,000 visitors. */
const visitors = { serviceId, from, minutes: 360, visitorsPerMinute: 500, layersOfVisitor: 2, layers: 20 }
const heavyCount = 4
const rounds = 30
const targetMilliseconds = 500
/** From the start of a heavy query to the error that refuses it. */
const refusedMilliseconds = 50
const maxRows = 2_000_000

/**
 * Measures light metric data queries, values of alerts and rejections while one user runs four heavy queries,
 * on both databases.
 */
export async function runFairness(databaseUrl: URL): Promise<SmallResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  try {
    return [
      ...(await runOn('SQLite', { path: join(folder, 'monitoring.sqlite') })),
      ...(await runOn('PostgreSQL', { url: databaseUrl.href })),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runOn(database: string, location: SeriesLocation): Promise<SmallResult[]> {
  const series = await openSeriesDatabase(location)
  const rows = await writeVisitors(series, visitors)
  await series.close()
  const common = { location, log: silentLogger, maxRows }
  const reader = new SeriesReader<SeriesReads>({
    ...common,
    entry: entryOf('http/monitoring/counted/reader-thread.ts'),
  })
  const alerts = new SeriesReader<AlertReads>({
    ...common,
    entry: entryOf('monitoring/alert-thread.ts'),
    heavyThreads: 0,
    lightThreads: 1,
    keptThreads: 1,
  })
  const small = new SeriesReader<SeriesReads>({
    ...common,
    entry: entryOf('http/monitoring/counted/reader-thread.ts'),
    maxRows: rows - 1,
  })
  const value = { metric: 'request.users', serviceIds: [serviceId], from, to: from + 600 }
  const askLight = (owner: string) => () => answer(reader, request('label'), owner)
  const askAlert = () => alerts.read('metricValue', value)
  const askTooMuch = () => answer(small, request('resource'), 'third').catch(() => undefined)
  try {
    for (const start of [askLight('one'), askAlert, askTooMuch]) await start()
    const alone = await time(askLight('one'))
    const load = new HeavyLoad(reader)
    const found = {
      'light metric_data of the same user': await time(askLight('one')),
      'light metric_data of another user': await time(askLight('other')),
      'value of an alert': await time(askAlert),
    }
    const refused = await time(askTooMuch)
    const heavy = await load.end()
    console.log(
      `${database}: ${rows} rows a heavy answer; a light one alone ${alone.toFixed(1)} ms; ${heavy} heavy answers meanwhile`,
    )
    return [
      ...Object.entries(found).map(([name, milliseconds]) => ({ name, milliseconds, targetMilliseconds })),
      {
        name: 'refusal of too large an answer',
        milliseconds: refused,
        targetMilliseconds: refusedMilliseconds,
      },
    ].map((one) => ({ ...one, name: `${one.name} beside ${heavyCount} heavy queries (${database}, p95)` }))
  } finally {
    await Promise.all([reader.close(), alerts.close(), small.close()])
  }
}

/** Heavy queries of one user; each is sent again after its response. */
class HeavyLoad {
  readonly #abort = new AbortController()
  readonly #all: Promise<void>[]
  #answers = 0

  constructor(reader: SeriesReader<SeriesReads>) {
    this.#all = Array.from({ length: heavyCount }, async () => {
      while (!this.#abort.signal.aborted) {
        await answer(reader, request('resource'), 'one', this.#abort.signal).catch(() => undefined)
        if (!this.#abort.signal.aborted) this.#answers += 1
      }
    })
  }

  /** Returns the number of responses. */
  async end(): Promise<number> {
    this.#abort.abort(new Error('The measurement is over'))
    await Promise.all(this.#all)
    return this.#answers
  }
}

function request(grouping: 'label' | 'resource'): MetricDataRequest {
  const { minutes } = visitors
  // The light query reads the totals of a minute.
  const count = grouping === 'label' ? 10 : minutes
  const window = { from: from * 1000, to: (from + count * 60) * 1000, intervalSeconds: 60, count }
  return { query: { metric: 'request.users', window, grouping }, dialect: 'contract', base: '' }
}

async function answer(
  reader: SeriesReader<SeriesReads>,
  request: MetricDataRequest,
  owner: string,
  signal?: AbortSignal,
): Promise<void> {
  for await (const _part of reader.stream('metricData', request, { owner, signal }));
}

/** The 95th percentile of the milliseconds that it takes. */
async function time(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return quantile(times, 0.95)
}

function entryOf(path: string): URL {
  return new URL(`../src/${path}`, import.meta.url)
}
