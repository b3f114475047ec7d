import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { convertedVector } from '../../support/gdal-session.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, readItems, shareImporter, startImporter } from '../../support/importer-client.ts'
import { runSql } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { until } from '../../support/until.ts'

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
const most = ['csv', 'flatgeobuf', 'geojson', 'geopackage', 'geoparquet', 'gpx', 'kml', 'shapefile']
const folders: Record<keyof typeof shapes, string[]> = {
  'SQLite and GeoPackage': most,
  'PostgreSQL and PostGIS': ['flatgeobuf', 'geopackage', 'kml'],
}
const target = { targetStore: { dataStore: { name: 'default' } } }

async function importOf(client: ImporterClient, folder: string): Promise<{ id: number; tasks: Json[] }> {
  client.provide(folder)
  const created = await client.call('POST', '', {
    import: { ...target, data: { type: 'directory', location: folder } },
  })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  return { id, tasks: listOf((await client.call('GET', `/${id}/tasks?expand=2`)).json.tasks) }
}

/** The values of a feature without the id of its row in a GeoPackage, which is the id of the feature in a layer and with GDAL. */
function valuesOf({ properties }: Json): unknown[] {
  return Object.entries(properties ?? {}).flatMap(([name, value]) => (name === 'fid' ? [] : [value]))
}

/** Properties and places, without the names of columns: stores have rules of their own for those. */
function contentOf({ features }: Json): { values: unknown[]; geometry: Json }[] {
  return listOf(features).map((feature) => ({
    values: valuesOf(feature),
    geometry: feature.geometry as Json,
  }))
}

function isNear(one: unknown, other: unknown, share = 1e-9): boolean {
  if (typeof one === 'number' && typeof other === 'number')
    return Math.abs(one - other) <= share * Math.max(1, Math.abs(one))
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isNear(value, other[at], share))
  return one === other
}

async function compareWithLayer(client: ImporterClient, looked: Json, name: string): Promise<void> {
  const [before, after] = [contentOf(looked), contentOf(await readItems(client, name, 'limit=10000'))]
  assert.equal(before.length, after.length, name)
  for (const [at, row] of before.entries()) {
    const loaded = after[at]
    assert.ok(isNear(row.values, loaded?.values), `${name} ${JSON.stringify([row.values, loaded?.values])}`)
    if (row.geometry === null) assert.equal(loaded?.geometry, null)
    else {
      const isMulti = row.geometry.type !== loaded?.geometry?.type
      const coordinates = isMulti ? [row.geometry.coordinates] : row.geometry.coordinates
      assert.ok(isNear(coordinates, loaded?.geometry?.coordinates), `${name} row ${at}`)
    }
  }
}

async function start(test: TestContext, shape: keyof typeof shapes): Promise<ImporterClient> {
  return startImporter(test, { env: await shapes[shape]() })
}

