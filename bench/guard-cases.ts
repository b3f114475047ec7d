import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { quoteIdentifier } from '../src/core/postgres/quote.ts'
import { metricNamed } from '../src/monitoring/metrics/metrics.ts'
import { eventTypeId } from '../src/monitoring/model/event-types.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import type { LoadCase } from './cases.ts'
import { loadCases } from './cases.ts'
import { timeCopyLimit } from './copy-limit.ts'
import { dataFile } from './data.ts'
import { publish } from './items.ts'
import { createStore, timeLoad } from './load.ts'
import { accessLog, millisecondsSince, timeBackfill } from './monitoring-backfill.ts'
import { openYear, timeQuery } from './monitoring-queries.ts'
import { yearEnd, yearStart } from './monitoring-year.ts'
import { timePeer } from './peer.ts'
import { quantile } from './quantile.ts'
import type { BenchServer } from './server.ts'
import { startBenchServer } from './server.ts'
import { askOnce } from './tiles/ask-tiles.ts'
import type { MvtPeer } from './tiles/mvt-peer.ts'
import { startMvtPeer } from './tiles/mvt-peer.ts'
import { tilesWithin } from './tiles/tile-addresses.ts'
import { regions, tileDataFile } from './tiles/tile-data.ts'

const loadRows = { points: 100_000, polygons: 50_000 }
const loadRounds = 3
const tileRows = 50_000
const tileZoom = 14
const tileCount = 200
const warmTileCount = 400
const pageSize = 1000
const pageRounds = 40
const warmRounds = 10
const logLines = 20_000
const logHours = 1
const smallYear = { labels: 10, resources: 5 }
const queryRounds = 30
const metric = 'request.path'
const daySeconds = 86_400

/** A case of the guard: median milliseconds of Terrane and of its peer in the same run. */
interface GuardCase {
  name: string
  ours: number
  peer: number
}

/** Measures all cases one after the other; takes about two minutes once the data files exist. */
export async function* measureRatios(folder: string): AsyncGenerator<GuardCase> {
  const cluster = await startPostgres({ isDurable: true })
  try {
    const newDatabase = async (): Promise<URL> => new URL(await cluster.createDatabase())
    yield* measureLoads(folder, await newDatabase())
    yield* measureReads(folder, await newDatabase())
  } finally {
    await cluster.stop()
  }
  yield* measureMetrics()
  yield await measureBackfill(folder)
}

async function* measureLoads(folder: string, databaseUrl: URL): AsyncGenerator<GuardCase> {
  const cases = loadCases.filter(({ name }) =>
    /^(points|polygons)-shapefile-(postgis|geopackage)$/.test(name),
  )
  for (const one of cases) {
    const server = await startBenchServer(folder)
    try {
      await createStore(server.client, one.target, databaseUrl)
      yield* measureLoad(server, one, { folder, databaseUrl })
    } finally {
      await server.stop()
    }
  }
}

async function* measureLoad(
  { client }: BenchServer,
  one: LoadCase,
  { folder, databaseUrl }: { folder: string; databaseUrl: URL },
): AsyncGenerator<GuardCase> {
  const file = await dataFile(folder, one.dataset, one.kind, loadRows[one.dataset])
  // The first load starts the worker and compiles its code.
  await timeLoad(client, one, file)
  const [ours, peer, limit]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < loadRounds; round += 1) {
    ours.push(1000 * (await timeLoad(client, one, file)))
    peer.push(1000 * (await timePeer(one, file, databaseUrl, folder)))
    if (one.target === 'PostGIS') limit.push(1000 * (await timeCopyLimit(file, databaseUrl)))
  }
  const name = `${one.dataset}, Shapefile to ${one.target}`
  yield { name: `${name}, ogr2ogr`, ours: quantile(ours, 0.5), peer: quantile(peer, 0.5) }
  if (limit.length === 0) return
  yield { name: `${name}, limit of COPY`, ours: quantile(ours, 0.5), peer: quantile(limit, 0.5) }
}

async function* measureReads(folder: string, databaseUrl: URL): AsyncGenerator<GuardCase> {
  const file = await tileDataFile(folder, 'polygons', tileRows)
  const server = await startBenchServer(folder)
  const peer = await startMvtPeer(databaseUrl, 1)
  try {
    // Map viewers usually send no credentials; checking them would add to each request.
    await server.client.put('/rest/workspaces/default', { workspace: { public: true } })
    await createStore(server.client, 'PostGIS', databaseUrl)
    const layer = await publish(server.client, file)
    yield await measureTiles(server, peer, layer)
    yield await measureItems(server, databaseUrl, layer)
  } finally {
    peer.stop()
    await server.stop()
  }
}

