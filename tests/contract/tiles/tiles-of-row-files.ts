import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { TileRequest, TileSource } from '../../../src/stores/reading/tile-request.ts'
import { getTileMatrixSet, isTileOf } from '../../../src/tiles/tile-matrix-sets.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { crowdedSquares } from '../../support/crowded-squares.ts'
import { clientOf } from '../../support/importer-client.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { publishTable, recordOf, versionOf } from '../../support/versioned-layers.ts'

const never = new AbortController().signal
const rows = 12_000
/** Longer than a file takes on a busy machine. */
/** Rows of every type with and without values, in shapes of every kind, over Germany and where no map is. */
const everyType = `select g as n, g % 2 = 0 as yes, (g % 100)::int2 as small, case when g % 3 = 0 then g * 3 end as mid,
    case when g % 5 > 0 then (g - 7000) * 461168601842738::bigint end as large, (g / 7.0)::real as single,
    case g % 11 when 0 then 'NaN' when 1 then 'Infinity' else g / 3.0 end::float8 as double,
    (g * 1.10)::numeric(20, 4) as exact, case when g % 4 > 0 then repeat('ä' || g % 50, g % 3) end as words,
    date '2000-01-01' + g % 900 as day, time '00:00' + (g % 3000) * interval '1 second' as at,
    timestamptz '2001-02-03 04:05:06.789+00' + g * interval '1 minute' as moment,
    jsonb_build_object('n', g) as document,
    case g % 13
      when 0 then null when 1 then ST_GeomFromText('POINT EMPTY', 4326)
      when 2 then ST_Buffer(p, 0.01, 2) when 3 then ST_Force3D(ST_MakeLine(p, ST_Translate(p, 0.3, 0.2)), g)
      when 4 then ST_Collect(p, ST_Translate(p, 0.1, 0)) when 5 then ST_Collect(ST_Buffer(p, 0.02, 1), p)
      when 6 then ST_SetSRID(ST_MakePoint(200, 95), 4326) when 7 then ST_Force4D(p, g, g)
      when 8 then ST_GeomFromText('CIRCULARSTRING(8 51, 8.1 51.1, 8.2 51)', 4326)
      else p end as geom
  from (select g, ST_SetSRID(ST_MakePoint(7 + (g * 7919::bigint % 60013) / 30000.0, 50 + (g * 104729::bigint % 60013) / 30000.0), 4326) as p
    from generate_series(1, ${rows + 3000}) as g) as points`

async function serving(t: TestContext, env: Record<string, string> = {}): Promise<TestApp> {
  const server = await createTestApp({ env })
  t.after(() => server.close())
  return server
}

async function load(
  server: TestApp,
  files: { name: string; content: string | Buffer }[],
  mode = 'CREATE',
): Promise<void> {
  const client = clientOf(server)
  const target = { targetWorkspace: { workspace: { name: 'default' } } }
  const created = await client.call('POST', '', { import: target })
  const id = Number(created.json.import?.id)
  await client.upload(id, files)
  if (mode !== 'CREATE') await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

/** A server with a store of tables that the statements made. */
async function servingTables(t: TestContext, sql: string): Promise<{ server: TestApp; url: string }> {
  const url = await (await testCluster()).createDatabase()
  await runSql(url, sql)
  const server = await serving(t)
  const dataStore = { name: 'tables', type: 'PostGIS', connectionParameters: storeParameters(url, 'public') }
  const reply = await server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: server.admin,
    payload: { dataStore },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return { server, url }
}

function rowFiles({ dataDir }: TestApp): string[] {
  const root = join(dataDir, 'maps')
  const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  return files.filter((file) => /\.rows/.test(file))
}

/** Requests different tiles of a zoom level without generalization. */
async function askForTiles(server: TestApp, name: string, from: number, count: number): Promise<void> {
  const layer = await recordOf(server, name)
  for (let at = 0; at < count; at += 1) {
    const tile = { z: 14, x: 8500 + from + at, y: 5500 }
    await server.maps.tile(layer, { set: 'WebMercatorQuad', tile }, never)
  }
}

/** Returns the path of the file that the server creates after requests for some tiles. A failed attempt is repeated by later ones. */
async function rowFileOf(server: TestApp, name: string): Promise<string> {
  const { id } = await recordOf(server, name)
  const currentPath = async (): Promise<string> =>
    join(server.dataDir, 'maps', String(id), `${await versionOf(server, name)}.rows`)
  await askForTiles(server, name, 0, 16)
  let polls = 0
  await until(async () => {
    if (existsSync(await currentPath())) return true
    polls += 1
    if (polls % 100 === 0) await askForTiles(server, name, 16 + polls / 100, 1)
    return false
  })
  return currentPath()
}

const tiles = [
  ...[9, 10, 11].flatMap((z) => {
    const [x, y] = [Math.floor(2 ** z * (187.5 / 360)), Math.floor(2 ** z * 0.336)]
    return [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => ({ z, x: x + right, y: y + down })))
  }),
  ...[12, 13, 14, 16].map((z) => ({
    z,
    x: Math.floor(2 ** z * (188.3 / 360)),
    y: Math.floor(2 ** z * 0.334),
  })),
]

