import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { SchemaElement } from 'hyparquet'
import { parquetSchema, pointWkb } from '../../../tests/support/geoparquet-writer.ts'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { readParquet } from '../../../tests/support/read-parquet.ts'
import { geoparquet } from './geoparquet.ts'

const fixtures = join(import.meta.dirname, '../../../tests/fixtures/geoparquet')

const wkb = { encoding: 'WKB', geometry_types: ['Point'] }
const points = (count: number) => ({
  name: 'geometry',
  type: 'BYTE_ARRAY' as const,
  data: Array.from({ length: count }, (_, index) => pointWkb(index, -index)),
})
/** Columns whose schema a test sets have no declared type. */
const untyped = <Column extends { type?: unknown }>({ type: _, ...column }: Column) => column

describe('GeoParquet', () => {
  it('reads WKB with nulls and empty geometries; without a declared CRS it is EPSG:4326', async () => {
    const { layer, rows, rejects } = await readLayer(
      geoparquet,
      join(fixtures, 'data-point-encoding_wkb.parquet'),
    )
    assert.equal(layer.name, 'data-point-encoding_wkb')
    assert.equal(layer.featureCount, 4)
    const { type, crs, name } = layer.schema.geometry ?? {}
    assert.deepEqual([name, type, crs?.srs], ['geometry', 'Point', 'EPSG:4326'])
    assert.deepEqual(
      rows.map(({ row, geometry, values: [value] }) => [row, geometry, value]),
      [
        [1, 'POINT (30 10)', 0n],
        [2, 'POINT EMPTY', 1n],
        [3, null, 2n],
        [4, 'POINT (40 40)', 3n],
      ],
    )
    assert.deepEqual(rejects, [])
  })

  it('matches a CRS in PROJJSON, and takes the bounds that the file declares', async () => {
    const { layer, rows } = await readLayer(geoparquet, join(fixtures, 'example-crs_vermont-utm_geo.parquet'))
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:32618')
    assert.equal(Math.round(layer.envelope?.minX ?? 0), 625_858)
    assert.match(rows[0]?.geometry ?? '', /^POLYGON \(\(708190\.514/)
  })

  it('reads dictionaries, and the CRS as WKT and the geometry types of version 0.1', async () => {
    const { layer, rows } = await readLayer(geoparquet, join(fixtures, 'example.parquet'))
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:4326')
    assert.equal(layer.schema.geometry?.type, 'MultiPolygon', 'single and multi polygons')
    assert.deepEqual(
      rows.map((row) => row.values.slice(1, 4)),
      [
        ['Oceania', 'Fiji', 'FJI'],
        ['Africa', 'Tanzania', 'TZA'],
        ['Africa', 'W. Sahara', 'ESH'],
        ['North America', 'Canada', 'CAN'],
        ['North America', 'United States of America', 'USA'],
      ],
    )
  })

  it('takes a null CRS as unknown', async () => {
    const { layer } = await readParquet({ columnData: [points(2)], geo: { ...wkb, crs: null } })
    assert.equal(layer.schema.geometry?.crs, undefined)
  })

  it('looks through geometries whose types the file leaves open', async () => {
    const { layer } = await readParquet({
      columnData: [points(3)],
      geo: { encoding: 'WKB', geometry_types: [] },
    })
    assert.equal(layer.schema.geometry?.type, 'Point')
  })

  it('reads a Parquet file without geometry as a table', async () => {
    const { layer, rows } = await readParquet({ columnData: [{ name: 'a', data: ['x', null, 'z'] }] })
    assert.equal(layer.schema.geometry, undefined)
    assert.deepEqual(
      rows.map((row) => row.values),
      [['x'], [null], ['z']],
    )
  })

  it("reads Parquet's own geometry types with their CRS", async () => {
    const logical_type = { type: 'GEOMETRY', crs: 'srid:25832' } as const
    const { layer, rows } = await readParquet({
      columnData: [
        { name: 'geometry', data: [0, 1].map((at) => ({ type: 'Point', coordinates: [at, -at] })) },
      ],
      schema: parquetSchema({
        name: 'geometry',
        type: 'BYTE_ARRAY',
        repetition_type: 'REQUIRED',
        logical_type,
      }),
    })
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:25832')
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      ['POINT (0 0)', 'POINT (1 -1)'],
    )
  })

  it('leaves out the columns that repeat the bounds of each row', async () => {
    const bbox = [
      { xmin: 0, ymin: 0 },
      { xmin: 1, ymin: 1 },
    ]
    const covering = { bbox: { xmin: ['bbox', 'xmin'], ymin: ['bbox', 'ymin'] } }
    const { layer } = await readParquet({
      columnData: [untyped(points(2)), { name: 'bbox', data: bbox }, { name: 'a', data: [1, 2] }],
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
        { name: 'bbox', num_children: 2, repetition_type: 'OPTIONAL' },
        { name: 'xmin', type: 'DOUBLE', repetition_type: 'REQUIRED' },
        { name: 'ymin', type: 'DOUBLE', repetition_type: 'REQUIRED' },
        { name: 'a', type: 'INT32', repetition_type: 'REQUIRED' },
      ],
      geo: { ...wkb, covering },
    })
    assert.deepEqual(
      layer.schema.attributes.map(({ name }) => name),
      ['a'],
    )
  })

  it('keeps further geometries as columns of bytes, with a warning', async () => {
    const geo = { version: '1.1.0', primary_column: 'geometry', columns: { geometry: wkb, centre: wkb } }
    const { layer } = await readParquet({
      columnData: [points(1), { ...points(1), name: 'centre' }],
      keyValues: [{ key: 'geo', value: JSON.stringify(geo) }],
    })
    assert.deepEqual(layer.schema.attributes, [{ name: 'centre', type: 'binary' }])
    assert.deepEqual(
      layer.messages.map(({ code }) => code),
      ['geometry-as-column'],
    )
  })

  it('rejects rows whose geometry or text cannot be read, and goes on', async () => {
    const geometry = { ...points(3), data: [pointWkb(0, 0), pointWkb(1, 1).subarray(0, 9), pointWkb(2, 2)] }
    const text = { name: 'a', data: [new Uint8Array([0xff]), new Uint8Array([65]), new Uint8Array([66])] }
    const { rows, rejects } = await readParquet({
      columnData: [untyped(geometry), text],
      schema: parquetSchema(
        { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
        { name: 'a', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'ENUM' },
      ),
      statistics: false,
      geo: wkb,
    })
    assert.deepEqual(
      rows.map(({ row, values: [value] }) => [row, value]),
      [[3, 'B']],
    )
    assert.deepEqual(
      rejects.map(({ row, field }) => [row, field]),
      [
        [1, 'a'],
        [2, 'geometry'],
      ],
    )
    assert.deepEqual(rejects[1]?.properties, { a: 'A' })
  })

  it('says so when a file is encrypted, cut off, or has a geometry that is not read', async (test) => {
    const geo = { ...wkb, encoding: 'TWKB' }
    await assert.rejects(readParquet({ columnData: [points(2)], geo }), {
      code: 'not-supported',
      message: /"TWKB"/,
    })
    const folder = mkdtempSync(join(tmpdir(), 'geoparquet-'))
    test.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.parquet')
    writeFileSync(path, 'PAR1 and no more')
    await assert.rejects(readLayer(geoparquet, path), { code: 'damaged-file', message: /end/ })
    writeFileSync(path, 'PARE and no more PARE')
    await assert.rejects(readLayer(geoparquet, path), { code: 'not-supported', message: /encrypted/ })
  })
})

describe('GeoParquet with native encodings', () => {
  const coordinate = (...names: string[]): SchemaElement[] =>
    names.map((name) => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' }))

  it('reads points with heights', async () => {
    const { layer, rows } = await readParquet({
      columnData: [{ name: 'geometry', data: [{ x: 1, y: 2, z: 3 }, null, { x: 4, y: 5, z: 6 }] }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'geometry', num_children: 3, repetition_type: 'OPTIONAL' },
        ...coordinate('x', 'y', 'z'),
      ],
      geo: { encoding: 'point', geometry_types: ['Point Z'] },
    })
    assert.deepEqual([layer.schema.geometry?.type, layer.schema.geometry?.hasZ], ['Point', true])
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      ['POINT Z (1 2 3)', null, 'POINT Z (4 5 6)'],
    )
  })

  it('reads multi polygons', async () => {
    const ring = [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 1, y: 1 },
      { x: 0, y: 0 },
    ]
    const level = (name: string): SchemaElement[] => [
      { name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    ]
    const { rows } = await readParquet({
      columnData: [{ name: 'geometry', data: [[[ring], [ring, ring]], [], [[ring]]] }],
      schema: [
        { name: 'root', num_children: 1 },
        ...level('geometry'),
        ...level('polygon'),
        ...level('ring'),
        { name: 'point', num_children: 2, repetition_type: 'OPTIONAL' },
        ...coordinate('x', 'y'),
      ],
      geo: { encoding: 'multipolygon', geometry_types: ['MultiPolygon'] },
    })
    const text = '(0 0,1 0,1 1,0 0)'
    assert.deepEqual(
      rows.map(({ geometry }) => geometry),
      [`MULTIPOLYGON ((${text}),(${text},${text}))`, 'MULTIPOLYGON EMPTY', `MULTIPOLYGON ((${text}))`],
    )
  })
})
