// `node bench/wfs-paging.ts [ROWS]`: compares WFS pages at 200,000 with the first page, and with MapServer's
// WFS on the same data.
import { join } from 'node:path'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import type { Target } from './cases.ts'
import { dataFile } from './data.ts'
import { publish } from './items.ts'
import { createStore } from './load.ts'
import type { MapLayer } from './own-map-server.ts'
import { startBenchMapServer } from './own-map-server.ts'
import { quantile } from './quantile.ts'
import { benchPassword, startBenchServer } from './server.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const count = 1000
const far = 200_000
const repeats = 15
const headers = { authorization: basicAuthorization('admin', benchPassword) }

/** Returns the milliseconds until the whole document has arrived. */
async function ask(url: string): Promise<number> {
  const begun = performance.now()
  const reply = await fetch(url, { headers })
  const text = await reply.text()
  const took = performance.now() - begun
  if (!reply.ok || text.split(/<\/(?:wfs:)?member>/).length !== count + 1)
    throw new Error(`${url}: ${reply.status} ${text.slice(0, 500)}`)
  return took
}

/** Returns the median duration of many rounds. */
async function median(take: (round: number) => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < repeats; round += 1) times.push(await take(round))
  return quantile(times, 0.5)
}

interface PageTimes {
  first: number
  /** Requested by the `next` link of the previous page. */
  inOrder: number
  /** Requested without the previous page. */
  jump: number
}

async function timesOf(url: string): Promise<PageTimes> {
  const at = (start: number): string => `${url}&count=${count}&startindex=${start}`
  await ask(at(0))
  const first = await median(() => ask(at(0)))
  // Each round has another start, so that no position is cached.
  const jump = await median((round) => ask(at(far + 7 + round * 13)))
  await ask(at(far - count))
  const inOrder = await median((round) => ask(at(far + round * count)))
  return { first, jump, inOrder }
}

function row(name: string, query: string, { first, inOrder, jump }: PageTimes): void {
  const ratio = (time: number): string => `${time.toFixed(1)} | ${(time / first).toFixed(2)}`
  console.log(`| ${name} | ${query} | ${first.toFixed(1)} | ${ratio(inOrder)} | ${ratio(jump)} |`)
}

function peerLayer(target: Target, file: string, layer: string, database: URL): MapLayer {
  const { hostname, port, pathname, username, password } = database
  const connection = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const source =
    target === 'PostGIS'
      ? [
          'CONNECTIONTYPE POSTGIS',
          `CONNECTION "${connection}"`,
          `DATA 'geom from (select * from "${layer}") as t using unique fid using srid=4326'`,
        ]
      : ['CONNECTIONTYPE OGR', `CONNECTION "${file}"`, 'DATA "points"']
  return { name: 'points', source }
}

async function measure(target: Target, databaseUrl: URL, folder: string, file: string): Promise<void> {
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, target, databaseUrl)
    const layer = await publish(server.client, file)
    const url = `${server.url}/wfs?service=WFS&version=2.0.0&request=GetFeature&typenames=default:${layer}`
    for (const query of ['', '&sortby=people+D', '&cql_filter=people%3E1000', '&bbox=-80,-170,80,170'])
      row(target, query, await timesOf(url + query))
    const peer = await startBenchMapServer([peerLayer(target, file, layer, databaseUrl)])
    try {
      for (const query of ['', '&bbox=-80,-170,80,170'])
        row(`${target} by MapServer`, query, await timesOf(peer.featuresUrl('points') + query))
    } finally {
      peer.stop()
    }
  } finally {
    await server.stop()
  }
}

const folder = join(import.meta.dirname, '.data')
const cluster = await startPostgres()
try {
  console.log(`pages of ${count} of ${rows}: first, at ${far} in order, ratio, by a jump, ratio`)
  const file = await dataFile(folder, 'points', 'geopackage', rows)
  for (const target of ['GeoPackage', 'PostGIS'] as const)
    await measure(target, new URL(await cluster.createDatabase()), folder, file)
} finally {
  await cluster.stop()
}
