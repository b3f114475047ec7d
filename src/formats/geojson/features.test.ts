import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collection, feature } from '../../../tests/support/geojson-text.ts'
import { type ReadLayer, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { geojson } from './geojson.ts'

const writeFile = temporaryFiles()

function write(content: string | Uint8Array, name = 'data.geojson'): string {
  return writeFile(name, content)
}

function read(content: string | Uint8Array, name?: string): Promise<ReadLayer> {
  return readLayer(geojson, write(content, name))
}

/** Returns the types of the properties in order. */
async function typesOf(...properties: string[]): Promise<string[]> {
  const { layer } = await read(collection(properties.map((text) => feature(text))))
  return layer.schema.attributes.map((attribute) => attribute.type)
}

async function valuesOf(...properties: string[]): Promise<unknown[]> {
  const { rows } = await read(collection(properties.map((text) => feature(text))))
  return rows.map((row) => (row.values.length === 1 ? row.values[0] : row.values))
}

/** Returns the geometry read from a text, or why its row was rejected. */
async function geometryOf(geometry: string): Promise<string | null | undefined> {
  const { rows, rejects } = await read(collection([feature('{}', geometry)]))
  return rows.length === 1 ? rows[0]?.geometry : `rejected: ${rejects[0]?.reason}`
}

describe('GeoJSON types', () => {
  it('takes the names of all features in order of first sight', async () => {
    const { layer, rows } = await read(
      collection([feature('{"a":1}'), feature('{"b":"x","a":2}'), feature('null')]),
    )
    assert.deepEqual(
      layer.schema.attributes.map(({ name, type, example }) => [name, type, example]),
      [
        ['a', 'int32', '1'],
        ['b', 'text', 'x'],
      ],
    )
    assert.deepEqual(
      rows.map((row) => row.values),
      [
        [1, null],
        [2, 'x'],
        [null, null],
      ],
    )
  })

  it('keeps integers of any size exactly', async () => {
    assert.deepEqual(await typesOf('{"a":2147483647}', '{"a":-2147483648}'), ['int32'])
    assert.deepEqual(await typesOf('{"a":2147483648}'), ['int64'])
    const large = ['{"a":9007199254740993}', '{"a":-9223372036854775808}', '{"a":3}']
    assert.deepEqual(await typesOf(...large), ['int64'])
    assert.deepEqual(await valuesOf(...large), [9007199254740993n, -9223372036854775808n, 3n])
    const beyond = ['{"a":9223372036854775808}', '{"a":1}', '{"a":1.50}']
    assert.deepEqual(await typesOf(...beyond), ['decimal'])
    assert.deepEqual(await valuesOf(...beyond), ['9223372036854775808', '1', '1.50'])
  })

  it('keeps numbers with a point as doubles up to 17 digits, and longer ones as decimals', async () => {
    const floats = [
      '{"a":0.1}',
      '{"a":42.147114459220994}',
      '{"a":-1e-7}',
      '{"a":2}',
      '{"a":1.00000000000000000000000}',
    ]
    assert.deepEqual(await typesOf(...floats), ['float64'])
    assert.deepEqual(await valuesOf(...floats), [0.1, 42.147114459220994, -1e-7, 2, 1])
    const long = '{"a":3.14159265358979323846}'
    assert.deepEqual(await typesOf(long, '{"a":1}'), ['decimal'])
    assert.deepEqual(await valuesOf(long, '{"a":1}'), ['3.14159265358979323846', '1'])
    assert.deepEqual(await typesOf('{"a":9007199254740993}', '{"a":0.5}'), ['decimal'])
    assert.deepEqual(await valuesOf('{"a":1e400}', '{"a":1e-400}'), ['1e400', '1e-400'])
    assert.deepEqual(await valuesOf('{"a":-0}', '{"a":1}'), [-0, 1])
  })

  it('keeps booleans, and mixed values as they are written', async () => {
    assert.deepEqual(await typesOf('{"a":true}', '{"a":null}', '{"a":false}'), ['boolean'])
    assert.deepEqual(await typesOf('{"a":null}'), ['text'])
    assert.deepEqual(await typesOf('{"a":"2024-05-01"}'), ['text'])
    const mixed = ['{"a":1.50}', '{"a":"x"}', '{"a":true}', '{"a":{"b": [1, "ü"]}}', '{"a":[]}', '{"a":null}']
    assert.deepEqual(await typesOf(...mixed), ['text'])
    assert.deepEqual(await valuesOf(...mixed), ['1.50', 'x', 'true', '{"b": [1, "ü"]}', '[]', null])
  })

  it('decodes escapes in names and values', async () => {
    const { layer, rows } = await read(
      collection([
        feature('{"n\\u00e4me":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00"}'),
        feature('{"näme":"b"}'),
      ]),
    )
    assert.deepEqual(
      layer.schema.attributes.map((attribute) => attribute.name),
      ['näme'],
    )
    assert.deepEqual(
      rows.map((row) => row.values[0]),
      ['"\\/\b\f\n\r\té€😀', 'b'],
    )
  })

  it('takes the last of values that stand under one name', async () => {
    assert.deepEqual(await valuesOf('{"a":1,"a":2}'), [2])
    const twice = feature(
      '{}',
      '{"type":"Point","coordinates":[1,2]},"geometry":{"type":"Point","coordinates":[3,4]}',
    )
    assert.equal((await read(collection([twice]))).rows[0]?.geometry, 'POINT (3 4)')
  })

  it('keeps the id of features as an attribute unless a property has that name', async () => {
    const withId = await read(
      collection([feature('{"a":1}', 'null', '"id":"x1",'), feature('{"a":2}', 'null', '"id":7,')]),
    )
    assert.deepEqual(
      withId.layer.schema.attributes.map(({ name, type }) => [name, type]),
      [
        ['id', 'text'],
        ['a', 'int32'],
      ],
    )
    assert.deepEqual(
      withId.rows.map((row) => row.values),
      [
        ['x1', 1],
        ['7', 2],
      ],
    )
    const both = await read(collection([feature('{"id":5}', 'null', '"id":1,')]))
    assert.deepEqual(both.rows[0]?.values, [5])
    assert.deepEqual(
      both.layer.messages.map((message) => message.code),
      ['feature-id-dropped'],
    )
  })
})

describe('GeoJSON geometries', () => {
  const good: [string, string | null][] = [
    ['null', null],
    [
      '{"type":"Point","coordinates":[11.93115234375,42.147114459220994]}',
      'POINT (11.93115234375 42.147114459220994)',
    ],
    ['{"coordinates":[1,2],"type":"Point"}', 'POINT (1 2)'],
    ['{ "bbox" : [1,2,1,2], "type" : "Point" , "coordinates" : [ 1e1 , -2.5E-1 ] }', 'POINT (10 -0.25)'],
    ['{"type":"Point","coordinates":[1,2,3]}', 'POINT Z (1 2 3)'],
    ['{"type":"Point","coordinates":[1,2,3,4,5]}', 'POINT Z (1 2 3)'],
    ['{"type":"Point","coordinates":[]}', 'POINT EMPTY'],
    ['{"type":"LineString","coordinates":[[0,0],[1,1]]}', 'LINESTRING (0 0,1 1)'],
    ['{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}', 'POLYGON ((0 0,1 0,1 1,0 0))'],
    ['{"type":"Polygon","coordinates":[]}', 'POLYGON EMPTY'],
    ['{"type":"MultiPoint","coordinates":[[0,0],[1,1]]}', 'MULTIPOINT ((0 0),(1 1))'],
    ['{"type":"MultiLineString","coordinates":[[[0,0],[1,1]]]}', 'MULTILINESTRING ((0 0,1 1))'],
    [
      '{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}',
      'MULTIPOLYGON (((0 0,1 0,1 1,0 0)))',
    ],
    [
      '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"LineString","coordinates":[[0,0],[1,1]]}]}',
      'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))',
    ],
    [
      '{"geometries":[{"coordinates":[1,2],"type":"Point"}],"type":"GeometryCollection"}',
      'GEOMETRYCOLLECTION (POINT (1 2))',
    ],
  ]
  for (const [geometry, expected] of good) {
    it(`reads ${geometry.slice(0, 70)}`, async () => assert.equal(await geometryOf(geometry), expected))
  }

  const bad: [string, RegExp][] = [
    ['{"type":"Point","coordinates":[1]}', /fewer than two/],
    ['{"type":"Point","coordinates":["NaN",2]}', /something else than numbers/],
    ['{"type":"Point","coordinates":[1,null]}', /something else than numbers/],
    ['{"type":"Point","coordinates":[[1,2]]}', /something else than numbers/],
    ['{"type":"Point","coordinates":[1e999,2]}', /beyond the range/],
    ['{"type":"Point","coordinates":{"x":1}}', /not an array/],
    ['{"type":"Point"}', /no "coordinates"/],
    ['{"coordinates":[1,2]}', /no "type"/],
    ['{"type":"Circle","coordinates":[1,2]}', /Unknown geometry type "Circle"/],
    ['{"type":7,"coordinates":[1,2]}', /"type" is not a string/],
    ['{"type":"LineString","coordinates":[[0,0]]}', /only one position/],
    ['{"type":"LineString","coordinates":[0,0]}', /not an array/],
    ['{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}', /not closed/],
    ['{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}', /3 positions/],
    ['{"type":"GeometryCollection","geometries":[7]}', /./],
    ['[1,2]', /neither an object nor null/],
  ]
  for (const [geometry, reason] of bad) {
    it(`rejects ${geometry.slice(0, 70)}`, async () =>
      assert.match((await geometryOf(geometry)) ?? '', reason))
  }

  it('rejects a bad row by its number and loads the others', async () => {
    const features = Array.from({ length: 5000 }, (_, i) => feature(`{"n":${i}}`))
    features[3210] = feature('{"n":"x"}', '{"type":"Point","coordinates":[1,"a"]}')
    const { layer, rows, rejects } = await read(collection(features))
    assert.equal(layer.featureCount, 5000)
    assert.equal(rows.length, 4999)
    assert.deepEqual(
      rejects.map(({ row, field, properties }) => ({ row, field, properties })),
      [{ row: 3211, field: 'geometry', properties: { n: 'x' } }],
    )
  })

  it('makes singles multi and gives Z where the file has both', async () => {
    const { layer, rows } = await read(
      collection([
        feature('{}', '{"type":"LineString","coordinates":[[0,0],[1,1]]}'),
        feature('{}', '{"type":"MultiLineString","coordinates":[[[0,0,5],[1,1,6]]]}'),
        feature('{}', 'null'),
        feature('{}', '{"type":"LineString","coordinates":[]}'),
      ]),
    )
    assert.deepEqual([layer.schema.geometry?.type, layer.schema.geometry?.hasZ], ['MultiLineString', true])
    assert.deepEqual(
      rows.map((row) => row.geometry),
      [
        'MULTILINESTRING Z ((0 0 0,1 1 0))',
        'MULTILINESTRING Z ((0 0 5,1 1 6))',
        null,
        'MULTILINESTRING Z EMPTY',
      ],
    )
    assert.deepEqual(
      layer.messages.map((message) => message.code),
      ['mixed-dimensions'],
    )
  })

  it('leaves geometries of different kinds as they are', async () => {
    const { layer, rows } = await read(
      collection([feature('{}'), feature('{}', '{"type":"LineString","coordinates":[[0,0],[1,1]]}')]),
    )
    assert.equal(layer.schema.geometry?.type, 'Geometry')
    assert.deepEqual(
      rows.map((row) => row.geometry),
      ['POINT (1 2)', 'LINESTRING (0 0,1 1)'],
    )
    assert.deepEqual(layer.envelope, { minX: 0, minY: 0, maxX: 1, maxY: 2 })
  })
})