async function measureTiles({ url }: BenchServer, peer: MvtPeer, layer: string): Promise<GuardCase> {
  const tiles = tilesWithin(regions.polygons, tileZoom, tileCount + warmTileCount)
  const ourUrls = tiles.map(({ z, x, y }) => `${url}/tiles/default:${layer}/${z}/${x}/${y}.mvt`)
  const peerUrls = tiles.map((tile) => peer.tileUrl(layer, 4326, tile))
  for (const urls of [ourUrls, peerUrls]) await askOnce(urls.slice(tileCount))
  const peers = await askOnce(peerUrls.slice(0, tileCount))
  const ours = await askOnce(ourUrls.slice(0, tileCount))
  if (ours.failed + peers.failed > 0) throw new Error('A tile was not answered')
  return { name: `new tile z${tileZoom}, PostGIS, ST_AsMVT`, ours: ours.median, peer: peers.median }
}

/** Compares a page of features with the SQL query that returns the same rows as GeoJSON. */
async function measureItems({ url }: BenchServer, databaseUrl: URL, layer: string): Promise<GuardCase> {
  const address = `${url}/ogc/collections/default:${layer}/items?limit=${pageSize}`
  const client = new Client({ connectionString: databaseUrl.href })
  await client.connect()
  try {
    const text = `select ST_AsGeoJSON(page) as feature from (select * from ${quoteIdentifier(layer)} order by fid limit $1) as page`
    const readRows = async (): Promise<void> => {
      const { rows } = await client.query<{ feature: string }>({ name: 'page', text, values: [pageSize] })
      const page = `{"type":"FeatureCollection","features":[${rows.map(({ feature }) => feature).join()}]}`
      if (Buffer.byteLength(page) < pageSize) throw new Error('The page has no rows')
    }
    const peer: number[] = []
    for (let round = -warmRounds; round < pageRounds; round += 1) {
      const milliseconds = await timeOf(readRows)
      if (round >= 0) peer.push(milliseconds)
    }
    const askPages = (count: number) => askOnce(Array.from({ length: count }, () => address))
    await askPages(warmRounds)
    const { median: ours, failed } = await askPages(pageRounds)
    if (failed > 0) throw new Error('A page of features was not answered')
    const name = `${pageSize.toLocaleString('en')} items, PostGIS, plain query`
    return { name, ours, peer: quantile(peer, 0.5) }
  } finally {
    await client.end()
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Compares `metric_data` with a plain query that reads the stored rows of the same metric. */
async function* measureMetrics(): AsyncGenerator<GuardCase> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-guard-'))
  const path = join(folder, 'monitoring.sqlite')
  const year = await openYear({ path }, smallYear)
  try {
    const windows = [
      { window: 'a year by days', table: 'monitoring_days', from: yearStart },
      { window: 'a day by minutes', table: 'monitoring_minutes', from: yearEnd - daySeconds },
    ]
    for (const { window, table, from } of windows) {
      const ours = await timeQuery(year, `${metric} by label, ${window}`)
      yield { name: `metric_data, ${window}, plain query`, ours, peer: timePlainQuery(path, table, from) }
    }
  } finally {
    await year.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function timePlainQuery(path: string, table: string, from: number): number {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const statement = database.prepare(
      `select d.period, l.name, d.sum, d.min, d.max, d.samples, d.count from monitoring_series s
       join ${table} d on d.series_id = s.id join monitoring_labels l on l.id = d.label_id
       where s.metric_id = ? and s.event_type = ? and s.is_total = 0 and s.resource_id = 0 and d.period >= ?
       order by d.period, l.name`,
    )
    const times: number[] = []
    for (let round = 0; round < queryRounds; round += 1) {
      const start = performance.now()
      const text = JSON.stringify(statement.all(metricNamed(metric).id, eventTypeId('all'), from))
      if (text.length < queryRounds) throw new Error('The query found no rows')
      times.push(performance.now() - start)
    }
    return quantile(times, 0.5)
  } finally {
    database.close()
  }
}

/** Compares the processor time of a back-fill with that of a script that counts requests per minute and status. */
async function measureBackfill(folder: string): Promise<GuardCase> {
  const path = await accessLog(folder, logLines, logHours)
  const { collecting, computing } = await timeBackfill(path)
  const name = `back-fill of ${logLines.toLocaleString('en')} lines, counting script`
  return { name, ours: collecting + computing, peer: timeCountingScript(path) }
}

function timeCountingScript(path: string): number {
  const line = /^(\S+) \S+ \S+ \[([^:]+:\d+:\d+):[^\]]+\] "(\S+) ([^"]*)" (\d+) (\d+)/
  const used = process.cpuUsage()
  const counts = new Map<string, number>()
  const clients = new Map<string, Set<string>>()
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    const [, client = '', minute = '', , , status = ''] = line.exec(text) ?? []
    const key = `${minute} ${status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const seen = clients.get(minute) ?? new Set()
    clients.set(minute, seen.add(client))
  }
  if (counts.size < 2) throw new Error('The script counted nothing')
  return millisecondsSince(used)
}
