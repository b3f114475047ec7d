import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type ReadLayer, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { csv } from './csv.ts'

const write = temporaryFiles()
const spectrum = join(import.meta.dirname, '../../../tests/fixtures/csv/spectrum')

function read(content: string): Promise<ReadLayer> {
  return readLayer(csv, write('data.csv', content))
}

function codesOf({ layer }: Pick<ReadLayer, 'layer'>): string[] {
  return layer.messages.map((message) => message.code)
}

describe('cells of CSV', () => {
  it('may hold WKB or EWKB in hexadecimal digits, of either byte order, as databases write it', async () => {
    const result = await read(
      [
        'id,geom',
        '1,0101000020E6100000000000000000F03F0000000000000040',
        '2,\\x0101000000000000000000F03F0000000000000040',
        '3,00000003E93FF000000000000040000000000000004008000000000000',
        '4,',
        '5,010900000001000000010800000003000000000000000000000000000000000000000000000000000040000000000000000000000000000010400000000000000000',
        '6,0101000000',
        '7,01010000',
        ...Array.from({ length: 40 }, (_, at) => `${at + 8},0101000000000000000000F03F0000000000000040`),
        '',
      ].join('\n'),
    )
    const geometries = result.rows.map(({ row, geometry }) => `${row} ${geometry}`)
    assert.deepEqual(geometries.slice(0, 4), [
      '1 POINT Z (1 2 0)',
      '2 POINT Z (1 2 0)',
      '3 POINT Z (1 2 3)',
      '4 null',
    ])
    assert.match(geometries[4] ?? '', /^5 LINESTRING Z \(0 0 0,.*4 0 0\)$/)
    assert.deepEqual(
      result.rejects.map(({ row, field }) => [row, field]),
      [
        [6, 'geom'],
        [7, 'geom'],
      ],
    )
    assert.deepEqual(codesOf(result).sort(), ['bad-wkt', 'curves-linearized'])
    assert.deepEqual(result.layer.schema.geometry?.crs, { srs: 'EPSG:4326' })
  })

  it('may hold GeoJSON, whose quotes are doubled, in WGS 84 where its numbers can be degrees', async () => {
    const cell = (json: object): string => `"${JSON.stringify(json).replaceAll('"', '""')}"`
    const point = { type: 'Point', coordinates: [1, 2] }
    const line = {
      coordinates: [
        [3, 4],
        [5, 6],
      ],
      type: 'LineString',
    }
    const result = await read(`id,geojson\n1,${cell(point)}\n2,${cell(line)}\n3,"{""a"":1}"\n`)
    assert.deepEqual(
      result.rows.map(({ geometry }) => geometry),
      ['POINT (1 2)', 'LINESTRING (3 4,5 6)'],
    )
    assert.deepEqual(result.layer.schema.geometry?.crs, { srs: 'EPSG:4326' })
    assert.deepEqual(
      result.rejects.map(({ row, value }) => [row, value]),
      [[3, '{"a":1}']],
    )
    const far = await read(`id,shape\n1,${cell({ type: 'Point', coordinates: [500_000, 5_000_000] })}\n`)
    assert.equal(far.layer.schema.geometry?.crs, undefined)
    const one = await readLayer(csv, join(spectrum, 'json.csv'))
    assert.deepEqual(one.rows, [{ row: 1, geometry: 'POINT (102 0.5)', values: [1] }])
  })

  it('are text where digits or JSON are no geometries', async () => {
    const result = await read('a,b\n010203040506070809,"{""type"":""thing""}"\n01FFFFFFFFFF,"{""type"":1}"\n')
    assert.equal(result.layer.schema.geometry, undefined)
    assert.deepEqual(
      result.rows.map(({ values }) => values[0]),
      ['010203040506070809', '01FFFFFFFFFF'],
    )
  })

  it('may be moments with or without an offset, and times of day', async () => {
    const { layer, rows } = await read(
      [
        'local,offset,utc,short,mixed,zones',
        '2020-01-31 10:00:00,2020-01-31T10:00:00+02:00,2020-01-31T10:00Z,12:30,2020-01-31T10:00:00,2020-01-31T10:00Z',
        '1850-06-01 00:00:00.5,1850-06-01T00:00:00-23:59,1850-06-01T00:00:00.25Z,23:59:59.999,2020-01-31,2020-01-31T10:00',
        '0001-01-01 00:00,2020-12-31T23:30:00-01:00,2020-01-31T10:00:00Z,00:00,2020-01-31T10:00:00,2020-01-31T10:00Z',
        '',
      ].join('\n'),
    )
    assert.deepEqual(
      layer.schema.attributes.map(({ type }) => type),
      ['timestamp', 'timestamp', 'timestamp', 'time', 'text', 'text'],
    )
    assert.deepEqual(codesOf({ layer }), ['times-in-utc'])
    const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n
    assert.deepEqual(
      rows.map(({ values }) => values.slice(0, 4)),
      [
        [
          micros('2020-01-31T10:00:00Z'),
          micros('2020-01-31T08:00:00Z'),
          micros('2020-01-31T10:00:00Z'),
          45_000_000_000n,
        ],
        [
          micros('1850-06-01T00:00:00.500Z'),
          micros('1850-06-01T23:59:00Z'),
          micros('1850-06-01T00:00:00.250Z'),
          86_399_999_000n,
        ],
        [micros('0001-01-01T00:00:00Z'), micros('2021-01-01T00:30:00Z'), micros('2020-01-31T10:00:00Z'), 0n],
      ],
    )
  })
})
