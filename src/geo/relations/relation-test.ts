import { PolygonTest } from '../polygon-test.ts'
import { walkCoordinates, wkbEnvelope } from '../wkb.ts'
import { geometryInFrame } from './geometry-in-frame.ts'
import { jtsGeometry } from './jts-geometry.ts'
import type { JtsGeometry } from './jts-relations.ts'
import { jtsRelations } from './jts-relations.ts'
import { collectionsNotRelated } from './relation-failures.ts'
import type { Frame } from './repeated-places.ts'
import { frameAround } from './repeated-places.ts'

/** Relations of two geometries (OGC 06-103r4, section 6.1.15.3). */
export type RelationName =
  | 'intersects'
  | 'disjoint'
  | 'equals'
  | 'touches'
  | 'within'
  | 'contains'
  | 'overlaps'
  | 'crosses'

/** The same relation with its sides exchanged. */
const exchanged: Record<RelationName, RelationName> = {
  intersects: 'intersects',
  disjoint: 'disjoint',
  equals: 'equals',
  touches: 'touches',
  within: 'contains',
  contains: 'within',
  overlaps: 'overlaps',
  crosses: 'crosses',
}

/** Tests whether geometries of rows have a spatial relation to a fixed geometry. */
export class RelationTest {
  readonly #relation: RelationName
  readonly #fixed: JtsGeometry
  /** Intersection with a polygon is tested without JTS, which overlays both geometries for each row. */
  readonly #polygons: PolygonTest[]
  readonly #parts: JtsGeometry[]
  readonly #frame: Frame | undefined

  /**
   * `isFixedFirst`: the fixed geometry is the left side of the relation. Its WKB is little-endian ISO WKB.
   * `turn`: distance in x after which locations repeat; other geometries are moved and cut to one turn around
   * the fixed one. Not for `intersects` and `disjoint`.
   */
  constructor(relation: RelationName, fixed: Uint8Array, isFixedFirst: boolean, turn?: number) {
    this.#relation = isFixedFirst ? exchanged[relation] : relation
    this.#fixed = jtsGeometry(fixed, 0)
    const envelope = wkbEnvelope(fixed)
    this.#frame = turn === undefined || envelope === undefined ? undefined : frameAround(turn, envelope)
    this.#polygons = polygonsIn(fixed).map((rings) => new PolygonTest(rings))
    this.#parts = partsOf(this.#fixed).filter((part) => !part.getGeometryType().endsWith('Polygon'))
  }

  /** True if the geometry at `offset` has the relation to the fixed one. */
  test(bytes: Uint8Array, offset: number): boolean {
    if (this.#relation === 'intersects') return this.#meets(bytes, offset)
    if (this.#relation === 'disjoint') return !this.#meets(bytes, offset)
    const row = this.#frame ? geometryInFrame(bytes, offset, this.#frame) : jtsGeometry(bytes, offset)
    return related(this.#relation, row, this.#fixed)
  }

  #meets(bytes: Uint8Array, offset: number): boolean {
    if (this.#polygons.some((polygon) => polygon.touches(bytes, offset))) return true
    if (this.#parts.length === 0) return false
    return partsOf(jtsGeometry(bytes, offset)).some((part) =>
      this.#parts.some((one) => jtsRelations.RelateOp.intersects(part, one)),
    )
  }
}

/** The rings of each polygon in a little-endian ISO WKB that has some; x and y alone. */
function polygonsIn(wkb: Uint8Array): Float64Array[][] {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  const polygons: Float64Array[][] = []
  collectPolygons(view, 0, polygons)
  return polygons.filter((rings) => rings.some((ring) => ring.length > 2))
}

/** Returns the offset after the geometry. */
function collectPolygons(view: DataView, offset: number, found: Float64Array[][]): number {
  const type = view.getUint32(offset + 1, true)
  const typeCode = type % 1000
  if (typeCode < 3) return walkCoordinates(view, offset, () => undefined)
  if (typeCode === 3) {
    const rings: Float64Array[] = []
    found.push(rings)
    return walkCoordinates(view, offset, (start, count, dimensions) => {
      rings.push(
        Float64Array.from({ length: count * 2 }, (_, at) =>
          view.getFloat64(start + ((at >> 1) * dimensions + (at & 1)) * 8, true),
        ),
      )
    })
  }
  let at = offset + 9
  for (let part = view.getUint32(offset + 5, true); part > 0; part -= 1) at = collectPolygons(view, at, found)
  return at
}

type Exact = Exclude<RelationName, 'intersects' | 'disjoint'>

function related(relation: Exact, a: JtsGeometry, b: JtsGeometry): boolean {
  if (isCollection(a) || isCollection(b)) throw collectionsNotRelated()
  if (a.isEmpty() || b.isEmpty()) return relation === 'equals' && a.isEmpty() && b.isEmpty()
  if (relation === 'equals') return jtsRelations.RelateOp.equalsTopo(a, b)
  return relation === 'within' ? jtsRelations.RelateOp.contains(b, a) : jtsRelations.RelateOp[relation](a, b)
}

function isCollection(geometry: JtsGeometry): boolean {
  return geometry.getGeometryType() === 'GeometryCollection'
}

function partsOf(geometry: JtsGeometry): JtsGeometry[] {
  if (geometry.getGeometryType() !== 'GeometryCollection') return [geometry]
  return Array.from({ length: geometry.getNumGeometries() }, (_, index) =>
    partsOf(geometry.getGeometryN(index)),
  ).flat()
}
