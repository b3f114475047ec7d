import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { deserialize, serialize } from 'flatgeobuf/lib/mjs/geojson.js'
import { rowsOf, type Value } from '../../../tests/support/batches.ts'
import {
  columnNumbers,
  encodeFeature,
  type FgbFeature,
  type FgbGeometry,
  type FgbOptions,
  property,
  sized,
  writeFlatGeobuf,
} from '../../../tests/support/flatgeobuf-writer.ts'
import { dataFile, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { defined, without } from '../../core/values/defined.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import { flatgeobuf } from './flatgeobuf.ts'

const folder = mkdtempSync(join(tmpdir(), 'flatgeobuf-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/flatgeobuf')

let files = 0
function save(bytes: Uint8Array): string {
  files += 1
  const path = join(folder, `f${files}.fgb`)
  writeFileSync(path, bytes)
  return path
}

const read = (options: FgbOptions) => readLayer(flatgeobuf, save(writeFlatGeobuf(options)))

async function geometriesOf(geometries: (FgbGeometry | undefined)[], options: Partial<FgbOptions> = {}) {
  const features = geometries.map((geometry): FgbFeature => (geometry === undefined ? {} : { geometry }))
  const { layer, rows, rejects } = await read({ ...options, features })
  assert.deepEqual(rejects, [])
  return { type: layer.schema.geometry?.type, geometries: rows.map((row) => row.geometry) }
}

function bytesOf(count: number, fill: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(count)
  fill(new DataView(bytes.buffer))
  return bytes
}

const point = { type: 1, xy: [1, 2] }

describe('FlatGeobuf, real files', () => {
  it('reads countries exactly as the reference implementation does', async () => {
    const path = join(fixtures, 'countries.fgb')
    const { layer, rows, rejects } = await readLayer(flatgeobuf, path)
    assert.deepEqual([layer.name, layer.featureCount, rejects], ['countries', 179, []])
    assert.equal(layer.schema.geometry?.type, 'MultiPolygon')
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:4326')
    assert.match(layer.schema.geometry?.crs?.wkt ?? '', /^GEOGCRS/)
    assert.equal(layer.envelope?.minX, -180)
    const file = dataFile(path)
    let row = 0
    const expected: { geometry: unknown; properties: Record<string, unknown> | null }[] = []
    for await (const feature of deserialize(new Uint8Array(readFileSync(path)))) expected.push(feature)
    for await (const batch of flatgeobuf.read(file, layer, readContext())) {
      for (const { geometry, values } of rowsOf(batch)) {
        const feature = expected[row]
        assert.deepEqual(JSON.parse(writeGeometryJson(geometry ?? new Uint8Array())), feature?.geometry)
        assert.equal(values[0], feature?.properties?.id)
        row += 1
      }
    }
    assert.equal(rows.length, row)
  })

  it('reads what ogr2ogr streams, whose type and count are not known beforehand', async () => {
    const { layer, rows } = await readLayer(flatgeobuf, join(fixtures, 'streamed.fgb'))
    assert.deepEqual([layer.schema.geometry?.type, layer.featureCount], ['Geometry', 4])
    assert.deepEqual(
      rows.map((row) => row.geometry),
      [
        'POINT (1 2)',
        'MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5),(5.5 5.5,5.6 5.5,5.6 5.6,5.5 5.5)))',
        'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))',
        'MULTILINESTRING ((0 0,1 0),(5 5,6 6))',
      ],
    )
    const byName: Record<string, Value> = {}
    for (const [index, { name }] of layer.schema.attributes.entries())
      byName[name] = rows[0]?.values[index] ?? null
    const others = without(byName, 'j')
    assert.deepEqual(others, {
      a: 1,
      d: 1577923200000000n,
      t: 1577934245000000n,
      big: 12345678901234n,
      f: 1.5,
      b: true,
      s: 'é',
    })
  })

  it('reads what the reference implementation writes', async () => {
    const bytes = serialize({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          properties: { name: 'a', size: 2.5 },
          geometry: { type: 'Point', coordinates: [1, 2] },
        },
        {
          type: 'Feature',
          properties: { name: 'ß', size: -1 },
          geometry: { type: 'Point', coordinates: [3, 4] },
        },
      ],
    })
    const { layer, rows } = await readLayer(flatgeobuf, save(bytes))
    assert.equal(layer.schema.geometry?.type, 'Point')
    assert.deepEqual(rows, [
      { row: 1, geometry: 'POINT (1 2)', values: ['a', 2.5] },
      { row: 2, geometry: 'POINT (3 4)', values: ['ß', -1] },
    ])
  })

  it('is recognised by its first bytes', async () => {
    const file = { path: 'x', sidecars: {} }
    assert.equal(await flatgeobuf.detect(file, readFileSync(join(fixtures, 'countries.fgb'))), true)
    assert.equal(await flatgeobuf.detect(file, Buffer.from('fgb\x02fgb')), false)
    assert.equal(await flatgeobuf.detect(file, new Uint8Array(0)), false)
  })
})

