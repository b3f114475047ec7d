import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readImport, readTasks } from '../../src/cli/import-views.ts'
import { fewFeatures } from '../../src/tiles/generalize/layer-generalization.ts'
import type { Target } from '../cases.ts'
import { targets } from '../cases.ts'
import { loadRequests } from '../request-load.ts'
import type { BenchServer } from '../server.ts'
import { startBenchServer } from '../server.ts'
import type { CachedResult } from './ask-cached.ts'
import { askCached } from './ask-cached.ts'
import type { RequestTimes } from './ask-tiles.ts'
import { askOnce } from './ask-tiles.ts'
import type { MapServerResult } from './map-server-tiles.ts'
import { askMapServer } from './map-server-tiles.ts'
import type { MvtPeer } from './mvt-peer.ts'
import { startMvtPeer } from './mvt-peer.ts'
import { tilesWithin } from './tile-addresses.ts'
import type { TileDataset } from './tile-data.ts'
import { fullTileRows, regions, tileDataFile, tileDatasets, tileGeoPackage } from './tile-data.ts'

const crsCodes = [4326, 3857, 25832] as const
const connections = 8
const everyZoom = [8, 9, 10, 11, 12, 13, 14, 15, 16]
const fewZooms = [12, 14, 16]
/** Zooms at which many connections ask. */
const crowdedZooms = new Set([12, 14, 16])
const patienceMs = 180_000

/** The same tiles from our server and from `ST_AsMVT`, each requested once. */
export interface TileResult {
  dataset: TileDataset
  crs: number
  target: Target
  z: number
  connections: number
  ours: RequestTimes
  peer: RequestTimes
}

export interface TilesResults {
  tiles: TileResult[]
  cached: CachedResult[]
  mapServer: MapServerResult[]
}

export interface TilesOptions {
  /** Part of the rows of a whole run; default 1. */
  share?: number
  /** Datasets, codes of CRS and stores that are taken, as parts of `polygons-4326-PostGIS`; default all. */
  only?: string
}

interface TileRun {
  server: BenchServer
  peer: MvtPeer
  folder: string
  databaseUrl: URL
  share: number
  /** The server's data directory. */
  data: string
}

/** Maximum number of tiles requested per zoom, by one connection and by many. */
const mostRequested = 2200
/** Warm-up: other tiles that both sides serve first, since V8 compiles the code step by step. */
const warmTiles = 6000
const warmZoom = 15
/** So many and some more begin a row file. */
const rowFileTiles = 30

