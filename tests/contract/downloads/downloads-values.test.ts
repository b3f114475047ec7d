import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { runProgram } from '../../../src/core/process/process.ts'
import { flatgeobuf } from '../../../src/formats/flatgeobuf/flatgeobuf.ts'
import type { Format } from '../../../src/formats/format.ts'
import { geopackage } from '../../../src/formats/geopackage/geopackage.ts'
import { geoparquet } from '../../../src/formats/geoparquet/geoparquet.ts'
import { shapefile } from '../../../src/formats/shapefile/shapefile.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { clientOf } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import type { ReadLayer } from '../../support/read-layer.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { addVersionStores } from '../../support/version-stores.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const rowCount = 300

/** Every type that a GeoPackage has, empty values, names that are long, alike and foreign, geometries of all kinds. */
const sourceSql = `
create schema source;
create table source.samples as
select n,
  case when n % 11 = 0 then null
       else (array['Ulm','Bäckerei','O''Brien','','日本','𝕬bc', repeat('ä', 200)])[1 + n % 7] end as "名前",
  case when n % 17 = 0 then null else 9007199254740990 + n % 7 end::bigint as a_long_name_one,
  case when n % 7 = 0 then null else (n * 31 % 97) / 8.0 end::float8 as a_long_name_two,
  case when n % 9 = 0 then null else date '2024-02-27' + n % 6 end as day,
  case when n % 8 = 0 then null else timestamptz '2024-02-28 22:00:00Z' + n % 40 * interval '1 hour' end as moment,
  case when n % 6 = 0 then null else n % 2 = 0 end as yes,
  case when n % 5 = 0 then null else decode(lpad(to_hex(n), 8, '0'), 'hex') end as bytes,
  case n % 6 when 0 then null
    when 1 then ST_SetSRID(ST_MakePoint(n / 10.0, 50), 4326)
    when 2 then ST_GeomFromText('MULTIPOINT(1 2,3 4)', 4326)
    when 3 then ST_GeomFromText('LINESTRING(8 50,9 51,9.1 51.2)', 4326)
    when 4 then ST_SetSRID(ST_MakeEnvelope(n % 20, 1, n % 20 + 1, 2), 4326)
    else ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4))', 4326) end as geom
from generate_series(1, ${rowCount}) n`