describe('FlatGeobuf geometries', () => {
  it('reads every type with its parts', async () => {
    const ring = [0, 0, 4, 0, 4, 4, 0, 0]
    const { geometries } = await geometriesOf([
      point,
      { type: 2, xy: [0, 0, 1, 1] },
      { type: 3, xy: ring },
      { type: 3, xy: [...ring, 1, 1, 2, 1, 2, 2, 1, 1], ends: [4, 8] },
      { type: 4, xy: [1, 2, 3, 4] },
      { type: 5, xy: [0, 0, 1, 1, 5, 5, 6, 6], ends: [2, 4] },
      { type: 5, xy: [0, 0, 1, 1] },
      { type: 6, parts: [{ xy: ring }, { type: 3, xy: ring }] },
      { type: 7, parts: [point, { type: 7, parts: [{ type: 2, xy: [0, 0, 1, 1] }] }] },
      undefined,
      { type: 1, xy: [] },
      { type: 1, xy: [Number.NaN, Number.NaN] },
      { type: 3 },
      { type: 17, xy: ring },
      { type: 16, parts: [{ type: 17, xy: ring }] },
      { type: 15, parts: [{ type: 3, xy: ring }] },
    ])
    assert.deepEqual(geometries, [
      'POINT (1 2)',
      'LINESTRING (0 0,1 1)',
      'POLYGON ((0 0,4 0,4 4,0 0))',
      'POLYGON ((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))',
      'MULTIPOINT ((1 2),(3 4))',
      'MULTILINESTRING ((0 0,1 1),(5 5,6 6))',
      'MULTILINESTRING ((0 0,1 1))',
      'MULTIPOLYGON (((0 0,4 0,4 4,0 0)),((0 0,4 0,4 4,0 0)))',
      'GEOMETRYCOLLECTION (POINT (1 2),GEOMETRYCOLLECTION (LINESTRING (0 0,1 1)))',
      null,
      'POINT EMPTY',
      'POINT EMPTY',
      'POLYGON EMPTY',
      'POLYGON ((0 0,4 0,4 4,0 0))',
      'MULTIPOLYGON (((0 0,4 0,4 4,0 0)))',
      'MULTIPOLYGON (((0 0,4 0,4 4,0 0)))',
    ])
  })

  it('reads Z and M', async () => {
    const both = { hasZ: true, hasM: true, geometryType: 2 }
    const { geometries } = await geometriesOf([{ xy: [0, 0, 1, 1], z: [5, 6], m: [7, 8] }], both)
    assert.deepEqual(geometries, ['LINESTRING ZM (0 0 5 7,1 1 6 8)'])
    const measured = await geometriesOf([{ xy: [1, 2], m: [9] }], { hasM: true, geometryType: 1 })
    assert.deepEqual(measured.geometries, ['POINT M (1 2 9)'])
  })

  it('makes single and multi geometries of one kind multi, and other mixtures Geometry', async () => {
    const line = { type: 2, xy: [0, 0, 1, 1] }
    const lines = { type: 5, xy: [0, 0, 1, 1] }
    const same = await geometriesOf([line, lines])
    assert.deepEqual([same.type, same.geometries[0]], ['MultiLineString', 'MULTILINESTRING ((0 0,1 1))'])
    assert.equal((await geometriesOf([line, line])).type, 'LineString')
    assert.equal((await geometriesOf([line, point])).type, 'Geometry')
    assert.equal((await geometriesOf([])).type, 'Geometry')
  })

  it('rejects what is not a geometry, and reads on', async () => {
    const bad: FgbGeometry[] = [
      { type: 1, xy: [Number.POSITIVE_INFINITY, 0] },
      { type: 1, xy: [1, 2, 3] },
      { type: 1, xy: [1, 2, 3, 4] },
      { type: 3, xy: [0, 0, 1, 1], ends: [7] },
      { type: 5, xy: [0, 0, 1, 1, 2, 2], ends: [2] },
      { type: 8, xy: [0, 0, 1, 1, 2, 0] },
      { type: 0, xy: [0, 0] },
      { type: 7, parts: [{ xy: [0, 0] }] },
    ]
    const { layer, rows, rejects } = await read({
      features: [...bad, point].map((geometry) => ({ geometry })),
    })
    assert.equal(layer.featureCount, 9)
    assert.deepEqual([rows.length, rejects.map((reject) => reject.row)], [1, [1, 2, 3, 4, 5, 6, 7, 8]])
    assert.match(rejects[5]?.reason ?? '', /curves/)
  })

  it('rejects a geometry whose parts point at one another over and over', async () => {
    const deep = (depth: number): FgbGeometry => ({
      type: 7,
      parts: depth === 0 ? [point] : [deep(depth - 1)],
    })
    const nested = encodeFeature({ geometry: deep(40) })
    const base = writeFlatGeobuf({ features: [{ geometry: point }] })
    const deepFile = await readLayer(flatgeobuf, save(Buffer.concat([base, sized(nested)])))
    assert.match(deepFile.rejects[0]?.reason ?? '', /nested/)
    // Both entries of each list of two parts refer to the same table: 2 to the 20th points.
    const wide = (depth: number): FgbGeometry =>
      depth === 0 ? point : { type: 7, parts: [wide(depth - 1), { type: 1, xy: [0, 0] }] }
    const shared = sharePairs(encodeFeature({ geometry: wide(20) }))
    const { rejects } = await readLayer(flatgeobuf, save(Buffer.concat([base, sized(shared)])))
    assert.match(rejects[0]?.reason ?? '', /more parts than its record can hold/)
  })
})

