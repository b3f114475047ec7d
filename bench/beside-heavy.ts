// `node bench/beside-heavy.ts [ROWS]`: light requests while the same user runs four heavy ones, target 500
// ms.
import { join } from 'node:path'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import type { Target } from './cases.ts'
import { dataFile } from './data.ts'
import { publish } from './items.ts'
import { createStore } from './load.ts'
import { quantile } from './quantile.ts'
import { benchPassword, startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const fewRows = 1000
const heavyClients = 4
/** Time for the heavy requests to occupy what they can. */
const rampMs = 1500
const rounds = 12
const targetMs = 500
const headers = { authorization: basicAuthorization('admin', benchPassword) }

const wms = 'service=WMS&version=1.1.1&request=GetMap&styles=&srs=EPSG:4326&format=image/png'
const wfs = 'service=WFS&version=2.0.0&request=GetFeature&count=100'

/** By name, addresses behind that of the server. */
const heavyRequests = (layer: string): Record<string, string> => ({
  none: '',
  'WFS, sortBy, deep startIndex': `/wfs?${wfs}&typenames=default:${layer}&sortby=people&startindex=${rows / 2}`,
  'items, filter': `/ogc/collections/default:${layer}/items?limit=100&filter=people%3E1000&sortby=-people`,
  'CSV of all rows': `/ogc/collections/default:${layer}/items?f=csv&limit=10000&offset=${rows - 20_000}`,
  'GetMap of the world': `/wms?${wms}&layers=default:${layer}&bbox=-180,-90,180,90&width=800&height=400`,
})

const lightRequests = (layer: string): Record<string, (round: number) => string> => ({
  items: () => `/ogc/collections/default:${layer}/items?limit=10`,
  'items, filter': () => `/ogc/collections/default:${layer}/items?limit=10&filter=people%3E1000`,
  'new tile': (round) =>
    `/ogc/collections/default:${layer}/tiles/WebMercatorQuad/8/${100 + round}/${tileColumn++ % 256}`,
  'small map': (round) =>
    `/wms?${wms}&layers=default:${layer}&bbox=${round},0,${round + 10},10&width=256&height=256`,
})
let tileColumn = 0

async function ask(url: string, signal?: AbortSignal): Promise<number> {
  const begun = performance.now()
  const reply = await fetch(url, { headers, ...(signal === undefined ? {} : { signal }) })
  await reply.arrayBuffer()
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`)
  return performance.now() - begun
}

/**
 * Repeats a request until the caller calls the returned function, which returns the numbers of successful and
 * failed responses.
 */
function repeat(url: string): () => Promise<{ answered: number; failed: number }> {
  const stop = new AbortController()
  const counts = { answered: 0, failed: 0 }
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await ask(url, stop.signal)
        counts.answered += 1
      } catch {
        if (!stop.signal.aborted) counts.failed += 1
      }
    }
  }
  const loops = Array.from({ length: heavyClients }, loop)
  return async () => {
    stop.abort()
    await Promise.all(loops)
    return counts
  }
}

async function measure(target: Target, databaseUrl: URL, folder: string): Promise<void> {
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, target, databaseUrl)
    const many = await publish(server.client, await dataFile(folder, 'points', 'geopackage', rows))
    const few = await publish(server.client, await dataFile(folder, 'points', 'geopackage', fewRows))
    for (const light of Object.values(lightRequests(few))) await ask(server.url + light(0))
    for (const [heavy, path] of Object.entries(heavyRequests(many))) {
      const watch = new MemoryWatch(server.pid, 'mapserv')
      const stop = path === '' ? undefined : repeat(server.url + path)
      await new Promise((resolve) => setTimeout(resolve, rampMs))
      const cells: string[] = []
      for (const light of Object.values(lightRequests(few))) {
        const times: number[] = []
        for (let round = 1; round <= rounds; round += 1) times.push(await ask(server.url + light(round)))
        const most = Math.max(...times)
        cells.push(`${quantile(times, 0.5).toFixed(0)} / ${most.toFixed(0)}${most > targetMs ? ' !' : ''}`)
      }
      const counts = await stop?.()
      watch.stop()
      const reported = counts === undefined ? '' : `${counts.answered} answered, ${counts.failed} failed`
      console.log(`| ${target} | ${heavy} | ${cells.join(' | ')} | ${reported} | ${watch.peak} MB |`)
    }
  } finally {
    await server.stop()
  }
}

const folder = join(import.meta.dirname, '.data')
const cluster = await startPostgres()
try {
  console.log(
    `Beside ${heavyClients} heavy requests to ${rows} points; middle / longest of ${rounds}, in milliseconds`,
  )
  console.log(`| store | heavy | ${Object.keys(lightRequests('')).join(' | ')} | heavy requests | memory |`)
  for (const target of ['GeoPackage', 'PostGIS'] as const)
    await measure(target, new URL(await cluster.createDatabase()), folder)
} finally {
  await cluster.stop()
}
