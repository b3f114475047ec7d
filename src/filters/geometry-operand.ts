import { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { Schema } from '../geo/schema.ts'
import type { Expression } from './expression.ts'
import { invalidFilter } from './filter-size.ts'

/**
 * True if an expression refers to the geometry of the row: by its column name, or by `geometry` unless an
 * attribute has that name.
 */
export function isGeometry(written: Expression, { attributes, geometry }: Schema): boolean {
  if (written.kind !== 'property' || geometry === undefined) return false
  if (attributes.some(({ name }) => name === written.name)) return false
  return written.name === 'geometry' || written.name === geometry.name
}

/** Returns the geometry of an expression as WKB; throws `invalid-filter` if it is not a geometry. */
export function writtenGeometry(written: Expression): Uint8Array {
  if (written.kind === 'geometry') return written.wkb
  if (written.kind === 'box') return boxGeometry(written.sides)
  if (written.kind === 'property') throw invalidFilter(`"${written.name.slice(0, 200)}" is not a geometry`)
  throw invalidFilter(
    'A spatial relation takes the geometry, and one that is written as WKT, GeoJSON or BBOX',
  )
}

/**
 * Converts a box to a polygon; a box whose first side is east of the other one crosses the antimeridian and
 * becomes two.
 */
function boxGeometry(sides: number[]): Uint8Array {
  const [west = 0, south = 0, east = 0, north = 0] = [0, 1, sides.length / 2, sides.length / 2 + 1].map(
    (index) => sides[index],
  )
  if (south > north) throw invalidFilter('A box of the filter has its upper edge below its lower one')
  const builder = new GeometryBuilder(1)
  if (west <= east) writeBox(builder, [west, south, east, north])
  else {
    builder.header(6, false, false)
    builder.count(2)
    writeBox(builder, [west, south, 180, north])
    writeBox(builder, [-180, south, east, north])
  }
  builder.endGeometry()
  return wkbOf(builder)
}

function writeBox(
  builder: GeometryBuilder,
  [west, south, east, north]: [number, number, number, number],
): void {
  builder.header(3, false, false)
  builder.count(1)
  builder.count(5)
  builder.coordinate(west, south)
  builder.coordinate(east, south)
  builder.coordinate(east, north)
  builder.coordinate(west, north)
  builder.coordinate(west, south)
}

/** Parses the text of an end of an interval: `..` or empty for no end, else a date or a moment. */
export function intervalEnd(text: string): Expression {
  if (text === '..' || text === '') return { kind: 'open' }
  return { kind: /^\d{4,6}-\d\d-\d\d$/.test(text) ? 'date' : 'timestamp', text }
}

/** Returns the WKB of the only geometry in a builder. */
export function wkbOf(builder: GeometryBuilder): Uint8Array {
  const { bytes, offsets } = builder.finish()
  return bytes.slice(offsets[0], offsets[1])
}
