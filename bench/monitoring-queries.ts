import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MetricDataRequest } from '../src/http/monitoring/metric-data-writer.ts'
import { silentLogger } from '../src/lib/logger.ts'
import { alignWindow } from '../src/monitoring/query/align-window.ts'
import type { Grouping } from '../src/monitoring/query/grouping.ts'
import { groupings } from '../src/monitoring/query/grouping.ts'
import { SeriesReader } from '../src/monitoring/query/series-reader.ts'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import type { SeriesPlace } from '../src/monitoring/series/series-database.ts'
import { fillYear, sizeOf, yearEnd, yearStart } from './monitoring-year.ts'
import type { SmallResult } from './report.ts'

const entry = new URL('../src/http/monitoring/reader-thread.ts', import.meta.url)
const rounds = 20
const daySeconds = 86_400
/** A day by minutes where each of 100 labels has a row: 144,000 rows. */
const manyRowsMilliseconds = 100
const longestBlockMilliseconds = 20

interface Asked {
  name: string
  metric: string
  grouping?: Grouping
  window: { validFrom: number; validTo: number; intervalSeconds: number }
  wantedMilliseconds: number
}

const year = { validFrom: yearStart * 1000, validTo: yearEnd * 1000, intervalSeconds: daySeconds }
const oneDay = { validFrom: (yearEnd - daySeconds) * 1000, validTo: yearEnd * 1000, intervalSeconds: 60 }

function listAsked(): Asked[] {
  const both = (metric: string, grouping: Grouping | undefined, dayMilliseconds = 30): Asked[] => {
    const named = `${metric} ${grouping ?? 'by label'}`
    const grouped = grouping === undefined ? { metric } : { metric, grouping }
    return [
      { ...grouped, name: `${named}, a year by days`, window: year, wantedMilliseconds: 100 },
      { ...grouped, name: `${named}, a day by minutes`, window: oneDay, wantedMilliseconds: dayMilliseconds },
    ]
  }
  return [
    ...both('request.path', undefined, manyRowsMilliseconds),
    ...both('request.count', undefined),
    ...both('response.time', undefined),
    ...both('request.count', 'resource', manyRowsMilliseconds),
    ...groupings.filter((one) => one !== 'resource').flatMap((one) => both('request.path', one)),
  ]
}

/** Metric data of a year on both databases: the 95th of a hundred answers of each grouping. */
export async function runMonitoringQueries(databaseUrl: URL, only = ''): Promise<SmallResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  try {
    return [
      ...(await runOn('SQLite', { path: join(folder, 'monitoring.sqlite') }, only)),
      ...(await runOn('PostgreSQL', { url: databaseUrl.href }, only)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runOn(name: string, place: SeriesPlace, only: string): Promise<SmallResult[]> {
  const database = await openSeriesDatabase(place)
  const reader = new SeriesReader({ place, entry, log: silentLogger })
  try {
    const rows = await fillYear(database)
    const megabytes = Math.round((await sizeOf(database)) / 2 ** 20)
    console.log(`${name}: a year has ${rows.toLocaleString('en')} rows in ${megabytes} MB`)
    const results: SmallResult[] = []
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    for (const asked of listAsked().filter((one) => one.name.includes(only))) {
      const result = await time(reader, asked)
      results.push({ ...result, name: `${name}: ${result.name}` })
      console.log(`${name}: ${result.name}: ${result.milliseconds.toFixed(1)} (${asked.wantedMilliseconds})`)
    }
    delay.disable()
    const blocked = { name: `${name}: longest wait of the event loop`, milliseconds: delay.max / 1e6 }
    return [...results, { ...blocked, wantedMilliseconds: longestBlockMilliseconds }]
  } finally {
    await reader.close()
    await database.close()
    console.log(`${name}: at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB of memory`)
  }
}

async function time(reader: SeriesReader, { name, metric, grouping, ...asked }: Asked): Promise<SmallResult> {
  const window = alignWindow(asked.window, { now: yearEnd * 1000 })
  if (!('count' in window)) throw new Error(`${name}: ${window.refusal}`)
  const request: MetricDataRequest = {
    query: { metric, window, ...(grouping === undefined ? {} : { grouping }) },
    ...{ dialect: 'contract', base: '' },
  }
  const times: number[] = []
  let bytes = 0
  for (let round = -3; round < rounds; round += 1) {
    const start = performance.now()
    bytes = (await reader.read<Uint8Array>('metricData', request)).byteLength
    if (round >= 0) times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const milliseconds = times[Math.floor(rounds * 0.95)] ?? 0
  return {
    name: `${name} (${(bytes / 1e6).toFixed(1)} MB)`,
    milliseconds,
    wantedMilliseconds: asked.wantedMilliseconds,
  }
}
