import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { defined, without } from '../../../src/core/values/defined.ts'
import type { CachedTile } from '../../../src/render/cache/cached-tile.ts'
import { generalizationOf } from '../../../src/render/sources/overviews.ts'
import type { TileCounts } from '../../../src/tiles/encode-tile.ts'
import type { LayerGeneralization } from '../../../src/tiles/generalize/layer-generalization.ts'
import { Overview, readOverviewHeader } from '../../../src/tiles/generalize/overview.ts'
import type { TileAddress, TileMatrixSetId } from '../../../src/tiles/tile-matrix-sets.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { crowdedSquares } from '../../support/crowded-squares.ts'
import { clientOf } from '../../support/importer-client.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { startServer } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'
import { publishTable, recordOf, versionOf } from '../../support/versioned-layers.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
const never = new AbortController().signal
const rows = 60_000

async function load(
  server: TestApp,
  name: string,
  content: string,
  { mode = 'CREATE', transforms }: { mode?: string; transforms?: object[] } = {},
): Promise<void> {
  const client = clientOf(server)
  const target = { targetWorkspace: { workspace: { name: 'default' } } }
  const created = await client.call('POST', '', { import: { ...target, ...(transforms && { transforms }) } })
  const id = Number(created.json.import?.id)
  await client.upload(id, [{ name: `${name}.geojson`, content }])
  if (mode !== 'CREATE') await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}

async function tileOf(
  server: TestApp,
  name: string,
  tile: TileAddress,
  set: TileMatrixSetId = 'WebMercatorQuad',
): Promise<CachedTile<TileCounts>> {
  return server.maps.tile(await recordOf(server, name), { set, tile }, never)
}

/** Returns the files stored in addition to a layer's data. */
function sideFiles(server: TestApp): string[] {
  const root = join(server.dataDir, 'maps')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(overview|copy\.gpkg|new)/.test(file))
    .sort()
}

async function overviewOf(server: TestApp, name: string): Promise<string> {
  const { id } = await recordOf(server, name)
  const path = join(server.dataDir, 'maps', String(id), `${await versionOf(server, name)}.overview`)
  await until(() => existsSync(path))
  return path
}

const addresses: TileAddress[] = [
  { z: 0, x: 0, y: 0 },
  { z: 1, x: 1, y: 0 },
  { z: 3, x: 4, y: 2 },
  { z: 6, x: 33, y: 21 },
  { z: 9, x: 267, y: 172 },
]

const everywhere = (['WebMercatorQuad', 'WorldCRS84Quad'] as const).flatMap((set) =>
  addresses.map((tile) => [set, tile] as const),
)

async function serving(t: TestContext, env: Record<string, string>): Promise<TestApp> {
  const server = await createTestApp({ env })
  t.after(() => server.close())
  return server
}

function unpacked({ bytes }: CachedTile): Buffer {
  return bytes.length === 0 ? Buffer.alloc(0) : gunzipSync(bytes)
}

/** Bytes and counts of some tiles, by what was made in the background and without it. */
async function bothWays(
  server: TestApp,
  name: string,
  header: LayerGeneralization,
  requested: readonly (readonly [TileMatrixSetId, TileAddress])[] = everywhere,
) {
  const layer = await recordOf(server, name)
  const store = await server.catalog.layers.openStoreOf(layer)
  const tiles = []
  for (const [set, tile] of requested) {
    const quick = await tileOf(server, name, tile, set)
    const { cells, areas } = header
    const thinning = generalizationOf({ cells, ...defined({ areas }) }, set, tile.z)
    const source = { table: layer.nativeName, crs: 'EPSG:4326', name, thinning }
    const slow = await store.writeTile(source, { set, tile }, never)
    assert.deepEqual(Buffer.from(quick.bytes), Buffer.from(slow.bytes), `${set} ${JSON.stringify(tile)}`)
    assert.deepEqual(quick.counts, slow.counts, `${set} ${JSON.stringify(tile)}`)
    tiles.push({ bytes: unpacked(quick).toString('base64'), counts: quick.counts })
  }
  return tiles
}

