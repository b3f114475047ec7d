import assert from 'node:assert/strict'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import { extractArchive } from '../../../src/inputs/archive.ts'
import type { GdalTable } from '../../support/gdal-files.ts'
import {
  describeFile,
  formatOf,
  gdalFixture,
  needsGdal,
  readBatches,
  readTables,
  testFolder,
} from '../../support/gdal-files.ts'
import { defaultSourceLimits } from '../../support/source-limits.ts'

const features = [
  ['Grüße', '007', 5, 1.5, '2024/02/29', '2024/02/29 12:34:56', [500_000.5, 5_600_000.25, 12.5]],
  ['b "c"', '8', -6, 0.1, '2024/03/01', '2024/03/01 00:00:00', [500_001, 5_600_001, 0]],
].map(([name, code, n, r, day, at, coordinates]) => ({
  type: 'Feature',
  properties: { name, code, n, r, day, at },
  geometry: { type: 'Point', coordinates },
}))
const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } }
const moments = ['2024-02-29T12:34:56Z', '2024-03-01T00:00:00Z'].map(
  (text) => BigInt(Date.parse(text)) * 1000n,
)

/** Writes the features above with GDAL and these arguments. */
async function written(test: TestContext, name: string, ...args: string[]): Promise<string> {
  const folder = await testFolder(test)
  const source = join(folder, 'places.geojson')
  await writeFile(source, JSON.stringify({ type: 'FeatureCollection', crs, features }))
  await mkdir(join(folder, 'made'))
  const path = join(folder, 'made', name)
  await runProgram('ogr2ogr', [...args, path, source])
  return path
}

async function readOne(path: string): Promise<GdalTable> {
  const [table, ...more] = await readTables(path)
  assert.ok(table !== undefined && more.length === 0)
  return table
}

const envelope = { minX: 500_000.5, minY: 5_600_000.25, maxX: 500_001, maxY: 5_600_001 }

/** Sets the time of the statistics of a SpatiaLite file: GDAL trusts statistics newer than the last row. */
function dateStatistics(path: string, time: string): void {
  const database = new DatabaseSync(path)
  database.prepare('update geometry_columns_statistics set last_verified = ?').run(time)
  database.close()
}