/** Tiles by the file and by the table: as many as have rows must be compared. */
async function compare(server: TestApp, name: string, path: string, attributes?: string[]): Promise<number> {
  const layer = await recordOf(server, name)
  const store = await server.catalog.layers.openStoreOf(layer)
  let read = 0
  for (const set of ['WebMercatorQuad', 'WorldCRS84Quad'] as const) {
    for (const tile of tiles.filter((one) => isTileOf(getTileMatrixSet(set), one))) {
      const source: TileSource = {
        table: layer.nativeName,
        crs: layer.details.srs ?? 'EPSG:4326',
        name,
        thinning: {},
      }
      const request: TileRequest = { set, tile, attributes }
      const { isOfVersion, ...quick } = await store.writeTile({ ...source, rowFile: path }, request, never)
      const { seen: _, ...slow } = await store.writeTile(source, request, never)
      assert.equal(isOfVersion, true, `${set} ${JSON.stringify(tile)}`)
      assert.deepEqual(Buffer.from(quick.bytes), Buffer.from(slow.bytes), `${set} ${JSON.stringify(tile)}`)
      const { read: found, ...counts } = quick.counts
      const { read: requested, ...others } = slow.counts
      assert.deepEqual(counts, others, `${set} ${JSON.stringify(tile)}`)
      assert.ok(found >= requested, `${found} of ${requested} rows`)
      read += requested
    }
  }
  return read
}

function assertMany(read: number, table = ''): void {
  assert.ok(read > 10_000, `${table}: ${read} rows`)
}