describe('tiles of a large layer', { concurrency: false }, () => {
  const made = new Map<string, unknown>()
  for (const [shape, environment] of Object.entries(shapes)) {
    it(`have the same bytes with and without the overview, and after a replacement, over ${shape}`, async (t) => {
      const server = await serving(t, await environment())
      await load(server, 'many', crowdedSquares(rows, 1))
      const path = await overviewOf(server, 'many')
      const header = readOverviewHeader(readFileSync(path))
      assert.ok(header !== undefined && header.levels > 0 && header.rows < rows / 10)
      assert.ok(Overview.read(readFileSync(path)) !== undefined)
      const tiles = await bothWays(server, 'many', header)
      made.set(shape, tiles)
      assert.ok(
        tiles[0] !== undefined && tiles[0].counts.thinned > rows * 0.8,
        JSON.stringify(tiles[0]?.counts),
      )

      const layer = await recordOf(server, 'many')
      await server.catalog.layers.change(layer, { title: 'Many' })
      assert.deepEqual(await bothWays(server, 'many', header, everywhere.slice(0, 1)), tiles.slice(0, 1))
      const edited = await overviewOf(server, 'many')
      assert.ok(edited !== path && statSync(edited).ino === statSync(path).ino, 'it was made anew')

      await load(server, 'many', crowdedSquares(12_000, 2), { mode: 'REPLACE' })
      const { bytes } = await tileOf(server, 'many', { z: 0, x: 0, y: 0 })
      const { layers } = new VectorTile(new PbfReader(gunzipSync(bytes)))
      const shown = layers['many']
      const versions = Array.from(
        { length: shown?.length ?? 0 },
        (_, at) => shown?.feature(at).properties['v'],
      )
      assert.deepEqual([...new Set(versions)], [2])
      const next = await overviewOf(server, 'many')
      await until(() => sideFiles(server).length === 1)
      assert.notEqual(next, path)
      await server.catalog.layers.delete(await recordOf(server, 'many'), { recurse: true })
      await until(() => sideFiles(server).length === 0)
    })
  }

  it('have the same bytes from a GeoPackage and from PostGIS', () => {
    const [first, second] = [...made.values()]
    assert.ok(first !== undefined)
    assert.deepEqual(first, second)
  })
})

const crowd = `select g as n, ST_SetSRID(ST_MakePoint(7 + (g * 7919::bigint % 60013) / 30000.0, 50 + (g * 104729::bigint % 60013) / 30000.0), 4326) as geom
  from generate_series(1, ${rows}) as g`

/** Tables that others wrote: what is made of them, and whether their low zooms have an overview. */
const foreign: [table: string, sql: string, hasOverview: boolean][] = [
  ['keyless', `create table keyless as ${crowd}`, true],
  ['named', `create table named as ${crowd}; alter table named alter n type text, add primary key (n)`, true],
  ['seen', 'create view seen as select * from keyless', false],
  [
    'here',
    `create table here as select g as n, ST_SetSRID(ST_MakePoint(7, 50), 4326) as geom from generate_series(1, ${rows}) as g`,
    true,
  ],
  [
    'odd',
    `create table odd as ${crowd}; update odd set geom = case n % 3 when 0 then 'SRID=4326;POINT(NaN NaN)' when 1 then null else 'SRID=4326;POINT EMPTY' end where n > 5`,
    false,
  ],
  ['empty', `create table empty as ${crowd} limit 0`, false],
]

/** A server with a store of tables that the statements made. */
async function servingTables(t: TestContext): Promise<{ server: TestApp; url: string }> {
  const url = await (await testCluster()).createDatabase()
  const server = await serving(t, {})
  const connectionParameters = storeParameters(url, 'public')
  const dataStore = { name: 'tables', type: 'PostGIS', connectionParameters }
  const reply = await server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: server.admin,
    payload: { dataStore },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return { server, url }
}