describe('what GDAL reads, beside what it was made from', needsGdal, () => {
  const exact: [string, string, boolean, ...string[]][] = [
    ['MapInfo File', 'a.tab', false, '-f', 'MapInfo File'],
    ['MapInfo File', 'a.mif', false, '-f', 'MapInfo File', '-dsco', 'FORMAT=MIF'],
    ['SQLite / Spatialite', 'a.sqlite', true, '-f', 'SQLite', '-nln', 'places'],
    ['SQLite / Spatialite', 'b.sqlite', true, '-f', 'SQLite', '-dsco', 'SPATIALITE=YES', '-nln', 'places'],
    ['GML', 'a.gml', true, '-f', 'GML', '-dsco', 'FORMAT=GML2'],
    ['GML', 'b.gml', true, '-f', 'GML', '-dsco', 'FORMAT=GML3'],
    ['GML', 'c.gml', true, '-f', 'GML', '-dsco', 'FORMAT=GML3.2'],
  ]
  for (const [format, name, hasZ, ...args] of exact) {
    it(`keeps names, types, values, CRS and bounds of ${name} (${args.at(-1)})`, async (test) => {
      const path = await written(test, name, ...args)
      if (name === 'b.sqlite') dateStatistics(path, '2999-01-01T00:00:00.000Z')
      assert.equal((await formatOf({ path, sidecars: {} }))?.name, format)
      const { layer, columns, rows } = await readOne(path)
      const own = columns.filter((column) => !/^(gml_id|fid|ogc_fid) /.test(column))
      assert.deepEqual(own, ['name text', 'code text', 'n int32', 'r float64', 'day date', 'at timestamp'])
      assert.deepEqual(
        rows.map((row) => row.slice(columns.length - own.length)),
        [
          ['Grüße', '007', 5, 1.5, 19_782, moments[0]],
          ['b "c"', '8', -6, 0.1, 19_783, moments[1]],
        ],
      )
      const { geometry } = layer.schema
      assert.deepEqual([geometry?.type, geometry?.hasZ, geometry?.crs?.srs], ['Point', hasZ, 'EPSG:25832'])
      assert.deepEqual(layer.envelope, envelope)
      assert.equal(layer.featureCount, 2)
    })
  }

  it('shows the bounds of the index of a SpatiaLite file whose statistics are old: 32-bit floats, outwards', async (test) => {
    const path = await written(test, 'b.sqlite', '-f', 'SQLite', '-dsco', 'SPATIALITE=YES', '-nln', 'places')
    dateStatistics(path, '2000-01-01T00:00:00.000Z')
    const { layer } = await readOne(path)
    assert.deepEqual(layer.envelope, { ...envelope, minY: 5_600_000 })
  })

  const partial: [string, string, ...string[]][] = [
    ['AutoCAD DXF', 'a.dxf', '-f', 'DXF', '-select', ''],
    ['GMT ASCII Vectors (.gmt)', 'a.gmt', '-f', 'OGR_GMT'],
    ['OpenJUMP JML', 'a.jml', '-f', 'JML'],
    ['Microstation DGN', 'a.dgn', '-f', 'DGN', '-select', ''],
    ['Geoconcept', 'a.gxt', '-f', 'Geoconcept'],
  ]
  for (const [format, name, ...args] of partial) {
    it(`reads every feature of ${name} in its place`, async (test) => {
      const path = await written(test, name, ...args)
      assert.equal((await formatOf({ path, sidecars: {} }))?.name, format)
      const { layer, batches } = await readOne(path)
      assert.equal(layer.featureCount, 2)
      const [x, y] = batches[0]?.geometry?.envelopes ?? []
      assert.deepEqual(
        [x, y].map((value) => Math.round((value ?? 0) * 4) / 4),
        [500_000.5, 5_600_000.25],
      )
    })
  }

  it('reads MapML, TopoJSON, ESRIJSON and OpenStreetMap files', async (test) => {
    const folder = await testFolder(test)
    const mapml = await written(test, 'a.mapml', '-f', 'MapML')
    assert.equal((await readOne(mapml)).layer.featureCount, 2)
    const files = {
      'a.topojson': {
        type: 'Topology',
        arcs: [
          [
            [1, 2],
            [1, 1],
          ],
        ],
        objects: {
          roads: {
            type: 'GeometryCollection',
            geometries: [{ type: 'LineString', arcs: [0], properties: { a: '007' } }],
          },
        },
      },
      'a.json': {
        geometryType: 'esriGeometryPoint',
        spatialReference: { wkid: 4326 },
        fields: [{ name: 'a', type: 'esriFieldTypeString' }],
        features: [{ attributes: { a: '007' }, geometry: { x: 1, y: 2 } }],
      },
    }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), JSON.stringify(content))
      const { rows, columns } = await readOne(join(folder, name))
      assert.equal(rows[0]?.[columns.indexOf('a text')], '007', name)
    }
    const osm =
      '<?xml version="1.0"?><osm version="0.6"><node id="1" lat="48" lon="11" version="1"><tag k="name" v="x"/></node></osm>'
    await writeFile(join(folder, 'a.osm'), osm)
    const { layer, batches } = await readOne(join(folder, 'a.osm'))
    assert.deepEqual([layer.name, layer.schema.geometry?.crs?.srs], ['points', 'EPSG:4326'])
    assert.deepEqual([...(batches[0]?.geometry?.envelopes ?? [])], [11, 48, 11, 48])
  })

  it('does not load numbers that GDAL would cut', async (test) => {
    const path = join(await testFolder(test), 'a.sqlite')
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (9007199254740993)')
    database.close()
    await assert.rejects(readTables(path), { code: 'gdal-failed', message: /BIGINT/ })
  })
})