for (const shape of Object.keys(shapes) as (keyof typeof shapes)[]) {
  describe(`a look at rows before they are loaded, with ${shape}`, () => {
    it('shows the rows that the layer has afterwards, in every format', async (test) => {
      const client = await start(test, shape)
      for (const folder of folders[shape]) {
        const { id, tasks } = await importOf(client, folder)
        const looks = new Map<number, Json>()
        for (const { id: taskId, state } of tasks) {
          const path = `/${id}/tasks/${taskId}`
          if (String(state) === 'NO_CRS') {
            await client.call('PUT', path, { task: { layer: { srs: 'EPSG:4326' } } })
          }
          const rows = await client.call('GET', `${path}/rows?limit=10000`)
          assert.equal(rows.status, 200, `${folder} ${rows.text}`)
          looks.set(Number(taskId), rows.json)
        }
        await client.call('POST', `/${id}`)
        for (const { id: taskId } of tasks) {
          const { task } = (await client.call('GET', `/${id}/tasks/${taskId}`)).json
          assert.equal(String(task?.state), 'COMPLETE', `${folder} ${JSON.stringify(task)}`)
          const looked = looks.get(Number(taskId)) as Json
          assert.equal(Number(looked.rejected), Number(task?.rejected ?? 0))
          await compareWithLayer(client, looked, `default:${task?.layer?.name}`)
        }
      }
    })

    it('counts what columns hold as SQL does of the loaded table', async (test) => {
      const env: Record<string, string> = await shapes[shape]()
      const client = await startImporter(test, { env })
      const id = await upload(client, 'values.csv', ['name,n,share,day', ...valueLines(3000)].join('\n'))
      await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { srs: 'EPSG:4326' } } })
      const counted = await client.call('GET', `/${id}/tasks/0/columns?wait=60`)
      assert.equal(counted.status, 200, counted.text)
      assert.deepEqual(counted.json.rows, { counted: 3000, rejected: 0, total: 3000, whole: true })
      await client.call('POST', `/${id}`)
      for (const { name, ...figures } of listOf(counted.json.columns)) {
        const found = await figuresBySql(client, env, String(name))
        const { count, empty, distinct, min, max, frequent, exact } = figures as Json
        const [first] = listOf(frequent)
        assert.deepEqual(
          { count, empty, distinct, min, max, most: first?.count, exact },
          { ...found, exact: true },
          String(name),
        )
      }
    })

    it('draws a map of the rows, all of them when they were read', async (test) => {
      const client = await start(test, shape)
      const id = await upload(client, 'points.geojson', pointsText(5000))
      const path = `/${id}/tasks/0`
      const features = await client.call('GET', `${path}/preview.geojson?limit=3`)
      assert.equal(features.status, 200, features.text)
      assert.equal(listOf(features.json.features).length, 3)
      await client.call('GET', `${path}/columns?wait=60`)
      await until(async () => {
        const { headers } = await client.call('GET', `${path}/preview/0/0/0.mvt`)
        return headers['terrane-preview'] === 'rows=5000, whole=?1'
      })
      const tile = await client.server.app.inject({
        method: 'GET',
        url: `/rest/imports${path}/preview/0/0/0.mvt`,
        headers: client.server.admin,
      })
      const [layer] = Object.values(new VectorTile(new PbfReader(tile.rawPayload)).layers)
      assert.equal(layer?.name, 'points')
      assert.equal(layer?.length, 5000)
      const { bbox } = (await client.call('GET', `${path}/preview.geojson`)).json
      assert.deepEqual(bbox, [5, 50, 5.99, 50.49])
      assert.deepEqual(listOf((await client.call('GET', '/../layers')).json.layers?.layer), [])
    })
  })
}

/** Names (some empty, some with two-byte letters), numbers with nulls, fractions, dates. */
function* valueLines(count: number): Generator<string> {
  for (let at = 0; at < count; at += 1) {
    const name = at % 11 === 0 ? '' : `näme ${at % 7}`
    const day = `20${10 + (at % 9)}-0${1 + (at % 9)}-1${at % 10}`
    yield [name, at % 5 === 0 ? '' : (at * 7919) % 1009, ((at % 97) - 40) / 8, day].join(',')
  }
}