describe('tiles of tables that others wrote', () => {
  it('never mix two states of a table that changes all the time', async (t) => {
    const { server, url } = await servingTables(t)
    await runSql(url, `create table moving as select n, 0 as v, geom from (${crowd} limit 12000) as g`)
    await runSql(url, 'alter table moving add primary key (n)')
    await publishTable(server, 'tables', 'moving')
    const end = new AbortController()
    const changing = changeUntil(url, 'update moving set v = v + 1', end.signal)
    const seen = new Set<unknown>()
    for (let round = 0; round < 6; round += 1) {
      const tile = addresses[round % 3] ?? addresses[0]
      assert.ok(tile !== undefined)
      const versions = featuresOf(await tileOf(server, 'moving', tile), 'moving').map(
        (one) => one.properties?.['v'],
      )
      assert.ok(new Set(versions).size <= 1, `two states in one tile: ${[...new Set(versions)].join()}`)
      seen.add(versions[0])
    }
    end.abort()
    await changing
    assert.ok(seen.size > 1, 'nothing changed meanwhile')
  })

  it('have the same bytes with and without an overview', async (t) => {
    const { server, url } = await servingTables(t)
    for (const [table, sql, hasOverview] of foreign) {
      await runSql(url, sql)
      await publishTable(server, 'tables', table)
      const first = await tileOf(server, table, { z: 0, x: 0, y: 0 })
      const { id } = await recordOf(server, table)
      const [file] = sideFiles(server).filter((path) => path.startsWith(`${id}/`))
      const bytes = file === undefined ? undefined : readFileSync(join(server.dataDir, 'maps', file))
      const header = bytes === undefined ? undefined : readOverviewHeader(bytes)
      assert.equal((header?.levels ?? 0) > 0, hasOverview, `${table}: ${JSON.stringify(header)}`)
      await bothWays(server, table, header ?? { cells: [] }, everywhere.slice(0, 2))
      assert.ok(table === 'empty' || first.counts.drawn > 0, table)
    }
  })
})

