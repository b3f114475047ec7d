// `node bench/wms-maps.ts [ROWS]`: compares maps of 256 pixels with MapServer alone on the same data and
// style, without and with a filter.
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
import { seededRandom } from './random.ts'
import { benchPassword, startBenchServer } from './server.ts'
import { MemoryWatch } from './tree-memory.ts'

const rows = Number(process.argv[2] ?? 500_000)
const repeats = 60
const headers = { authorization: basicAuthorization('admin', benchPassword) }
/** Sides of the boxes in degrees: some features, and some thousands. */
const sides = [0.05, 1]

/** Boxes all over the data, the same for everybody. */
function boxes(side: number): string[] {
  const random = seededRandom(Math.round(side * 1000))
  return Array.from({ length: repeats }, () => {
    const [x, y] = [-170 + random() * 330, -75 + random() * 140]
    return [x, y, x + side, y + side].join(',')
  })
}

async function ask(url: string): Promise<number> {
  const begun = performance.now()
  const reply = await fetch(url, { headers })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const took = performance.now() - begun
  if (!reply.ok || bytes[1] !== 0x50)
    throw new Error(`${url}: ${reply.status} ${bytes.toString('utf8', 0, 500)}`)
  return took
}

/** Returns the median and the second slowest of twenty durations, in milliseconds. */
async function timesOf(base: string, side: number): Promise<string> {
  const picture = 'version=1.1.1&request=GetMap&styles=&srs=EPSG:4326&width=256&height=256&format=image/png'
  const times: number[] = []
  for (const box of boxes(side)) times.push(await ask(`${base}&${picture}&transparent=true&bbox=${box}`))
  return `${quantile(times, 0.5).toFixed(1)} | ${quantile(times, 0.95).toFixed(1)}`
}

const clients = 64
const crowdMs = 15_000

/** Measures the peak memory of the server and its processes while many clients request maps at once. */
async function crowd({ pid }: { pid: number }, base: string): Promise<string> {
  const watch = new MemoryWatch(pid, 'mapserv')
  const random = seededRandom(7)
  const until = performance.now() + crowdMs
  let maps = 0
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const [x, y, side] = [-170 + random() * 320, -75 + random() * 130, random() * 20]
      const picture = `version=1.1.1&request=GetMap&styles=&srs=EPSG:4326&width=256&height=256&format=image/png`
      await ask(`${base}&${picture}&transparent=true&bbox=${[x, y, x + side, y + side].join(',')}`)
      maps += 1
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, one))
  } finally {
    watch.stop()
  }
  const rate = Math.round(maps / (crowdMs / 1000))
  return `${rate} maps/s | ${watch.peak} MB, of which MapServer ${watch.peakOfFile}`
}

/** As the default style of polygons is drawn here. */
const classes = ['CLASS STYLE COLOR 68 119 170 OPACITY 60 OUTLINECOLOR 34 60 85 WIDTH 1 END END']

function peerLayer(target: Target, file: string, layer: string, database: URL): MapLayer {
  const { hostname, port, pathname, username, password } = database
  const connection = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password} application_name=terrane-bench`
  const source =
    target === 'PostGIS'
      ? [
          'CONNECTIONTYPE POSTGIS',
          `CONNECTION "${connection}"`,
          `DATA 'geom from (select * from "${layer}") as t using unique fid using srid=4326'`,
        ]
      : ['CONNECTIONTYPE OGR', `CONNECTION "${file}"`, 'DATA "polygons"']
  return { name: 'polygons', source: [...source, ...classes], type: 'POLYGON' }
}

async function measure(target: Target, databaseUrl: URL, folder: string, file: string): Promise<void> {
  const server = await startBenchServer(folder)
  try {
    await createStore(server.client, target, databaseUrl)
    const layer = await publish(server.client, file)
    const peer = await startBenchMapServer([peerLayer(target, file, layer, databaseUrl)])
    try {
      const own = `${server.url}/wms?service=WMS&layers=default:${layer}`
      const alone = `${peer.mapsUrl('polygons')}`
      // Warm-up, not measured: the first request starts processes.
      for (const base of [own, alone, `${own}&cql_filter=people%3E500`]) await timesOf(base, 0.05)
      for (const side of sides) {
        console.log(`| ${target} | ${side}° | here | ${await timesOf(own, side)} |`)
        console.log(`| ${target} | ${side}° | MapServer alone | ${await timesOf(alone, side)} |`)
        console.log(
          `| ${target} | ${side}° | here, \`CQL_FILTER\` | ${await timesOf(`${own}&cql_filter=people%3E500`, side)} |`,
        )
      }
      console.log(`| ${target} | up to 20° | here, ${clients} clients | ${await crowd(server, own)} |`)
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
  const file = await dataFile(folder, 'polygons', 'geopackage', rows)
  for (const target of ['GeoPackage', 'PostGIS'] as const)
    await measure(target, new URL(await cluster.createDatabase()), folder, file)
} finally {
  await cluster.stop()
}