describe('a File Geodatabase', needsGdal, () => {
  it('is read from its folder, out of an archive too: every layer, with heights and measures', async (test) => {
    const folder = await testFolder(test)
    const signal = new AbortController().signal
    const archive = gdalFixture('testopenfilegdb.gdb.zip').path
    await extractArchive(archive, folder, { limits: defaultSourceLimits, signal })
    const path = join(folder, 'testopenfilegdb.gdb')
    assert.equal((await formatOf({ path, sidecars: {} }))?.name, 'ESRI FileGDB')
    const file = { path, sidecars: {} }
    const layers = await describeFile(file)
    assert.equal(layers.length, 36, 'one of the 37 is empty')
    const shapes = layers.map(({ name, schema: { geometry } }) => {
      const { type, hasZ, hasM, crs: declared } = geometry ?? {}
      return `${name} ${type} ${hasZ} ${hasM} ${declared?.srs}`
    })
    const some = [
      'point Point false false EPSG:4326',
      'multilinestring25D MultiLineString true false EPSG:4326',
      'polygonzm MultiPolygon true true EPSG:4326',
      'pointm Point false true EPSG:4326',
      'none undefined undefined undefined undefined',
    ]
    for (const shape of some) assert.ok(shapes.includes(shape), shape)
    for (const layer of layers.filter(({ name }) =>
      ['none', 'polygonzm', 'big_layer', 'null_polygon'].includes(name),
    )) {
      const batches = await readBatches(file, layer)
      const count = batches.reduce((sum, { rowCount, rejects }) => sum + rowCount + rejects.length, 0)
      assert.equal(count, layer.featureCount, layer.name)
    }
  })

  it('gives its OBJECTID, aliases and the labels of coded values, as a GeoPackage made of it does', async (test) => {
    const folder = await testFolder(test)
    const signal = new AbortController().signal
    const archive = gdalFixture('domains.gdb.zip').path
    await extractArchive(archive, folder, { limits: defaultSourceLimits, signal })
    const path = join(folder, 'domains.gdb')
    const copy = join(folder, 'copy.gpkg')
    await runProgram('ogr2ogr', ['-f', 'GPKG', copy, path, 'flaechen'])
    const database = new DatabaseSync(copy)
    database.exec(`UPDATE gpkg_data_columns SET title = 'Art der Fläche' WHERE column_name = 'kind'`)
    database.close()
    for (const table of [(await readTables(path))[0], (await readTables(copy))[0]]) {
      const [first, second] = table?.layer.schema.attributes ?? []
      assert.deepEqual(first, { name: 'OBJECTID', type: 'int64', isIdentity: true })
      assert.deepEqual(second, {
        name: 'kind',
        type: 'int32',
        title: 'Art der Fläche',
        labels: { 1: 'Wald', 2: 'Wiese' },
      })
      assert.deepEqual(
        table?.rows.map(([id, kind]) => [id, kind]),
        [
          [501n, 1],
          [777n, 2],
        ],
      )
      const [alias, labels] = table?.layer.messages ?? []
      assert.deepEqual([alias?.code, labels?.code], ['column-aliases', 'column-labels'])
      assert.match(alias?.message ?? '', /"kind" is "Art der Fläche"$/)
      assert.match(labels?.message ?? '', /"kind" holds codes of the domain "kinds": 1 = Wald, 2 = Wiese\./)
    }
  })

  it('is not any folder of that name, nor a file of it', async (test) => {
    const folder = join(await testFolder(test), 'a.gdb')
    await mkdir(folder)
    assert.equal(await formatOf({ path: folder, sidecars: {} }), undefined)
    await writeFile(join(folder, 'x'), 'text')
    await rename(join(folder, 'x'), join(folder, '..', 'b.gdb'))
    assert.equal(await formatOf({ path: join(folder, '..', 'b.gdb'), sidecars: {} }), undefined)
  })
})