/** Returns a thousand points in the north of Germany, and one outside the area of the CRS. */
function somePoints(): string {
  const features = Array.from({ length: 1000 }, (_, row) => ({
    type: 'Feature',
    properties: { 'näme "x"': `p${row}`, NÄME: row, day: '2024-02-29' },
    geometry: { type: 'Point', coordinates: [8 + (row % 40) / 100, 53 + Math.floor(row / 40) / 100] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

const local = 'LOCAL_CS["x",LOCAL_DATUM["y",0],UNIT["metre",1],AXIS["Easting",EAST],AXIS["Northing",NORTH]]'

describe('tiles of a layer in a CRS that only GDAL knows', () => {
  it('are refused with the reason where GDAL knows no way either', async (t) => {
    const server = await serving(t, {})
    await load(server, 'plain', somePoints())
    const layer = await recordOf(server, 'plain')
    for (const [crs, words] of [
      [{ wkt: local }, /GDAL knows no way: .*Cannot find coordinate operations/s],
      [{ srs: 'EPSG:999999' }, /Unknown CRS "EPSG:999999"/],
    ] as const) {
      const details = without({ ...layer.details, crs }, 'srs')
      await assert.rejects(server.maps.requireTiles({ ...layer, details }), {
        code: 'no-tiles',
        message: words,
      })
    }
  })

  for (const [shape, environment] of Object.entries(shapes)) {
    it(`come from a copy in web mercator, over ${shape}`, async (t) => {
      const server = await serving(t, await environment())
      await load(server, 'plain', somePoints())
      for (const target of ['EPSG:31467', 'ESRI:54030']) {
        const name = `far${target.slice(-5)}`
        await load(server, name, somePoints(), { transforms: [{ type: 'ReprojectTransform', target }] })
        for (const tile of [
          { z: 4, x: 8, y: 5 },
          { z: 12, x: 2140, y: 1331 },
        ]) {
          const [plain, copied] = [await tileOf(server, 'plain', tile), await tileOf(server, name, tile)]
          const [expected, found] = [featuresOf(plain, 'plain'), featuresOf(copied, name)]
          assert.ok(expected.length > 10)
          assert.deepEqual(
            found.map(({ id, properties }) => ({ id, properties })),
            expected.map(({ id, properties }) => ({ id, properties })),
          )
          for (const [at, { place }] of found.entries()) {
            const off = place.map((value, axis) => Math.abs(value - (expected[at]?.place[axis] ?? 0)))
            assert.ok(Math.max(...off) <= 1, `${target} ${off.join()}`)
          }
        }
        const some = await server.maps.tile(
          await recordOf(server, name),
          { set: 'WorldCRS84Quad', tile: { z: 3, x: 8, y: 1 }, attributes: ['NÄME'] },
          never,
        )
        assert.deepEqual(Object.keys(featuresOf(some, name)[0]?.properties ?? {}), ['NÄME'])
      }
      assert.equal(sideFiles(server).filter((file) => file.endsWith('.copy.gpkg')).length, 2)
    })
  }
})

async function changeUntil(url: string, sql: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await runSql(url, sql)
}

function featuresOf(tile: CachedTile, name: string) {
  const layer = new VectorTile(new PbfReader(unpacked(tile))).layers[name]
  return Array.from({ length: layer?.length ?? 0 }, (_, at) => {
    const feature = layer?.feature(at)
    const point = feature?.loadGeometry()[0]?.[0]
    return {
      id: feature?.id,
      properties: feature?.properties,
      place: [point?.x ?? Number.NaN, point?.y ?? Number.NaN],
    }
  })
}

describe('files that are made for tiles', () => {
  it('are not needed: a tile is the same where none can be written, and of the new data at once', async (t) => {
    const server = await serving(t, {})
    const others = await serving(t, {})
    writeFileSync(join(server.dataDir, 'maps', '1'), 'in the way')
    const tile = { z: 0, x: 0, y: 0 }
    for (const one of [server, others]) {
      await load(one, 'many', crowdedSquares(24_000, 1))
      await load(one, 'many', crowdedSquares(12_000, 2), { mode: 'REPLACE' })
    }
    const [without, made] = [await tileOf(server, 'many', tile), await tileOf(others, 'many', tile)]
    assert.deepEqual(sideFiles(server), [])
    assert.deepEqual(unpacked(without), unpacked(made))
    assert.deepEqual(without.counts, made.counts)
    const versions = new Set(featuresOf(made, 'many').map(({ properties }) => properties?.['v']))
    assert.deepEqual([...versions], [2])
  })

  it('are made anew after a server was killed while they were made', async (t) => {
    const dataDir = temporaryData(t)
    const server = await startServer(t, dataDir)
    const created = await server.call('POST', '/rest/imports', {
      import: { targetWorkspace: { workspace: { name: 'default' } } },
    })
    const id = Number(created.json.import?.id)
    await server.call('PUT', `/rest/imports/${id}/tasks/many.geojson`, JSON.parse(crowdedSquares(rows, 1)))
    await server.call('POST', `/rest/imports/${id}`)
    await server.importIn(id, ['COMPLETE'])
    await server.kill()
    const again = await createTestApp({ dataDir })
    t.after(() => again.close())
    const { counts } = await tileOf(again, 'many', { z: 0, x: 0, y: 0 })
    assert.ok(counts.drawn > 500 && counts.drawn + counts.thinned === rows, JSON.stringify(counts))
    await until(() => sideFiles(again).some((file) => file.endsWith('.overview')))
  })

  it('are swept at a start where they belong to nobody, and kept where another server may be writing', async (t) => {
    const server = await serving(t, {})
    const root = join(server.dataDir, 'maps')
    await server.close()
    mkdirSync(join(root, '77'), { recursive: true })
    const files = ['3.overview', '3.copy.gpkg', '3.copy.gpkg-wal']
    const unfinished = ['4.overview.0123456789ab.new', '4.copy.gpkg.0123456789ac.new']
    for (const file of [...files, ...unfinished]) writeFileSync(join(root, '77', file), '')
    utimesSync(join(root, '77', unfinished[0] ?? ''), 0, 0)
    const again = await createTestApp({ dataDir: server.dataDir })
    t.after(() => again.close())
    await until(() => sideFiles(again).length <= 1)
  })
})
