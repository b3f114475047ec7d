// `node bench/published-tables.ts [ROWS] [LAYERS]`: reads of a table with 10,000,000 rows that is published in place,
// the start of a server with 5,000 published layers, and the CPU time of a round that follows them.
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestApp, type TestApp } from '../tests/support/app.ts'
import { storeParameters } from '../tests/support/postgis-store.ts'
import { runSql, testCluster } from '../tests/support/postgres.ts'

const rows = Number(process.argv[2] ?? 10_000_000)
const layers = Number(process.argv[3] ?? 5000)
const cluster = await testCluster()
const url = await cluster.createDatabase()

function report(what: string, milliseconds: number): void {
  console.log(`${what}: ${Math.round(milliseconds)} ms, load average ${loadavg()[0]?.toFixed(1)}`)
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  const result = await work()
  report(what, performance.now() - begun)
  return result
}

async function send(server: TestApp, method: 'GET' | 'POST', path: string, payload?: object) {
  const reply = await server.app.inject({
    method,
    url: path,
    headers: server.admin,
    ...(payload && { payload }),
  })
  if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${reply.body.slice(0, 500)}`)
  return reply
}

async function makeStore(server: TestApp, name: string): Promise<void> {
  await send(server, 'POST', '/rest/workspaces/default/datastores', {
    dataStore: { name, type: 'PostGIS', connectionParameters: storeParameters(url, name) },
  })
}

async function readLargeTable(): Promise<void> {
  await runSql(
    url,
    `create schema large; create table large.points as select n as id, 'point ' || n as name,
       ST_SetSRID(ST_MakePoint(6 + 9 * random(), 47 + 8 * random()), 4326)::geometry(Point, 4326) as g
       from generate_series(1, ${rows}) n`,
  )
  await runSql(url, 'alter table large.points add primary key (id)')
  await runSql(url, 'create index on large.points using gist (g)')
  await runSql(url, 'analyze large.points')
  const server = await createTestApp()
  try {
    await makeStore(server, 'large')
    await timed('publish', () =>
      send(server, 'POST', '/rest/workspaces/default/datastores/large/featuretypes', {
        featureType: { nativeName: 'points' },
      }),
    )
    const items = '/ogc/collections/default:points/items?f=json'
    await timed('first page of items', () => send(server, 'GET', `${items}&limit=10`))
    await timed('count (resultType=hits)', () =>
      send(
        server,
        'GET',
        '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:points&resultType=hits',
      ),
    )
    await timed('items of a box', () => send(server, 'GET', `${items}&limit=100&bbox=10,50,10.1,50.1`))
    await timed('first tile of zoom 0', () => send(server, 'GET', '/tiles/default:points/0/0/0.mvt'))
    await timed('tile of zoom 10', () => send(server, 'GET', '/tiles/default:points/10/540/340.mvt'))
  } finally {
    await server.close()
  }
}

async function startWithLayers(): Promise<void> {
  await runSql(url, 'create schema many')
  await runSql(
    url,
    `do $$ begin for n in 1..${layers} loop
       execute format('create table many.t%s (id int primary key, name text, g geometry(Point, 25832))', n);
       if n % 500 = 0 then commit; end if;
     end loop; end $$`,
  )
  const dataDir = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  const server = await createTestApp({ dataDir })
  await makeStore(server, 'many')
  const path = '/rest/workspaces/default/datastores/many/tables'
  await timed(`list ${layers} tables`, () => send(server, 'GET', path))
  await timed(`publish ${layers} tables`, () => send(server, 'POST', path, { publish: {} }))
  for (const round of ['first', 'second', 'third']) {
    const before = process.cpuUsage()
    await timed(`${round} round that follows ${layers} layers`, () => server.catalog.follower.follow())
    const { user, system } = process.cpuUsage(before)
    console.log(`  CPU time of the server: ${Math.round((user + system) / 1000)} ms`)
  }
  await server.close()
  await startAndAsk('start to the first answer, with these layers', dataDir)
  rmSync(dataDir, { recursive: true, force: true })
  const empty = mkdtempSync(join(tmpdir(), 'terrane-bench-'))
  await (await createTestApp({ dataDir: empty })).close()
  await startAndAsk('start to the first answer, without layers', empty)
  rmSync(empty, { recursive: true, force: true })
}

async function startAndAsk(what: string, dataDir: string): Promise<void> {
  for (let run = 0; run < 3; run += 1) {
    const server = await timed(what, async () => {
      const started = await createTestApp({ dataDir })
      await send(started, 'GET', '/rest/workspaces')
      return started
    })
    await server.close()
  }
}

try {
  if (rows > 0) await readLargeTable()
  if (layers > 0) await startWithLayers()
} finally {
  await cluster.dropDatabase(url)
  await cluster.stop()
}
