// `node bench/paging.ts [ROWS]`: compares a late page with the first one, and a thousand filtered rows with
// plain SQL and MapServer.
import { join } from 'node:path'
import { Client } from 'pg'
import { basicAuthorization } from '../src/core/network/node-http.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import type { Target } from './cases.ts'
import { dataFile } from './data.ts'
import { publish } from './items.ts'
import { createStore } from './load.ts'
import { startBenchMapServer } from './own-map-server.ts'
import { quantile } from './quantile.ts'
import { benchPassword, startBenchServer } from './server.ts'

const rows = Number(process.argv[2] ?? 1_500_000)
const limit = 100
const latePage = 5000
const repeats = 15
const headers = { authorization: basicAuthorization('admin', benchPassword) }

/** Returns the median duration of many calls, in milliseconds. */
async function median(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let one = 0; one < repeats; one += 1) {
    const begun = performance.now()
    await ask()
    times.push(performance.now() - begun)
  }
  return quantile(times, 0.5)
}

async function page(url: string): Promise<{ links: { rel: string; href: string }[]; numberMatched: number }> {
  const reply = await fetch(url, { headers })
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as { links: { rel: string; href: string }[]; numberMatched: number }
}

/** The address of the page behind so many features, by its position. */
async function lateAddress(items: string): Promise<string> {
  const { links } = await page(`${items}&offset=${(latePage - 2) * limit}`)
  return links.find(({ rel }) => rel === 'next')?.href ?? ''
}

async function measure(target: Target, databaseUrl: URL, folder: string, file: string): Promise<void> {
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, target, databaseUrl)
    const layer = await publish(server.client, file)
    const items = `${server.url}/ogc/collections/default:${layer}/items?limit=${limit}`
    for (const query of ['', '&sortby=-people', '&filter=people%3E1000000', '&bbox=-100,-60,100,60']) {
      const first = await median(() => page(items + query))
      const address = await lateAddress(items + query)
      const late = await median(() => page(address))
      console.log(
        `| ${target} | page ${latePage}${query} | ${first.toFixed(1)} | ${late.toFixed(1)} | ${(late / first).toFixed(2)} |`,
      )
    }
    if (target === 'PostGIS') await besideSql(server.url, layer, databaseUrl)
  } finally {
    await server.stop()
  }
}

async function besideSql(url: string, layer: string, databaseUrl: URL): Promise<void> {
  const client = new Client({ connectionString: databaseUrl.href })
  await client.connect()
  const source = [
    'CONNECTIONTYPE POSTGIS',
    `CONNECTION "host=${databaseUrl.hostname} port=${databaseUrl.port} dbname=${databaseUrl.pathname.slice(1)} user=${databaseUrl.username} password=${databaseUrl.password}"`,
    `DATA 'geom from (select * from "${layer}") as t using unique fid using srid=4326'`,
  ]
  const peer = await startBenchMapServer([{ name: 'points', source }])
  try {
    const box = [10, 45, 16.5, 51.5]
    const ours = await median(() =>
      page(
        `${url}/ogc/collections/default:${layer}/items?limit=1000&filter=S_INTERSECTS(geometry,BBOX(${box.join()}))`,
      ),
    )
    const sql = `select *, ST_AsGeoJSON(geom) from "${layer}" where geom && ST_MakeEnvelope(${box.join()}, 4326) order by fid limit 1000`
    const plain = await median(() => client.query(sql))
    const theirs = await median(() => page(`${peer.itemsUrl('points')}&limit=1000&bbox=${box.join()}`))
    console.log(
      `| 1000 filtered rows of ${rows} | ${ours.toFixed(1)} | ${plain.toFixed(1)} | ${theirs.toFixed(1)} |`,
    )
  } finally {
    peer.stop()
    await client.end()
  }
}

const folder = join(import.meta.dirname, '.data')
const cluster = await startPostgres()
try {
  const file = await dataFile(folder, 'points', 'geopackage', rows)
  for (const target of ['GeoPackage', 'PostGIS'] as const)
    await measure(target, new URL(await cluster.createDatabase()), folder, file)
} finally {
  await cluster.stop()
}
