// Light requests get responses while four heavy requests of one user are still running, in both stores.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publishNewLayer } from '../../src/catalog/rows/publication.ts'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import { BatchBuilder, batchRows } from '../../src/geo/batch.ts'
import { createGeoPackageStore } from '../../src/stores/geopackage/geopackage-store.ts'
import type { StoreConnection } from '../../src/stores/store.ts'
import { loadRows } from '../contract/store-session.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { schemaOf } from '../support/batches.ts'
import { fileDatabase, storeParameters } from '../support/postgis-store.ts'
import { runSql } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const schema = schemaOf({ day: 'date' }, 'Point')
const fewRows = 1000
const manyRows = 400_000
/** Reads of these rows wait for a lock as long as the light requests run, so that fewer rows are enough. */
const gatedRows = 100_000
const lock = 7

/** Points over the world, a day each. */
async function* points(count: number): AsyncGenerator<FeatureBatch> {
  for (let from = 0; from < count; from += batchRows) {
    const builder = new BatchBuilder(schema)
    const [day] = builder.columns
    for (let row = from; row < Math.min(count, from + batchRows); row += 1) {
      if (day?.kind === 'fixed') day.append((row * 7919) % 20_000)
      builder.geometry?.header(1, false, false)
      builder.geometry?.coordinate(
        ((row * 7919) % 360_000) / 1000 - 180,
        ((row * 104_729) % 170_000) / 1000 - 85,
      )
      builder.geometry?.endGeometry()
      builder.endRow(row + 1)
    }
    yield builder.finish()
  }
}

async function makeGeoPackage(app: TestApp): Promise<StoreConnection> {
  const path = join(app.dataDir, 'stores', 'default', 'points.gpkg')
  const connection: StoreConnection = { type: 'GeoPackage', parameters: { path } }
  await app.catalog.stores.try(connection)
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  await loadRows(store, { schema, table: 'few', batches: points(fewRows) })
  await loadRows(store, { schema, table: 'many', batches: points(manyRows) })
  return connection
}

/** Reads of the view `many` poll an advisory lock as long as another session holds it: waits for locks have a limit. */
const postgisSql = `
create schema points;
create function points.wait_for_lock() returns boolean language plpgsql volatile as $$
begin
  while not pg_try_advisory_lock_shared(${lock}) loop
    perform pg_sleep(0.02);
  end loop;
  perform pg_advisory_unlock_shared(${lock});
  return true;
end $$;
create table points.few as select n as fid, date '1970-01-01' + n * 7 % 20000 as day,
    ST_SetSRID(ST_MakePoint((n::bigint * 7919 % 360000) / 1000.0 - 180, (n::bigint * 104729 % 170000) / 1000.0 - 85), 4326)::geometry(Point, 4326) as geom
  from generate_series(1, ${fewRows}) n;
create table points.all_rows as select n as fid, date '1970-01-01' + n * 7 % 20000 as day,
    ST_SetSRID(ST_MakePoint((n::bigint * 7919 % 360000) / 1000.0 - 180, (n::bigint * 104729 % 170000) / 1000.0 - 85), 4326)::geometry(Point, 4326) as geom
  from generate_series(1, ${gatedRows}) n;
alter table points.few add primary key (fid);
alter table points.all_rows add primary key (fid);
create index on points.few using gist (geom);
create index on points.all_rows using gist (geom);
create view points.many as select fid, day, geom from points.all_rows where (select points.wait_for_lock());
analyze points.few, points.all_rows`

async function makePostgis(): Promise<StoreConnection> {
  const url = await fileDatabase()
  await runSql(url, postgisSql)
  return { type: 'PostGIS', parameters: storeParameters(url, 'points') }
}

const wfs = 'service=WFS&version=2.0.0&request=GetFeature&count=10'
const wms = 'service=WMS&version=1.1.1&styles=&srs=EPSG:4326&format=image/png'

/** Requests that read all rows. */
const heavyRequests = {
  'WFS requests with sortBy and a deep startIndex': `/wfs?${wfs}&typeNames=default:many&sortBy=day&startIndex=90000`,
  'WFS requests with a filter':
    '/wfs?service=WFS&version=2.0.0&request=GetFeature&count=10&typeNames=default:many&filter=' +
    encodeURIComponent(
      '<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0"><fes:PropertyIsGreaterThan><fes:ValueReference>day</fes:ValueReference><fes:Literal>2001-01-01</fes:Literal></fes:PropertyIsGreaterThan></fes:Filter>',
    ),
  'pages with a filter': `/ogc/collections/default:many/items?limit=10&filter=${encodeURIComponent("day > DATE('2001-01-01')")}&sortby=-day`,
  'pages of a large box': '/ogc/collections/default:many/items?limit=10&bbox=-179,-89,179,89&sortby=day',
  'CSV files': '/ogc/collections/default:many/items?f=csv&limit=100000&sortby=day',
  maps: `/wms?${wms}&request=GetMap&layers=default:many&bbox=-180,-90,-90,90&width=800&height=400`,
  classes: '/rest/layers/default:many/classes?attribute=day&method=categories',
  'low tiles': '/ogc/collections/default:many/tiles/WebMercatorQuad/2/1/{n}',
} as const

