import { setTimeout as sleep } from 'node:timers/promises'
import { readImport, readTasks } from '../src/cli/import-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import type { Target } from './cases.ts'
import { targets } from './cases.ts'
import { dataFile } from './data.ts'
import { createStore } from './load.ts'
import type { BenchMapServer, MapLayer } from './own-map-server.ts'
import { startBenchMapServer } from './own-map-server.ts'
import type { LoadAnswer } from './request-load.ts'
import { loadRequests } from './request-load.ts'
import { benchPassword, startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const rows = 10_000
const connections = 32
const warmSeconds = 1
const seconds = 6
const restSeconds = 60
/** Longer than the threads of the import stay. */
const settleMs = 15_000

/**
 * Targets for our server alone, used where three times the throughput of MapServer is not a higher target.
 */
const selected: Record<Target, Record<number, { perSecond: number; p99: number }>> = {
  GeoPackage: { 10: { perSecond: 3000, p99: 100 }, 1000: { perSecond: 300, p99: 400 } },
  PostGIS: { 10: { perSecond: 1500, p99: 100 }, 1000: { perSecond: 300, p99: 400 } },
}

export interface ItemsResult {
  name: string
  ours: LoadAnswer
  peer: LoadAnswer
  target: { perSecond: number; p99: number }
}

/** Megabytes of our server with all its processes. */
export interface ItemsMemory {
  before: number
  peak: number
  after: number
}

export interface ItemsResults {
  items: ItemsResult[]
  memory: ItemsMemory | undefined
}

/** Imports the points and gives the name of the layer. */
export async function publish(client: RestClient, file: string): Promise<string> {
  const created = await client.post('/rest/imports', {
    import: { targetStore: { dataStore: { name: 'bench' } }, data: { type: 'file', file } },
  })
  const path = `/rest/imports/${readImport(created).id}`
  await client.post(path)
  const { state, message = '' } = readImport(await client.get(path))
  const [task] = readTasks(await client.get(`${path}/tasks?expand=1`))
  if (state !== 'COMPLETE' || task?.layer === undefined)
    throw new Error(`The points were not loaded: ${state} ${message}`)
  return task.layer
}

function peerLayer(target: Target, { file, layer, databaseUrl }: LayerFile): MapLayer {
  const { hostname, port, pathname, username, password } = databaseUrl
  const database = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const source =
    target === 'PostGIS'
      ? [
          'CONNECTIONTYPE POSTGIS',
          `CONNECTION "${database}"`,
          `DATA 'geom from (select * from "${layer}") as t using unique fid using srid=4326'`,
        ]
      : ['CONNECTIONTYPE OGR', `CONNECTION "${file}"`, 'DATA "points"']
  return { name: 'points', source }
}

interface LayerFile {
  file: string
  layer: string
  databaseUrl: URL
}

/** Measures pages of features with 32 connections, alternating with MapServer on the same data. */
export async function runItems(folder: string, databaseUrl: URL): Promise<ItemsResults> {
  const file = await dataFile(folder, 'points', 'geopackage', rows)
  const items: ItemsResult[] = []
  let memory: ItemsMemory | undefined
  for (const target of targets.toReversed()) {
    const server = await startBenchServer(folder)
    try {
      await createStore(server.client, target, databaseUrl)
      const layer = await publish(server.client, file)
      const peer = await startBenchMapServer([peerLayer(target, { file, layer, databaseUrl })])
      const watch = new MemoryWatch(server.pid)
      try {
        await sleep(settleMs)
        const before = watch.now()
        items.push(...(await runBoth(target, `${server.url}/ogc/collections/default:${layer}/items`, peer)))
        if (target === 'GeoPackage') memory = await settle(watch, before)
      } finally {
        watch.stop()
        peer.stop()
      }
    } finally {
      await server.stop()
    }
  }
  return { items, memory }
}

async function settle(watch: MemoryWatch, before: number): Promise<ItemsMemory> {
  const { peak } = watch
  await sleep(restSeconds * 1000)
  return { before, peak, after: watch.now() }
}

async function runBoth(target: Target, url: string, peer: BenchMapServer): Promise<ItemsResult[]> {
  const headers = { authorization: basicAuthorization('admin', benchPassword) }
  const results: ItemsResult[] = []
  for (const limit of [10, 1000]) {
    const ask = async (address: string, own: Record<string, string>): Promise<LoadAnswer> => {
      await loadRequests(address, { connections, seconds: warmSeconds, headers: own })
      return loadRequests(address, { connections, seconds, headers: own })
    }
    const ours = await ask(`${url}?limit=${limit}`, headers)
    const theirs = await ask(`${peer.itemsUrl('points')}&limit=${limit}`, {})
    const most = selected[target][limit] ?? { perSecond: 0, p99: 0 }
    results.push({
      name: `${limit} items of ${rows} from ${target}`,
      ours,
      peer: theirs,
      target: { ...most, perSecond: Math.min(most.perSecond, 3 * theirs.perSecond) },
    })
  }
  return results
}

const line = ({ name, ours, peer, target: goal }: ItemsResult): string =>
  `| ${name} | ${ours.perSecond.toFixed(0)} | ${ours.p99.toFixed(0)} | ${peer.perSecond.toFixed(0)} | ${peer.p99.toFixed(0)} | ${(ours.perSecond / peer.perSecond).toFixed(1)} | ${goal.perSecond.toFixed(0)} within ${goal.p99} ms | ${ours.failed} |`

/** The section of `bench/results.md`; empty where nothing was measured. */
export function itemsReport({ items, memory }: ItemsResults): string {
  if (items.length === 0) return ''
  const reported =
    memory === undefined
      ? ''
      : `\nMemory of the server with its processes: ${memory.before} MB before, ${memory.peak} MB at most, ${memory.after} MB ${restSeconds} s later (wanted: 350 MB, and within 100 MB of before).\n`
  return `
## Pages of features

Requests a second with ${connections} connections, and milliseconds of the 99th of a hundred; MapServer's OGC API by FastCGI behind
nginx on the same data, in turn. Wanted is what is less: a number of our own, or three times MapServer.

| question | a second | p99 | MapServer | p99 | ratio | wanted | failed |
|---|---:|---:|---:|---:|---:|---|---:|
${items.map(line).join('\n')}
${reported}`
}