describe('values of downloads', needsGdal, () => {
  let server: TestApp
  let source: ReadLayer
  const cleanups: (() => unknown)[] = []
  const folderOf = (): string =>
    temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })

  before(async () => {
    server = await createTestApp()
    await addVersionStores(server)
    const url = await fileDatabase()
    await runSql(url, sourceSql)
    const file = join(folderOf(), 'samples.gpkg')
    const { hostname, port, pathname, username, password } = new URL(url)
    const from = `PG:host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password} active_schema=source`
    await runProgram('ogr2ogr', ['-f', 'GPKG', file, from, 'samples'])
    source = await readLayer(geopackage, file)
    assert.equal(source.rows.length, rowCount)
    for (const store of ['file', 'table']) await load(store, file)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  async function load(store: string, file: string): Promise<void> {
    const client = clientOf(server)
    const targetStore = { dataStore: { name: store } }
    const created = await client.call('POST', '', {
      import: { targetWorkspace: { workspace: { name: 'default' } }, targetStore },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: `of_${store}.gpkg`, content: readFileSync(file) }])
    await client.call('PUT', `/${id}/tasks/0`, { task: { layer: { name: `of_${store}` } } })
    await client.call('POST', `/${id}`)
    const done = await client.call('GET', `/${id}`)
    assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
  }

  async function fetchFile(layer: string, f: string, more = ''): Promise<{ path: string; losses: string }> {
    const url = `/ogc/collections/default:${layer}/download?f=${f}${more}`
    const reply = await downloaded(server, url, server.admin)
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
    const path = join(folderOf(), `a.${f}`)
    writeFileSync(path, reply.rawPayload)
    return { path, losses: decodeURIComponent(String(reply.headers['terrane-losses'])) }
  }

  const plain = ({ rows, layer }: ReadLayer): object[] => {
    const names = layer.schema.attributes.map(({ name }) => name)
    return rows.map(({ geometry, values }) => ({
      geometry,
      ...Object.fromEntries(names.map((name, at) => [name, values[at]])),
    }))
  }

  for (const layer of ['of_file', 'of_table'])
    for (const [f, format] of [
      ['gpkg', geopackage],
      ['parquet', geoparquet],
    ] as [string, Format][])
      it(`are those of the source in ${f} ${layer}, every type and geometry`, async () => {
        const { path } = await fetchFile(layer, f)
        const read = await readLayer(format, path)
        // The id of a feature is a column of GeoPackages alone.
        const isHeld = (name: string): boolean => f === 'gpkg' || name !== 'fid'
        const held = plain(source).map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => isHeld(name))),
        )
        assert.deepEqual(plain(read), held)
        const types = ({ layer: { schema } }: ReadLayer) =>
          schema.attributes.flatMap(({ name, type }) => (isHeld(name) ? [[name, type]] : []))
        assert.deepEqual(types(read), types(source))
        assert.equal(read.layer.schema.geometry?.crs?.srs, 'EPSG:4326')
      })

  it('are read from GeoParquet by hyparquet, which knows the CRS', async () => {
    const { path } = await fetchFile('of_table', 'parquet', '&crs=EPSG:25832&bbox=0,40,30,60')
    const bytes = readFileSync(path)
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    const { key_value_metadata: keys } = await parquetMetadataAsync(file)
    const geo = JSON.parse(keys?.find(({ key }) => key === 'geo')?.value ?? '') as {
      columns: Record<string, { crs: { id: { code: number } }; geometry_types: string[] }>
    }
    assert.equal(geo.columns['geom']?.crs.id.code, 25832)
    assert.deepEqual(geo.columns['geom']?.geometry_types, ['LineString', 'Point'])
    assert.ok(
      (
        await parquetReadObjects({
          file,
          compressors: { ZSTD: (bytes) => new Uint8Array(zstdDecompressSync(bytes)) },
        })
      ).length > 50,
    )
  })

  it('are in a Shapefile for each kind of geometry, with short names, and what was cut is told', async () => {
    const { path, losses } = await fetchFile('of_table', 'shp')
    const folder = join(folderOf(), 'zip')
    mkdirSync(folder)
    execFileSync('unzip', ['-q', path, '-d', folder])
    const names = readdirSync(folder).filter((name) => /\.(dbf|txt)$/.test(name))
    assert.deepEqual(names.toSorted(), [
      'about.txt',
      'of_table_collections.dbf',
      'of_table_lines.dbf',
      'of_table_multipoints.dbf',
      'of_table_points.dbf',
      'of_table_polygons.dbf',
    ])
    assert.match(readFileSync(join(folder, 'about.txt'), 'utf8'), /a_long_name_two → a_long_n_1/)
    assert.match(losses, /left out: "bytes".*texts that were cut, and how many: "名前 \(39\)"/s)
    const { layer, rows } = await readLayer(shapefile, join(folder, 'of_table_lines.shp'))
    assert.deepEqual(
      layer.schema.attributes.map(({ name }) => name),
      ['n', '名前', 'a_long_nam', 'a_long_n_1', 'day', 'moment', 'yes'],
    )
    assert.equal(rows.length, rowCount / 6)
  })

  it('of FlatGeobuf hold every row, or tell which are missing', async () => {
    const { path, losses } = await fetchFile('of_file', 'fgb')
    const { rows } = await readLayer(flatgeobuf, path)
    const [, missing = '0'] = /(\d+) rows without geometry/.exec(losses) ?? []
    assert.equal(rows.length + Number(missing), rowCount)
  })

  it('are of one state of the layer while imports replace it', async () => {
    const points = (generation: number): Points =>
      Array.from({ length: 400 + generation }, (_, at) => [`g${generation}`, at / 10, generation])
    for (const store of ['file', 'table']) {
      const name = `moving_${store}`
      await importPoints(server, { name, store, points: points(0) })
      const seen = new Set<string>()
      const look = async (format: Format, f: string): Promise<void> => {
        const { rows } = await readLayer(format, (await fetchFile(name, f)).path)
        const generations = [
          ...new Set(rows.map(({ values }) => String(values.find((value) => typeof value === 'string')))),
        ]
        assert.equal(generations.length, 1, generations.join(' '))
        assert.equal(rows.length, 400 + Number(generations[0]?.slice(1)))
        seen.add(generations[0] ?? '')
      }
      await look(geopackage, 'gpkg')
      let isOver = false
      const replaced = (async () => {
        for (let generation = 1; generation <= 4; generation += 1)
          await importPoints(server, { name, store, mode: 'REPLACE', points: points(generation) })
      })().finally(() => {
        isOver = true
      })
      for (let tries = 0; !isOver; tries += 1)
        await (tries % 2 === 0 ? look(geoparquet, 'parquet') : look(geopackage, 'gpkg'))
      await replaced
      await look(geoparquet, 'parquet')
      assert.ok(seen.has('g0') && seen.has('g4'), [...seen].join(' '))
    }
  })
})
