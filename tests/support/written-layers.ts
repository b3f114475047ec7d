import type { FeatureFormat, WrittenAbout } from '../../src/formats/writing/feature-format.ts'
import type { AttributeType, GeometryField, GeometryType, Schema } from '../../src/geo/schema.ts'
import type { Row, Value } from './batches.ts'
import { batchesOf, schemaOf, wkb } from './batches.ts'

const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n
const day = (text: string): number => Date.parse(text) / 86_400_000

/** Texts that break what is written carelessly. */
const hardTexts = [
  '',
  ' ',
  'plain',
  ' blanks around ',
  'a,b;c|d',
  'quote " quote ""',
  '"',
  '""',
  "it's `so`",
  'tab\there',

  'new\nline',
  'carriage\r\nreturn',
  '\r',
  '\n',
  'Grüße 日本語 🎉 ﷺ',
  '<&>]]>&amp;',
  '007',
  '1e5',
  'true',
  '2024-02-29',
  '=1+1',
  '@SUM(A1)',
  '-2',
  'NULL',
  'null',
  '\\N',
  '{"a":"\\n"}',
  'é',
  '\u200b',
  '\ufeff',
  'POINT (1 2)',
  'long '.repeat(2000),
]

/** Values of each type of column: the least, the largest, the oddest. */
const valuesOfType: Record<AttributeType, readonly Value[]> = {
  boolean: [1, 0].map((one) => one === 1) as Value[],
  int16: [0, 32_767, -32_768],
  int32: [0, 2_147_483_647, -2_147_483_648],
  int64: [0n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n],
  float32: [0, 0.5, -3.4028234663852886e38, Math.fround(0.1)],
  float64: [0, 0.1, 0.1 + 0.2, -1e300, 5e-324, 123_456_789.125, 2 ** 53 + 2],
  decimal: ['0', '0.10', '-123456789012345678901234567890.5', '1'],
  text: hardTexts,
  date: ['2024-02-29', '1900-01-01', '1969-12-31', '9999-12-31', '0101-01-01'].map(day),
  time: [0n, 86_399_999_000n, 37_872_500_000n],
  timestamp: [
    '2024-02-29T10:11:12Z',
    '1969-12-31T23:59:59.500Z',
    '9999-12-31T23:59:59Z',
    '1900-01-01T12:00:00.123Z',
  ].map(micros),
  binary: [
    Uint8Array.from([0, 1, 0x5c, 0x27, 0xff]),
    new Uint8Array(0),
    Uint8Array.from({ length: 256 }, (_, at) => at),
  ],
}

/** A column for each type, and as many rows as the most values; then a row of nulls. */
export function everyType(geometry?: GeometryType | GeometryField): { schema: Schema; rows: Row[] } {
  const types = Object.keys(valuesOfType) as AttributeType[]
  const schema = schemaOf(Object.fromEntries(types.map((type) => [`a ${type}`, type])), geometry)
  const count = Math.max(...types.map((type) => valuesOfType[type].length))
  const rows = Array.from({ length: count }, (_, row): Row => {
    const values = types.map((type) => valuesOfType[type][row % valuesOfType[type].length] ?? null)
    return {
      values,
      geometry: geometry === undefined || row % 5 === 4 ? null : wkb('Point', [row / 7, (-1 - row) / 3]),
    }
  })
  return { schema, rows: [...rows, { values: types.map(() => null), geometry: null }] }
}

/** Returns geometries of a type, including empty ones, in these dimensions. */
export function geometriesOf(type: GeometryType, dimensions: string): Uint8Array[] {
  const position = (x: number, y: number): number[] => [
    x,
    y,
    ...[x + 0.5, y * 2].slice(0, dimensions.length - 2),
  ]
  const line = [position(0, 0), position(1.5, 2), position(-3, 0.1)]
  const ring = (x: number, size: number): number[][] => [
    position(x, 0),
    position(x + size, 0),
    position(x + size, size),
    position(x, size),
    position(x, 0),
  ]
  const hole = [position(1, 1), position(1, 2), position(2, 2), position(1, 1)]
  const shapes: Record<GeometryType, unknown[]> = {
    Geometry: [],
    Point: [position(1, 2), position(-179.123456789012, 89.5)],
    LineString: [line, line.slice(0, 2)],
    Polygon: [[ring(0, 10)], [ring(0, 10), hole]],
    MultiPoint: [line, [position(7, 8)]],
    MultiLineString: [[line, line.slice(1)], [line]],
    MultiPolygon: [[[ring(0, 10), hole], [ring(20, 5)]], [[ring(0, 1)]]],
    GeometryCollection: [line],
  }
  const made = (one: unknown): Uint8Array => wkb(type, one as Parameters<typeof wkb>[1], dimensions)
  return [...shapes[type].map(made), type === 'Point' ? emptyPoint(dimensions) : made([])]
}

function emptyPoint(dimensions: string): Uint8Array {
  const code = 1 + 1000 * ['xy', 'xyz', 'xym', 'xyzm'].indexOf(dimensions)
  const bytes = Buffer.alloc(5 + dimensions.length * 8)
  bytes.writeUInt8(1)
  bytes.writeUInt32LE(code, 1)
  for (let axis = 0; axis < dimensions.length; axis += 1) bytes.writeDoubleLE(Number.NaN, 5 + axis * 8)
  return bytes
}

/** Returns the metadata of a document, without its features. */
export function aboutLayer(schema: Schema, more: Partial<WrittenAbout> = {}): WrittenAbout {
  return {
    name: 'things',
    title: 'Things',
    collection: 'http://127.0.0.1/ogc/collections/default:things',
    schema,
    crs: { uri: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84', srs: 'EPSG:4326', isYx: false },
    ...more,
  }
}

/** A whole document. */
export async function writtenDocument(
  format: FeatureFormat,
  about: WrittenAbout,
  rows: readonly Row[],
): Promise<Uint8Array> {
  const writer = format.open(about, about.schema)
  const parts: Uint8Array[] = []
  let count = 0
  for await (const batch of batchesOf(about.schema, rows, 7))
    for (let row = 0; row < batch.rowCount; row += 1) {
      count += 1
      writer.add(batch, row, String(count))
      if (count % 3 === 0) parts.push(writer.take())
    }
  parts.push(writer.take())
  const end = {
    numberReturned: count,
    numberMatched: count,
    timeStamp: '2026-01-01T00:00:00.000Z',
    links: [],
  }
  return Buffer.concat([...parts, Buffer.from(format.end(about, end))])
}