/** On a slow machine heavy requests may pass their own time limits. */
const isTooSlow = /took longer than/

let tiles = 0
/** Returns a tile that was not requested before. */
function newTile(): string {
  tiles += 1
  return `/ogc/collections/default:few/tiles/WebMercatorQuad/9/${tiles}/200`
}

const lightRequests = (): string[] => [
  '/ogc/collections/default:few/items?limit=10',
  `/ogc/collections/default:few/items?limit=10&filter=${encodeURIComponent("day > DATE('2001-01-01')")}`,
  `/wfs?${wfs}&typeNames=default:few&sortBy=day&startIndex=500`,
  newTile(),
  `/wms?${wms}&request=GetMap&layers=default:few&bbox=0,0,10,10&width=100&height=100`,
  `/wms?${wms}&request=GetLegendGraphic&layer=default:few`,
]

const stores = [
  { name: 'GeoPackage', make: makeGeoPackage, isGated: false },
  { name: 'PostGIS', make: makePostgis, isGated: true },
]

interface Reply {
  statusCode: number
  body: string
}

for (const { name, make, isGated } of stores) {
  describe(`light requests beside four heavy ones of one user: ${name}`, { timeout: 600_000 }, () => {
    let app: TestApp
    before(async () => {
      app = await createTestApp()
      const connection = await make(app)
      const { id: storeId } = await app.catalog.stores.create({
        workspace: 'default',
        name: 'points',
        kind: 'dataStore',
        connection,
      })
      for (const table of ['few', 'many']) await publish(storeId, table)
      for (const url of lightRequests()) for (const user of users()) await ask(url, user)
    })
    after(() => app.close())

    async function publish(storeId: number, table: string): Promise<void> {
      const details = {
        kind: 'vector' as const,
        title: table,
        originalName: table,
        schema,
        style: 'point',
        srs: 'EPSG:4326',
      }
      const layer = { workspace: 'default', name: table, storeId, nativeName: table, details }
      await publishNewLayer(app.database.kysely, layer, '2026-01-01T00:00:00.000Z')
      await app.catalog.layers.change(await app.catalog.layers.get('default', table), { isPublic: true })
    }

    /** Returns the user of the heavy requests, and an anonymous one. */
    const users = (): Record<string, string>[] => [app.admin, {}]

    const ask = (url: string, headers: Record<string, string>): Promise<Reply> =>
      app.app.inject({ method: 'GET', url, headers, remoteAddress: '192.0.2.1' })

    for (const [kind, url] of Object.entries(heavyRequests)) {
      it(`are answered while four ${kind} run`, async (t) => {
        const open = isGated ? await closeLock() : undefined
        t.after(open)
        const ended: Reply[] = []
        const heavy = Array.from({ length: 4 }, async (_, n) => {
          const reply = await ask(url.replace('{n}', String(n)), app.admin)
          ended.push(reply)
          return reply
        })
        if (isGated) await until(async () => (await countWaiting()) > 0, 60_000)
        const light = users().flatMap((user) =>
          lightRequests().map(async (one) => {
            const { statusCode, body } = await ask(one, user)
            return { one, statusCode, body: body.slice(0, 200), endedBefore: reportOf(ended) }
          }),
        )
        for (const { one, statusCode, body, endedBefore } of await Promise.all(light)) {
          assert.ok(statusCode === 200 || statusCode === 204, `${one}: ${statusCode} ${body}`)
          assert.deepEqual(endedBefore, [], `Heavy requests that were answered before ${one}`)
        }
        await open?.()
        for (const { statusCode, body } of await Promise.all(heavy))
          assert.ok(statusCode < 300 || isTooSlow.test(body), body.slice(0, 300))
      })
    }
  })
}

const reportOf = (replies: Reply[]): string[] =>
  replies.map(({ statusCode, body }) => `${statusCode} ${body.slice(0, 200)}`)

/** Takes the advisory lock. Returns a function that releases it. */
async function closeLock(): Promise<() => Promise<void>> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: await fileDatabase() })
  await client.connect()
  await client.query(`select pg_advisory_lock(${lock})`)
  let isOpen = false
  return async () => {
    if (isOpen) return
    isOpen = true
    await client.end()
  }
}

async function countWaiting(): Promise<number> {
  const sql = `select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  const [row] = await runSql(await fileDatabase(), sql)
  return Number(row?.['n'])
}
