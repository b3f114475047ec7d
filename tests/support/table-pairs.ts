import { seededRandom } from '../../bench/random.ts'
import type { AttributeType, GeometryType, Schema } from '../../src/geo/schema.ts'
import type { Row, Value } from './batches.ts'
import { schemaOf, wkb } from './batches.ts'

interface PairShape {
  name: string
  geometry: GeometryType | undefined
  dimensions: string
}

const geometryKinds: GeometryType[] = [
  'Geometry',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
]

/** Tables of every geometry type, and one without geometry. */
export const pairShapes: PairShape[] = [
  { name: 'no geometry', geometry: undefined, dimensions: 'xy' },
  ...geometryKinds.map((geometry, number) => {
    const dimensions = ['xy', 'xyz', 'xym', 'xyzm'][number % 4] ?? 'xy'
    return { name: `${geometry} (${dimensions})`, geometry, dimensions }
  }),
]

/** `key`, then a column of each type. */
export function pairSchema({ geometry, dimensions }: PairShape, types: readonly AttributeType[]): Schema {
  const columns = Object.fromEntries(types.map((type) => [`c_${type}`, type] as const))
  const attributes = { key: 'int32' as const, ...columns }
  if (geometry === undefined) return schemaOf(attributes)
  return schemaOf(attributes, {
    name: 'geom',
    type: geometry,
    hasZ: dimensions.includes('z'),
    hasM: dimensions.includes('m'),
    crs: { srs: 'EPSG:4326' },
  })
}

/** Few values, so that some are met again: those that compare oddly are among them. */
const pools: Record<AttributeType, Value[]> = {
  boolean: [1, 0],
  int16: [0, -32_768, 32_767],
  int32: [0, -1, 2_147_483_647],
  int64: [0n, 9_007_199_254_740_993n, 9_007_199_254_740_992n],
  float32: [0, -0, Number.NaN, 1.5, Number.POSITIVE_INFINITY],
  float64: [0, -0, Number.NaN, 0.1, 1e300, Number.NEGATIVE_INFINITY],
  decimal: ['0.10', '1', '12345678901234567890.5'],
  text: ['', ' ', 'a', 'A', 'ä', 'a\u0308', 'o\'clock \\ "x"', '日本'],
  date: [0, -1, 19_782],
  time: [0n, 86_399_999_999n],
  timestamp: [0n, 1_700_000_000_000_001n, 1_700_000_000_000_000n],
  binary: [new Uint8Array(), Uint8Array.of(0), Uint8Array.of(255, 0)],
}

export interface TablePair {
  before: Row[]
  after: Row[]
  /** True if `key` has a value in each row and is unique, on both sides. */
  hasKeys: boolean
}

/**
 * Creates the rows of a table and of its successor: some are removed, added, changed in a value, or moved to
 * another position.
 */
export function makeTablePair(schema: Schema, seed: number, rows = 120): TablePair {
  const random = seededRandom(seed * 7919)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const hasKeys = seed % 2 === 0
  const keyOf = (number: number): Value => (hasKeys ? number : pick([null, 1, 2, 3]))
  const isPlain = !hasKeys && random() < 0.7
  const someValue = (type: AttributeType): Value => (random() < 0.3 ? null : pick(pools[type]))
  const rowOf = (number: number): Row => ({
    geometry: geometryOf(schema, random, isPlain),
    values: schema.attributes.map(({ type }, index) => {
      if (index === 0) return keyOf(number)
      return isPlain && index > 2 ? null : someValue(type)
    }),
  })
  const before = Array.from({ length: rows }, (_, number) => rowOf(number))
  const after = before
    .filter(() => random() > 0.15)
    .map((row): Row => {
      if (random() > 0.3) return row
      const at = Math.floor(random() * (schema.attributes.length + 1))
      const attribute = schema.attributes[at]
      if (attribute === undefined) return { ...row, geometry: geometryOf(schema, random, false) }
      if (at === 0) return row
      return { ...row, values: row.values.with(at, someValue(attribute.type)) }
    })
  const added = Array.from({ length: Math.floor(rows / 8) }, (_, number) => rowOf(rows + number))
  return { before, after: [...added, ...after].sort(() => random() - 0.5), hasKeys }
}

function geometryOf({ geometry }: Schema, random: () => number, isPlain: boolean): Uint8Array | null {
  if (geometry === undefined || random() < 0.1) return null
  const dimensions = `xy${geometry.hasZ ? 'z' : ''}${geometry.hasM ? 'm' : ''}`
  const place = isPlain ? Math.floor(random() * 2) : Math.floor(random() * 1000) / 8
  const at = (x: number, y: number): number[] => [place + x, y, 3, 4].slice(0, dimensions.length)
  const ring = [at(0, 0), at(1, 0), at(1, 1), at(0, 0)]
  const coordinates = {
    Point: at(0, 0),
    LineString: [at(0, 0), at(1, 1)],
    Polygon: [ring],
    MultiPoint: [at(0, 0), at(1, 1)],
    MultiLineString: [[at(0, 0), at(1, 1)]],
    MultiPolygon: [[ring]],
    GeometryCollection: [at(0, 0)],
  }
  const types = Object.keys(coordinates) as (keyof typeof coordinates)[]
  const expected = geometry.type
  const type = expected === 'Geometry' ? types[Math.floor(random() * types.length)] : expected
  return type === undefined ? null : wkb(type, coordinates[type], dimensions)
}
