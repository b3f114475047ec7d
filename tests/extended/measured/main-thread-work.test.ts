import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { publishNewLayer } from '../../../src/catalog/rows/publication.ts'
import type { FeatureBatch } from '../../../src/geo/batch.ts'
import { BatchBuilder, batchRows } from '../../../src/geo/batch.ts'
import { createGeoPackageStore } from '../../../src/stores/geopackage/geopackage-store.ts'
import type { StoreConnection } from '../../../src/stores/store.ts'
import { loadRows } from '../../contract/store-session.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { schemaOf } from '../../support/batches.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'

/** Returns the CPU time of this thread since `before`, in milliseconds. */
function spentMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const schema = schemaOf({ day: 'date' }, 'Point')
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Rounds of a request to few and to many rows: more only while the least of the many is above the limit. */
const leastRounds = 6
const mostRounds = 40

const few = 1500
const many = 1_500_000

/** Points over the world, a day each, the same every time. */
async function* points(count: number): AsyncGenerator<FeatureBatch> {
  for (let from = 0; from < count; from += batchRows) {
    const builder = new BatchBuilder(schema)
    const [day] = builder.columns
    for (let row = from; row < Math.min(count, from + batchRows); row += 1) {
      if (day?.kind === 'fixed') day.append(row % 20_000)
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

async function makeGeoPackage(app: TestApp, count: number): Promise<StoreConnection> {
  const path = join(app.dataDir, 'stores', 'default', `points${count}.gpkg`)
  const connection: StoreConnection = { type: 'GeoPackage', parameters: { path } }
  await app.catalog.stores.try(connection)
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  await loadRows(store, { schema, table: 'points', batches: points(count) })
  return connection
}

async function makePostgis(_app: TestApp, count: number): Promise<StoreConnection> {
  const url = await fileDatabase()
  const name = `points_${count}`
  await runSql(url, `create schema ${name}`)
  await runSql(
    url,
    `create table ${name}.points as select n as fid, date '1970-01-01' + n % 20000 as day,
       ST_SetSRID(ST_MakePoint((n::bigint * 7919 % 360000) / 1000.0 - 180, (n::bigint * 104729 % 170000) / 1000.0 - 85), 4326)::geometry(Point, 4326) as geom
     from generate_series(1, ${count}) n`,
  )
  await runSql(url, `alter table ${name}.points add primary key (fid)`)
  await runSql(url, `create index on ${name}.points using gist (geom)`)
  return { type: 'PostGIS', parameters: storeParameters(url, name) }
}

const queries = [
  'items?limit=10',
  'items?limit=1000',
  'items?limit=10&offset=1400',
  'items?limit=10&bbox=-180,-90,180,90',
  'items?limit=10&bbox=-170.5,-80.5,170.5,80.5',
  'items?limit=10&bbox=-10,-10,170,10&datetime=1980-01-01/1990-01-01',
  'items?limit=10&crs=http://www.opengis.net/def/crs/EPSG/0/3857',
  'items/77',
  'items/none',
]

const stores = [
  { name: 'GeoPackage', make: makeGeoPackage, rows: many },
  { name: 'PostGIS', make: makePostgis, rows: many / 5 },
]

for (const { name, make, rows } of stores) {
  describe(`questions to ${rows} rows of ${name}`, () => {
    let app: TestApp
    before(async () => {
      app = await createTestApp()
      for (const count of [few, rows]) await publish(count)
    })
    after(() => app.close())

    async function publish(count: number): Promise<void> {
      const connection = await make(app, count)
      const store = await app.catalog.stores.create({
        workspace: 'default',
        name: `s${count}`,
        kind: 'dataStore',
        connection,
      })
      const details = {
        kind: 'vector' as const,
        title: 'points',
        originalName: 'points',
        schema,
        style: 'point',
        srs: 'EPSG:4326',
      }
      const layer = {
        workspace: 'default',
        name: `points${count}`,
        storeId: store.id,
        nativeName: 'points',
        details,
      }
      await publishNewLayer(app.database.kysely, layer, '2026-01-01T00:00:00.000Z')
    }

    /** Part of the time in which this thread works without any question: what comes by the clock, but not what comes once. */
    async function idlePart(): Promise<number> {
      const parts: number[] = []
      for (let time = 0; time < 5; time += 1) {
        const [before, began] = [process.threadCpuUsage(), performance.now()]
        await sleep(150)
        parts.push(spentMs(before) / (performance.now() - began))
      }
      return Math.min(...parts)
    }

    /** Returns the CPU time of this thread for one request, in milliseconds, without that of work that comes by the clock. */
    async function workOf(count: number, query: string, idle: number): Promise<number> {
      const before = process.threadCpuUsage()
      const began = performance.now()
      const url = `/ogc/collections/default:points${count}/${query}`
      const { statusCode, body } = await app.app.inject({ method: 'GET', url, headers: app.admin })
      const spent = Math.max(0, spentMs(before) - idle * (performance.now() - began))
      assert.ok(statusCode === 200 || query.endsWith('none'), body.slice(0, 300))
      return spent
    }

    it('cost the main thread no more than those to a few', async () => {
      const idle = await idlePart()
      for (const query of queries) await workOf(few, query, idle)
      for (const request of queries) {
        // The garbage of earlier work does not count for the first requests.
        collectGarbage()
        const first = { small: await workOf(few, request, idle), large: await workOf(rows, request, idle) }
        const least = { ...first }
        const isMore = (): boolean => least.large > 2 * least.small + 1
        // Both kinds of requests meet the same load of the machine. It only adds: the least of many is what a request needs.
        for (let round = 1; round < leastRounds || (isMore() && round < mostRounds); round += 1) {
          least.small = Math.min(least.small, await workOf(few, request, idle))
          least.large = Math.min(least.large, await workOf(rows, request, idle))
        }
        const reported = `${request}: ${JSON.stringify({ first, least, idle })}`
        assert.ok(!isMore(), reported)
        assert.ok(first.large <= 2 * first.small + 25, reported)
      }
    })
  })
}