function pointsText(count: number): string {
  const features = Array.from({ length: count }, (_, at) => ({
    type: 'Feature',
    properties: { at },
    geometry: { type: 'Point', coordinates: [5 + (at % 100) / 100, 50 + Math.floor(at / 100) / 100] },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

async function upload(client: ImporterClient, name: string, content: string): Promise<number> {
  const created = await client.call('POST', '', { import: target })
  const id = Number(created.json.import?.id)
  const sent = await client.upload(id, [{ name, content }])
  assert.equal(sent.status, 201, sent.text)
  return id
}

/** Returns the statistics of a column of the loaded table `values`, computed in SQL. */
async function figuresBySql(client: ImporterClient, env: Record<string, string>, column: string) {
  const isText = column === 'name'
  const empty = isText ? `(${column} is null or ${column} = '')` : `${column} is null`
  const shown = (what: string): string =>
    env.TERRANE_DATABASE_URL !== undefined && isText ? `${what}(${column} collate "C")` : `${what}(${column})`
  const of = `from (select * from "values" where not ${empty}) as filled`
  const sql = `select (select count(*) from "values") as count, (select count(*) from "values" where ${empty}) as empty,
    (select count(distinct ${column}) ${of}) as "distinct", (select ${shown('min')} ${of}) as min,
    (select ${shown('max')} ${of}) as max,
    (select max(n) from (select count(*) as n ${of} group by ${column}) as groups) as most`
  const [row = {}] = await rowsOfSql(client, env, sql)
  const plain = Object.entries(row).map(([name, value]) => [name, plainValue(column, value)])
  return Object.fromEntries(plain)
}

function plainValue(column: string, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  const isNumber = typeof value === 'string' && column !== 'name' && /^-?[\d.]+$/.test(value)
  return typeof value === 'bigint' || isNumber || /^\d+$/.test(String(value)) ? Number(value) : value
}

async function rowsOfSql(
  { server }: ImporterClient,
  env: Record<string, string>,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const url = env.TERRANE_DATABASE_URL
  if (url !== undefined) return runSql(url, sql.replaceAll('"values"', await tableOf(url)))
  const stores = join(server.dataDir, 'stores')
  const path = readdirSync(stores, { recursive: true }).find((name) => String(name).endsWith('.gpkg'))
  const database = new DatabaseSync(join(stores, String(path)), { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

async function tableOf(url: string): Promise<string> {
  const [row] = await runSql(url, "select schemaname from pg_tables where tablename = 'values'")
  return `"${row?.schemaname}"."values"`
}

describe('a look at rows', () => {
  const shared = shareImporter()
  it('of a task in NO_CRS tries CRS, and none is guessed', async () => {
    const client = shared()
    const id = await upload(
      client,
      'places.csv',
      'WKT,n\nPOINT (500000 5600000),1\nPOINT (500010 5600020),2\n',
    )
    const path = `/${id}/tasks/0`
    assert.equal(String((await client.call('GET', path)).json.task?.state), 'NO_CRS')
    const raw = await client.call('GET', `${path}/rows`)
    assert.deepEqual(listOf(raw.json.features)[0]?.geometry?.coordinates, [500000, 5600000])
    const unnamed = await client.call('GET', `${path}/preview.geojson`)
    assert.deepEqual([unnamed.status, unnamed.json.code], [409, 'no-crs'])
    for (const [srs, longitude, latitude] of [
      ['EPSG:25832', 9, 50.55],
      ['EPSG:25833', 15, 50.55],
    ] as const) {
      const shown = await client.call('GET', `${path}/preview.geojson?srs=${srs}`)
      const [x, y] = listOf<number>(listOf(shown.json.features)[0]?.geometry?.coordinates)
      assert.ok(Math.abs(Number(x) - longitude) < 0.01 && Math.abs(Number(y) - latitude) < 0.01, shown.text)
      const rows = await client.call('GET', `${path}/rows?srs=${srs}`)
      assert.deepEqual(listOf<number>(listOf(rows.json.features)[0]?.geometry?.coordinates)[0], x)
    }
    assert.equal((await client.call('GET', `${path}/rows?srs=EPSG:1`)).json.code, 'unknown-srs')
    assert.equal(String((await client.call('GET', path)).json.task?.state), 'NO_CRS')
    const csv = await client.call('GET', `${path}/rows?offset=1&f=csv`)
    assert.equal(csv.text, 'n,WKT\r\n2,POINT (500010 5600020)\r\n')
  })

  it('goes on where a row is bad, and counts it', async () => {
    const client = shared()
    const lines = ['a,lat,lon', 'x,50,8', 'y,north,8', 'z,51,9']
    const id = await upload(client, 'bad.csv', `${lines.join('\n')}\n`)
    const path = `/${id}/tasks/0`
    const step = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
    await client.call('PUT', path, { task: { layer: { srs: 'EPSG:4326' } } })
    assert.equal((await client.call('POST', `${path}/transforms`, step)).status, 201)
    const { json } = await client.call('GET', `${path}/rows`)
    assert.deepEqual([json.numberReturned, json.rejected, json.hasMore], [2, 1, false])
    assert.deepEqual(
      listOf(json.features).map(({ id: row }) => row),
      [1, 3],
    )
    const { rows } = (await client.call('GET', `${path}/columns?wait=30`)).json
    assert.deepEqual(rows, { counted: 2, rejected: 1, total: 3, whole: true })
  })

  it('is given up when its task is edited, its file changes, or its import goes', async (test) => {
    const client = await startImporter(test)
    const sides = join(client.server.dataDir, 'sides')
    const file = join(client.server.dataDir, 'incoming', 'points.csv')
    writeFileSync(file, 'WKT\nPOINT (1 2)\n')
    const created = await client.call('POST', '', {
      import: { ...target, data: { type: 'file', file: 'points.csv' } },
    })
    const path = `/${created.json.import?.id}/tasks/0`
    await client.call('PUT', path, { task: { layer: { srs: 'EPSG:4326' } } })
    const files = (): string[] =>
      readdirSync(sides, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.gpkg'))
    const rowsShown = async () => (await client.call('GET', `${path}/preview.geojson`)).json.rows
    assert.equal(await rowsShown(), 1)
    assert.equal(files().length, 1)
    appendFileSync(file, 'POINT (3 4)\n')
    assert.equal(await rowsShown(), 2)
    await client.call('PUT', path, { task: { layer: { title: 'Points' } } })
    assert.deepEqual(files(), [])
    assert.equal(await rowsShown(), 2)
    await client.call('DELETE', `/${created.json.import?.id}`)
    assert.deepEqual(files(), [])
    assert.equal((await client.call('GET', `${path}/rows`)).status, 404)
  })

  it('that a killed server has left is removed at the next start', async (test) => {
    const dataDir = temporaryFolder(test)
    for (const name of ['preview-0123456789ab', 'changes-5']) {
      mkdirSync(join(dataDir, 'sides', name), { recursive: true })
      writeFileSync(join(dataDir, 'sides', name, '1.gpkg'), 'left')
    }
    const client = await startImporter(test, { dataDir })
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'sides')), ['changes-5'])
  })

  it('of rasters shows where they lie; of a task that is done or cannot be read it says why not', async () => {
    const client = shared()
    client.provide('raster/world.byte.tif')
    const created = await client.call('POST', '', {
      import: { data: { type: 'file', file: 'world.byte.tif' } },
    })
    const id = created.json.import?.id
    const { json } = await client.call('GET', `/${id}/tasks/0/rows`)
    const [feature] = listOf(json.features)
    assert.equal(String(feature?.geometry?.type), 'Polygon')
    assert.deepEqual(Object.keys(feature?.properties ?? {}), [
      'file',
      'time',
      'width',
      'height',
      'size_bytes',
    ])
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}/tasks/0/columns`)
    assert.deepEqual([done.status, done.json.code], [409, 'nothing-to-look-at'])
    const nothing = await upload(client, 'readme.bin', 'nothing that anybody reads')
    assert.equal((await client.call('GET', `/${nothing}/tasks/0/rows`)).json.code, 'nothing-to-look-at')
  })

  it('is shared by all who look, and nobody but staff may', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'points.geojson', pointsText(3000))
    const path = `/${id}/tasks/0`
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => client.call('GET', `${path}/preview/0/0/0.mvt`)),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const sides = join(client.server.dataDir, 'sides')
    const names = readdirSync(sides, { recursive: true }).map(String)
    assert.ok(names.filter((name) => name.endsWith('-first.gpkg')).length === 1, names.join())
    const anonymous = await client.server.app.inject({ method: 'GET', url: `/rest/imports${path}/rows` })
    assert.equal(anonymous.statusCode, 401)
  })
})

/** A millimetre in degrees, a little more than the way from other CRS may differ by. */
const millimetre = 1e-8

/** A file as GDAL shows it, with longitude and latitude. */
function gdalRows(fixture: string): Json {
  const file = join('tests/fixtures', fixture)
  return JSON.parse(convertedVector(file, ['-f', 'GeoJSON', '-t_srs', 'EPSG:4326'])) as Json
}

describe('rows beside those of ogr2ogr', needsGdal, () => {
  const shared = shareImporter()
  for (const fixture of ['flatgeobuf/countries.fgb', 'geopackage/stations.gpkg', 'shapefile/coutwildrnp']) {
    it(`have the same values and places: ${fixture}`, async () => {
      const client = shared()
      const isShapefile = fixture.startsWith('shapefile')
      const main = isShapefile ? `${fixture}.shp` : fixture
      if (isShapefile)
        for (const ending of ['shp', 'shx', 'dbf', 'prj']) client.provide(`${fixture}.${ending}`)
      else client.provide(main)
      const file = basename(main)
      const created = await client.call('POST', '', { import: { data: { type: 'file', file } } })
      const path = `/${created.json.import?.id}/tasks/0/rows?limit=10000`
      const ours = listOf((await client.call('GET', path)).json.features)
      const theirs = listOf(gdalRows(main).features)
      assert.equal(ours.length, theirs.length)
      for (const [at, feature] of ours.entries()) {
        const { properties, geometry } = theirs[at] as Json
        assert.ok(
          isNear(valuesOf(feature), Object.values(properties ?? {})),
          JSON.stringify([feature.properties, properties]),
        )
        assert.equal(String(feature.geometry?.type), String(geometry?.type))
        const [own, given] = [feature.geometry?.coordinates, geometry?.coordinates]
        assert.ok(isNear(own, given, millimetre), `row ${at}`)
      }
    })
  }
})