/** Tests tiles of row files; `isSelected` tells whether tiles with fewer attributes are compared too. */
export function describeRowFiles(isSelected: (table: string) => boolean): void {
  describe('tiles of rows that are laid out for them', { concurrency: false }, () => {
    it('have the same bytes as those of the table, over PostGIS, whatever its key and CRS', async (t) => {
      const { server } = await servingTables(
        t,
        `create table keyed as ${everyType}; alter table keyed add primary key (n);
       create table named as select n::text || 'ß' as n, words, geom from (${everyType}) as g; alter table named add primary key (n);
       create table keyless as select * from keyed;
       create table projected as select n, words, ST_Transform(geom, 25832) as geom from keyed where n % 13 <> 6;
       alter table projected add primary key (n)`,
      )
      for (const table of ['keyed', 'named', 'keyless', 'projected']) {
        await publishTable(server, 'tables', table, table === 'projected' ? 'EPSG:25832' : 'EPSG:4326')
        const path = await rowFileOf(server, table)
        assertMany(await compare(server, table, path), table)
        if (!isSelected(table)) continue
        assertMany(await compare(server, table, path, ['words']), table)
        assertMany(await compare(server, table, path, []), table)
      }
    })

    it('have the same bytes as those of the table, over a GeoPackage', async (t) => {
      const server = await serving(t)
      const url = await (await testCluster()).createDatabase()
      await runSql(url, `create table every as ${everyType}; alter table every add primary key (n)`)
      const file = join(server.dataDir, 'every.gpkg')
      const { hostname, port, pathname, username, password } = new URL(url)
      const source = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
      execFileSync('ogr2ogr', ['-f', 'GPKG', file, source, 'every', '-preserve_fid'])
      await load(server, [{ name: 'every.gpkg', content: readFileSync(file) }])
      const path = await rowFileOf(server, 'every')
      assertMany(await compare(server, 'every', path))
      assertMany(await compare(server, 'every', path, ['day', 'large']))
    })

    it('are of the version that the layer has, and go with it', async (t) => {
      const server = await serving(t)
      const squares = (count: number, version: number) => [
        { name: 'many.geojson', content: crowdedSquares(count, version) },
      ]
      await load(server, squares(rows, 1))
      const first = await rowFileOf(server, 'many')
      const layer = await recordOf(server, 'many')
      await server.catalog.layers.change(layer, { title: 'Many' })
      await askForTiles(server, 'many', 100, 1)
      const edited = join(server.dataDir, 'maps', String(layer.id), `${await versionOf(server, 'many')}.rows`)
      await until(() => existsSync(edited))
      assert.equal(statSync(edited).ino, statSync(first).ino, 'a title has not changed the rows')

      await load(server, squares(rows, 2), 'REPLACE')
      const shown = new Set<unknown>()
      const ask = async (x: number): Promise<void> => {
        const tile = { z: 12, x, y: 1371 }
        const made = await server.maps.tile(
          await recordOf(server, 'many'),
          { set: 'WebMercatorQuad', tile },
          never,
        )
        if (made.bytes.length === 0) return
        const { layers } = new VectorTile(new PbfReader(gunzipSync(made.bytes)))
        for (let at = 0; at < (layers['many']?.length ?? 0); at += 1)
          shown.add(layers['many']?.feature(at).properties['v'])
      }
      for (let x = 2128; x < 2150; x += 1) await ask(x)
      assert.deepEqual([...shown], [2])
      await until(() => rowFiles(server).every((file) => !file.endsWith(edited.slice(-6))))
      await server.catalog.layers.delete(await recordOf(server, 'many'), { recurse: true })
      await until(() => rowFiles(server).length === 0)
    })

    it('are not laid out of tables that have no key, or bytes that no tile shows', async (t) => {
      const { server } = await servingTables(
        t,
        `create table bytes as select g as n, '\\x00'::bytea as raw, ST_SetSRID(ST_MakePoint(g % 100 / 10.0, g / 300.0), 4326) as geom
         from generate_series(1, ${rows}) as g; alter table bytes add primary key (n);
       create view seen as select n, geom from bytes;
       create table plain as select * from seen; alter table plain add primary key (n)`,
      )
      for (const table of ['bytes', 'seen']) {
        await publishTable(server, 'tables', table)
        await askForTiles(server, table, 0, 40)
      }
      // The server creates these files one after the other, so the files of the other layers would exist by
      // now.
      await publishTable(server, 'tables', 'plain')
      await rowFileOf(server, 'plain')
      assert.equal(rowFiles(server).length, 1)
    })

    it('come from the table where the file is broken, gone, or has no room', async (t) => {
      const server = await serving(t)
      await load(server, [{ name: 'many.geojson', content: crowdedSquares(rows, 1) }])
      const path = await rowFileOf(server, 'many')
      const layer = await recordOf(server, 'many')
      const store = await server.catalog.layers.openStoreOf(layer)
      const tile = { z: 10, x: 532, y: 342 }
      const source: TileSource = { table: layer.nativeName, crs: 'EPSG:4326', name: 'many', thinning: {} }
      const request: TileRequest = { set: 'WebMercatorQuad', tile }
      const whole = await store.writeTile(source, request, never)
      assert.ok(whole.counts.drawn > 0)
      const copy = join(server.dataDir, 'broken.rows')
      for (const break_ of [
        () => execFileSync('cp', [path, copy]) && truncateSync(copy, statSync(copy).size - 1),
        () => truncateSync(copy, 10),
        () => rmSync(copy),
      ]) {
        break_()
        const made = await store.writeTile({ ...source, rowFile: copy }, request, never)
        assert.equal(made.isOfVersion, undefined)
        assert.deepEqual(made.bytes, whole.bytes)
      }

      const small = await serving(t, { TERRANE_MAX_TILE_COPIES: '100KiB' })
      await load(small, [{ name: 'many.geojson', content: crowdedSquares(rows, 1) }])
      await askForTiles(small, 'many', 0, 40)
      await until(() => rowFiles(small).length === 0)
      const kept = await small.maps.tile(
        await recordOf(small, 'many'),
        { set: 'WebMercatorQuad', tile },
        never,
      )
      assert.deepEqual(Buffer.from(kept.bytes), Buffer.from(whole.bytes))
    })
  })
}