/** Compares vector tiles with `ST_AsMVT` and MapServer on the same data, and cached tiles with `/health`. */
export async function runTiles(
  folder: string,
  databaseUrl: URL,
  { share = 1, only = '' }: TilesOptions = {},
): Promise<TilesResults> {
  mkdirSync(folder, { recursive: true })
  const data = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  const server = await startBenchServer(folder, { data })
  const peer = await startMvtPeer(databaseUrl, connections)
  const place = { server, peer, folder, databaseUrl, share, data }
  const results: TilesResults = { tiles: [], cached: [], mapServer: [] }
  try {
    // Map viewers usually send no credentials; checking them would add to each request.
    await server.client.put('/rest/workspaces/default', { workspace: { public: true } })
    for (const target of targets) await makeStore(server, target, databaseUrl)
    for (const dataset of tileDatasets) {
      for (const crs of crsCodes) {
        if (!targets.some((target) => `${dataset}-${crs}-${target}`.includes(only))) continue
        results.tiles.push(...(await compareOne(place, dataset, crs, only)))
      }
      if (dataset === 'lines' || !`${dataset}-mapserver`.includes(only)) continue
      results.mapServer.push(...(await askTheirs(place, dataset)))
    }
    if ('cached'.includes(only)) results.cached.push(...(await askKept(place)))
    return results
  } finally {
    peer.stop()
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function makeStore({ client }: BenchServer, target: Target, url: URL): Promise<void> {
  const parameters = {
    host: url.hostname,
    port: url.port,
    database: url.pathname.slice(1),
    schema: 'public',
    user: url.username,
    passwd: url.password,
  }
  const connectionParameters = target === 'PostGIS' ? parameters : {}
  await client.post('/rest/workspaces/default/datastores', {
    dataStore: { name: target.toLowerCase(), type: target, connectionParameters },
  })
}

const rowsOf = (dataset: TileDataset, share: number): number =>
  Math.max(100, Math.round(fullTileRows[dataset] * share))

/** Loads the data in the CRS; gives the name of the layer, which the table has too. */
async function publish(
  { server: { client }, folder, share }: TileRun,
  dataset: TileDataset,
  crs: number,
  target: Target,
): Promise<string> {
  const source = await tileDataFile(folder, dataset, rowsOf(dataset, share))
  const name = `${dataset}_${crs}_${target.toLowerCase()}`
  const file = join(folder, `${name}.geojson`)
  rmSync(file, { force: true })
  linkSync(source, file)
  const transforms = crs === 4326 ? [] : [{ type: 'ReprojectTransform', target: `EPSG:${crs}` }]
  try {
    const created = await client.post('/rest/imports', {
      import: {
        targetStore: { dataStore: { name: target.toLowerCase() } },
        data: { type: 'file', file },
        ...(transforms.length === 0 ? {} : { transforms }),
      },
    })
    const path = `/rest/imports/${readImport(created).id}`
    await client.post(path)
    const { state, message = '' } = readImport(await client.get(path))
    const [task] = readTasks(await client.get(`${path}/tasks?expand=1`))
    if (state !== 'COMPLETE') throw new Error(`${name}: ${state} ${message} ${task?.errorMessage ?? ''}`)
    return task?.layer ?? name
  } finally {
    rmSync(file)
  }
}

function ourUrl(
  { url }: BenchServer,
  layer: string,
  { z, x, y }: { z: number; x: number; y: number },
): string {
  return `${url}/tiles/default:${layer}/${z}/${x}/${y}.mvt`
}

/**
 * Waits until the server has prepared the tiles of low zooms in the background: they are ready when the first
 * of them is.
 */
async function untilReady(server: BenchServer, layer: string): Promise<void> {
  const end = performance.now() + patienceMs
  const url = ourUrl(server, layer, { z: 0, x: 0, y: 0 })
  while ((await askOnce([url])).failed > 0 && performance.now() < end) await sleep(200)
  await sleep(1000)
}

function rowFiles(data: string): number {
  const names = readdirSync(join(data, 'maps'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.rows')).length
}

/**
 * Waits for the tile source cache. The server creates it for layers with enough requests; small layers have
 * none.
 */
async function untilLaidOut({ data, share }: TileRun, dataset: TileDataset, before: number): Promise<void> {
  const end = performance.now() + patienceMs
  if (rowsOf(dataset, share) <= fewFeatures) return
  while (rowFiles(data) === before) {
    if (performance.now() > end) throw new Error(`The rows of ${dataset} have no row files`)
    await sleep(100)
  }
}

async function compareOne(
  place: TileRun,
  dataset: TileDataset,
  crs: (typeof crsCodes)[number],
  only: string,
): Promise<TileResult[]> {
  const { server, peer } = place
  const selected = targets.filter((target) => `${dataset}-${crs}-${target}`.includes(only))
  const table = await publish(place, dataset, crs, 'PostGIS')
  const layers = new Map<Target, string>([['PostGIS', table]])
  if (selected.includes('GeoPackage'))
    layers.set('GeoPackage', await publish(place, dataset, crs, 'GeoPackage'))
  for (const layer of layers.values()) await untilReady(server, layer)
  const warming = tilesWithin(regions[dataset], warmZoom, mostRequested + warmTiles).slice(mostRequested)
  await askOnce(
    warming.map((tile) => peer.tileUrl(table, crs, tile)),
    { connections },
  )
  for (const target of selected) {
    const layer = layers.get(target) ?? ''
    const urls = warming.map((tile) => ourUrl(server, layer, tile))
    const before = rowFiles(place.data)
    await askOnce(urls.slice(0, rowFileTiles), { connections })
    await untilLaidOut(place, dataset, before)
    await askOnce(urls.slice(rowFileTiles), { connections })
  }
  const results: TileResult[] = []
  for (const z of crs === 4326 ? everyZoom : fewZooms) {
    const few = z < 10 ? 3 : z < 12 ? 12 : z < 13 ? 60 : 200
    const tiles = tilesWithin(regions[dataset], z, crowdedZooms.has(z) ? mostRequested : few)
    // One connection first, then many connections with other tiles. If there are too few tiles, the first
    // round takes a third of them.
    const alone = tiles.slice(0, Math.max(1, Math.min(few, Math.ceil(tiles.length / 3))))
    const rounds = crowdedZooms.has(z) ? [alone, tiles.slice(alone.length)] : [alone]
    for (const [round, tileAddress] of rounds.entries()) {
      const ways = { connections: round === 0 ? 1 : connections }
      const theirs = await askOnce(
        tileAddress.map((tile) => peer.tileUrl(table, crs, tile)),
        ways,
      )
      for (const target of selected) {
        const layer = layers.get(target) ?? ''
        const urls = tileAddress.map((tile) => ourUrl(server, layer, tile))
        const ours = await askOnce(urls, ways)
        const result = { dataset, crs, target, z, connections: ways.connections, ours, peer: theirs }
        results.push(result)
      }
    }
  }
  return results
}

async function askTheirs(
  { folder, databaseUrl, share }: TileRun,
  dataset: TileDataset,
): Promise<MapServerResult[]> {
  const file = await tileGeoPackage(folder, dataset, rowsOf(dataset, share))
  return askMapServer({ dataset, file, databaseUrl, table: `${dataset}_4326_postgis` })
}

/** Measures cached tiles, and other requests while many clients request new tiles. */
async function askKept(place: TileRun): Promise<CachedResult[]> {
  const { server } = place
  const layer = await publish(place, 'polygons', 4326, 'GeoPackage')
  await untilReady(server, layer)
  const urls = tilesWithin(regions.polygons, 15, 2000).map((tile) => ourUrl(server, layer, tile))
  await loadRequests(`${server.url}/health`, { connections: 8, seconds: 1 })
  return askCached({ server, layer, tiles: urls })
}
