import type { RequestListener } from 'node:http'

/** Fields of every type of an ArcGIS feature layer that both readers know. */
const fields = [
  { name: 'OBJECTID', type: 'esriFieldTypeOID' },
  { name: 'name', type: 'esriFieldTypeString', length: 4000 },
  { name: 'code', type: 'esriFieldTypeString', length: 10 },
  { name: 'small', type: 'esriFieldTypeSmallInteger' },
  { name: 'whole', type: 'esriFieldTypeInteger' },
  { name: 'big', type: 'esriFieldTypeBigInteger' },
  { name: 'single', type: 'esriFieldTypeSingle' },
  { name: 'ratio', type: 'esriFieldTypeDouble' },
  { name: 'guid', type: 'esriFieldTypeGUID', length: 38 },
  {
    name: 'kind',
    type: 'esriFieldTypeInteger',
    domain: {
      type: 'codedValue',
      name: 'kinds',
      codedValues: [
        { code: 1, name: 'Oak' },
        { code: 2, name: 'Elm' },
      ],
    },
  },
  { name: 'depth', type: 'esriFieldTypeDouble', domain: { type: 'range', name: 'depths', range: [0, 100] } },
  { name: 'planted', type: 'esriFieldTypeDate', length: 8 },
  { name: 'edited_at', type: 'esriFieldTypeDate', length: 8 },
  { name: 'nothing', type: 'esriFieldTypeString', length: 10 },
]

const texts = [
  'plain',
  '',
  null,
  '007',
  '12',
  ' blanks ',
  'Grüße 🎉',
  '<&>"\'',
  'two\nlines',
  'tab\t',
  'x'.repeat(3000),
]
const ratios = [0.1, -1.5, 1e300, 48.123_456_789_012_34, null, 5]
/** Digits for `rawNumber`. */
const bigs = ['0', '9223372036854775807', '-9223372036854775808', '9007199254740993', null]
const times = [1_709_201_472_000, 1_709_201_472_123, -86_400_000, null]

const at = <T>(values: readonly T[], row: number): T | null => values[row % values.length] ?? null

/** A number with all its digits in JSON. */
function rawNumber(digits: string | null): unknown {
  return digits === null ? null : (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}

function attributesOf(row: number): Record<string, unknown> {
  return {
    OBJECTID: row + 1,
    name: at(texts, row),
    code: at(['10115', '01067', null], row),
    small: row - 3,
    whole: row % 4 === 3 ? null : row * 1_000_003,
    big: rawNumber(at(bigs, row)),
    single: at([0.5, -2.25, null], row),
    ratio: at(ratios, row),
    guid: '{6F1E6C3E-0E2F-4D4B-8F0E-2F1F6C1D9A10}',
    kind: at([1, 2, null], row),
    depth: row / 8,
    planted: at(times, row),
    edited_at: 1_700_000_000_000 + row * 60_000,
    nothing: null,
  }
}

/** Outer rings run clockwise, holes the other way. */
function ringsOf(row: number): number[][][] {
  const x = 1_400_000 + row * 1000
  const y = 6_800_000
  const ring = (size: number, dx = 0) => [
    [x + dx - size, y - size],
    [x + dx - size, y + size],
    [x + dx + size, y + size],
    [x + dx + size, y - size],
    [x + dx - size, y - size],
  ]
  const holed = [ring(100), ring(20).reverse()]
  // The hole of the second polygon comes before its ring, as some services send them.
  const all = [[ring(100)], holed, [...holed, ring(5, 500).reverse(), ring(50, 500)]]
  return all[row % 3] ?? []
}

export type EsriShape =
  | 'esriGeometryPoint'
  | 'esriGeometryMultipoint'
  | 'esriGeometryPolyline'
  | 'esriGeometryPolygon'

function geometryOf(shape: EsriShape, row: number, hasZ: boolean): object | null {
  const [x, y] = [1_400_000 + row / 8, 6_800_000 - row / 4]
  if (row === 4) return null
  if (shape === 'esriGeometryPoint') return hasZ ? { x, y, z: row / 2 } : { x, y }
  if (shape === 'esriGeometryMultipoint')
    return {
      points:
        row % 2 === 0
          ? [[x, y]]
          : [
              [x, y],
              [x + 1, y + 1],
            ],
    }
  const path = [
    [x, y],
    [x + 10, y + 5],
    [x + 20, y],
  ]
  if (shape === 'esriGeometryPolyline')
    return { paths: row % 2 === 0 ? [path] : [path, path.map(([left = 0, top = 0]) => [left, top + 100])] }
  return { rings: ringsOf(row) }
}

/** The layers of a feature service with rows of every type, in pages by offset and by object id. */
export function esriTables(layers: readonly { shape: EsriShape; hasZ: boolean }[], rows: number) {
  const pageSize = 10
  const about = (id: number) => {
    const { shape, hasZ } = layers[id] ?? { shape: 'esriGeometryPoint', hasZ: false }
    return {
      id,
      name: `layer${id}`,
      type: 'Feature Layer',
      geometryType: shape,
      hasZ,
      objectIdField: 'OBJECTID',
      maxRecordCount: pageSize,
      advancedQueryCapabilities: { supportsPagination: true, supportsOrderBy: true },
      editFieldsInfo: { editDateField: 'edited_at' },
      extent: { spatialReference: { wkid: 102_100, latestWkid: 3857 } },
      fields,
    }
  }
  const query = (id: number, parameters: URLSearchParams): object => {
    const { geometryType, hasZ } = about(id)
    const where = parameters.get('where') ?? ''
    const last = Number(/OBJECTID > (\d+)/.exec(where)?.[1] ?? 0)
    const since = Date.parse(
      `${/edited_at >= TIMESTAMP '([^']+)'/.exec(where)?.[1] ?? '1970-01-01 00:00:00'}Z`,
    )
    const all = Array.from({ length: rows }, (_, row) => ({
      attributes: attributesOf(row),
      geometry: geometryOf(geometryType, row, hasZ),
    })).filter(
      ({ attributes }) => Number(attributes['OBJECTID']) > last && Number(attributes['edited_at']) >= since,
    )
    if (parameters.get('returnCountOnly') === 'true') return { count: all.length }
    const from = Number(parameters.get('resultOffset') ?? 0)
    const count = Math.min(Number(parameters.get('resultRecordCount') ?? pageSize), pageSize)
    const features = all.slice(from, from + count)
    return {
      objectIdFieldName: 'OBJECTID',
      geometryType,
      hasZ,
      spatialReference: { wkid: 102_100, latestWkid: 3857 },
      fields,
      exceededTransferLimit: from + features.length < all.length,
      features,
    }
  }
  const listener: RequestListener = (request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const id = Number(/\/(\d+)(?:\/query)?$/.exec(pathname)?.[1] ?? -1)
    const answer = pathname.endsWith('/query')
      ? query(id, searchParams)
      : id >= 0
        ? about(id)
        : { layers: layers.map((_, at) => ({ id: at, name: `layer${at}` })) }
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }
  return { listener }
}
