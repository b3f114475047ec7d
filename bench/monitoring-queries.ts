import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricDataRequest } from '../src/api/rest/monitoring/metrics/metric-data-writer.ts'
import type { SeriesReads } from '../src/api/rest/monitoring/metrics/reader-thread.ts'
import { defined } from '../src/core/values/defined.ts'
import { alignWindow } from '../src/monitoring/query/align-window.ts'
import type { Grouping } from '../src/monitoring/query/grouping.ts'
import { groupings } from '../src/monitoring/query/grouping.ts'
import { SeriesReader } from '../src/monitoring/query/series-reader.ts'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import type { SeriesLocation } from '../src/monitoring/series/series-database.ts'
import { silentLogger } from '../tests/support/silent-logger.ts'
import { LoopWatch } from './loop-watch.ts'
import type { YearSize } from './monitoring-year.ts'
import { fillYear, sizeOf, yearEnd, yearStart } from './monitoring-year.ts'
import { quantile } from './quantile.ts'
import type { QueryResult, SmallResult } from './report.ts'
import { queryLine } from './report.ts'

const entry = new URL('../src/api/rest/monitoring/metrics/reader-thread.ts', import.meta.url)
const rounds = 30
const daySeconds = 86_400
/** A day by minutes where each of 100 labels has a row: 144,000 rows. */
const manyRowsMilliseconds = 100
const longestBlockMilliseconds = 20

interface QueryCase {
  name: string
  metric: string
  grouping?: Grouping
  window: { validFrom: number; validTo: number; intervalSeconds: number }
  targetMilliseconds: number
}

const year = { validFrom: yearStart * 1000, validTo: yearEnd * 1000, intervalSeconds: daySeconds }
const oneDay = { validFrom: (yearEnd - daySeconds) * 1000, validTo: yearEnd * 1000, intervalSeconds: 60 }

function listRequested(): QueryCase[] {
  const both = (metric: string, grouping: Grouping | undefined, dayMilliseconds = 30): QueryCase[] => {
    const named = `${metric} ${grouping ?? 'by label'}`
    const grouped = grouping === undefined ? { metric } : { metric, grouping }
    return [
      { ...grouped, name: `${named}, a year by days`, window: year, targetMilliseconds: 100 },
      { ...grouped, name: `${named}, a day by minutes`, window: oneDay, targetMilliseconds: dayMilliseconds },
    ]
  }
  return [
    ...both('request.path', undefined, manyRowsMilliseconds),
    ...both('request.count', undefined),
    ...both('response.time', undefined),
    ...both('request.count', 'resource'),
    ...groupings.filter((one) => one !== 'resource').flatMap((one) => both('request.path', one)),
  ]
}

export interface YearResults {
  queries: QueryResult[]
  others: SmallResult[]
  /** Disk space and memory that a year of metrics takes. */
  sizes: string[]
}

/**
 * Measures metric data of a year on both databases, in each grouping. The queries run in the thread that a
 * server uses.
 */
export async function runMonitoringQueries(databaseUrl: URL, only = ''): Promise<YearResults> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  try {
    const both = [
      await runOn('SQLite', { path: join(folder, 'monitoring.sqlite') }, only),
      await runOn('PostgreSQL', { url: databaseUrl.href }, only),
    ]
    return {
      queries: both.flatMap(({ queries }) => queries),
      others: both.flatMap(({ others }) => others),
      sizes: both.flatMap(({ sizes }) => sizes),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runOn(name: string, location: SeriesLocation, only: string): Promise<YearResults> {
  const database = await openSeriesDatabase(location)
  const reader = new SeriesReader<SeriesReads>({ location, entry, log: silentLogger, maxRows: 2_000_000 })
  try {
    const rows = await fillYear(database)
    const size = await sizeOf(database)
    const watch = new LoopWatch()
    const queries: QueryResult[] = []
    for (const queryCase of listRequested().filter((one) => one.name.includes(only))) {
      const result = await time(reader, { ...queryCase, name: `${name}: ${queryCase.name}` })
      queries.push(result)
      console.log(queryLine(result))
    }
    const { longestWaitMilliseconds, longestWorkMilliseconds } = watch.stop()
    const loop = `event loop of the main thread during queries (${name})`
    return {
      queries,
      others: [
        { name: `longest wait of the ${loop}`, milliseconds: longestWaitMilliseconds },
        { name: `longest work of the ${loop}`, milliseconds: longestWorkMilliseconds },
      ].map((one) => ({ ...one, targetMilliseconds: longestBlockMilliseconds })),
      sizes: [sizeText(name, rows, size)],
    }
  } finally {
    await reader.close()
    await database.close()
  }
}

/** A small database of metrics with the thread that answers queries. */
interface OpenYear {
  reader: SeriesReader<SeriesReads>
  close(): Promise<void>
}

/** Fills a database and starts the thread that answers queries. The caller must call `close()`. */
export async function openYear(location: SeriesLocation, size: YearSize): Promise<OpenYear> {
  const database = await openSeriesDatabase(location)
  await fillYear(database, size)
  await database.close()
  const reader = new SeriesReader<SeriesReads>({ location, entry, log: silentLogger, maxRows: 2_000_000 })
  return { reader, close: () => reader.close() }
}

/** Returns the median milliseconds of a query by its name. */
export async function timeQuery({ reader }: OpenYear, name: string): Promise<number> {
  const queryCase = listRequested().find((one) => one.name === name)
  if (queryCase === undefined) throw new Error(`There is no query "${name}"`)
  return (await time(reader, queryCase)).median
}

function sizeText(name: string, rows: number, size: number): string {
  const megabytes = Math.round(size / 2 ** 20)
  const memory = Math.round(process.resourceUsage().maxRSS / 1024)
  return `${name}: ${rows.toLocaleString('en')} rows in ${megabytes} MB on disk; the process that asked them held at most ${memory} MB`
}

async function time(
  reader: SeriesReader<SeriesReads>,
  { name, metric, grouping, targetMilliseconds, ...requested }: QueryCase,
): Promise<QueryResult> {
  const window = alignWindow(requested.window, { now: yearEnd * 1000 })
  if (!('count' in window)) throw new Error(`${name}: ${window.refusal}`)
  const request: MetricDataRequest = {
    query: { metric, window, ...defined({ grouping }) },
    dialect: 'contract',
    base: '',
  }
  const times: number[] = []
  const worked: number[] = []
  let bytes = 0
  for (let round = -3; round < rounds; round += 1) {
    const [start, used] = [performance.now(), process.cpuUsage()]
    bytes = 0
    for await (const part of reader.stream('metricData', request)) bytes += part.bytes.byteLength
    const { user, system } = process.cpuUsage(used)
    if (round < 0) continue
    times.push(performance.now() - start)
    worked.push((user + system) / 1000)
  }
  return {
    name,
    megabytes: bytes / 1e6,
    targetMilliseconds,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    processor: quantile(worked, 0.5),
  }
}