/** Makes the second entry of every vector of two tables refer to the target of the first. */
function sharePairs(bytes: Buffer): Buffer {
  for (let at = 4; at + 12 <= bytes.length; at += 1) {
    const [count, first, second] = [
      bytes.readUInt32LE(at),
      bytes.readUInt32LE(at + 4),
      bytes.readUInt32LE(at + 8),
    ]
    const isPair =
      count === 2 && first > 20 && second > first && at + 8 + second < bytes.length && second < 100_000
    if (isPair) bytes.writeUInt32LE(first - 4, at + 8)
  }
  return bytes
}

describe('FlatGeobuf values', () => {
  const columns = (Object.keys(columnNumbers) as (keyof typeof columnNumbers)[]).map((type) => ({
    name: type,
    type,
  }))

  it('reads every column type exactly', async () => {
    const values = [
      bytesOf(1, (view) => view.setInt8(0, -128)),
      bytesOf(1, (view) => view.setUint8(0, 255)),
      bytesOf(1, (view) => view.setUint8(0, 1)),
      bytesOf(2, (view) => view.setInt16(0, -32768, true)),
      bytesOf(2, (view) => view.setUint16(0, 65535, true)),
      bytesOf(4, (view) => view.setInt32(0, -2147483648, true)),
      bytesOf(4, (view) => view.setUint32(0, 4294967295, true)),
      bytesOf(8, (view) => view.setBigInt64(0, -9007199254740993n, true)),
      bytesOf(8, (view) => view.setBigUint64(0, 18446744073709551615n, true)),
      bytesOf(4, (view) => view.setFloat32(0, 0.5, true)),
      bytesOf(8, (view) => view.setFloat64(0, 0.1, true)),
      'tëxt',
      '{"a":1}',
      '2024-02-29T12:00:00+02:00',
      sized(Uint8Array.of(1, 0, 255)),
    ]
    const properties = values.map((value, index) => property(index, value))
    const padding = Uint8Array.of(0)
    const { layer, rows, rejects } = await read({
      columns,
      features: [{ geometry: point, properties: [...properties, padding] }, { properties: [] }],
    })
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      layer.schema.attributes.map((attribute) => attribute.type),
      [
        'int16',
        'int16',
        'boolean',
        'int16',
        'int32',
        'int32',
        'int64',
        'int64',
        'decimal',
        'float32',
        'float64',
        'text',
        'text',
        'timestamp',
        'binary',
      ],
    )
    assert.deepEqual(rows[0]?.values, [
      -128,
      255,
      true,
      -32768,
      65535,
      -2147483648,
      4294967295n,
      -9007199254740993n,
      '18446744073709551615',
      0.5,
      0.1,
      'tëxt',
      '{"a":1}',
      1709200800000000n,
      Uint8Array.of(1, 0, 255),
    ])
    assert.deepEqual(rows[1], { row: 2, geometry: null, values: columns.map(() => null) })
  })

  it('rejects values that are none, with field, value and the rest of the row', async () => {
    const two = [
      { name: 'at', type: 'DateTime' as const },
      { name: 'text', type: 'String' as const },
    ]
    const rows: Uint8Array[][] = [
      [property(1, 'kept'), property(0, 'yesterday')],
      [property(1, sized(Uint8Array.of(0x41, 0xff)))],
      [property(1, 'a\0b')],
      [property(1, 'twice'), property(1, 'twice')],
      [property(9, 'no such column')],
      [property(1, 'cut').subarray(0, 7)],
      [Uint8Array.of(1)],
      [property(1, 'good')],
    ]
    const features = rows.map((properties) => ({ geometry: point, properties }))
    const result = await read({ columns: two, features })
    assert.deepEqual(
      result.rows.map((row) => row.values[1]),
      ['good'],
    )
    assert.equal(result.rejects.length, 7)
    const [first] = result.rejects
    assert.deepEqual([first?.field, first?.value], ['at', 'yesterday'])
    assert.deepEqual(first?.properties, { text: 'kept', at: 'yesterday' })
    assert.equal(first?.geometry?.length, 21)
  })

  it('makes the names of columns unique', async () => {
    const same = ['x', 'x', ''].map((name) => ({ name, type: 'Int' as const }))
    const { layer } = await read({ columns: same, features: [] })
    assert.deepEqual(
      layer.schema.attributes.map((attribute) => attribute.name),
      ['x', 'x0', 'field_3'],
    )
  })

  it('takes the CRS from authority and code, with EPSG where none is named', async () => {
    const crsOf = async (crs: FgbOptions['crs']) =>
      (await read({ features: [], ...defined({ crs }) })).layer.schema.geometry?.crs
    assert.deepEqual(await crsOf({ code: 25832 }), { srs: 'EPSG:25832' })
    assert.deepEqual(await crsOf({ org: 'esri', code: 54009, wkt: 'PROJCRS[]' }), {
      srs: 'ESRI:54009',
      wkt: 'PROJCRS[]',
    })
    assert.deepEqual(await crsOf({ org: 'OGC', codeString: 'CRS84' }), { srs: 'OGC:CRS84' })
    assert.equal(await crsOf({}), undefined)
    assert.equal(await crsOf(undefined), undefined)
  })
})
