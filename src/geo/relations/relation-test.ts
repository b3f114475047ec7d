import { jtsGeometry } from './jts-geometry.ts'
import type { JtsGeometry } from './jts-relations.ts'
import { jts } from './jts-relations.ts'
import { collectionsNotRelated } from './relation-failures.ts'

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

/** Whether geometries of rows stand in a relation to one geometry. */
export class RelationTest {
  readonly #relation: RelationName
  readonly #fixed: JtsGeometry
  readonly #parts: JtsGeometry[]

  /** `isFixedFirst`: the fixed geometry is the left side of the relation. Its WKB is little-endian ISO WKB. */
  constructor(relation: RelationName, fixed: Uint8Array, isFixedFirst: boolean) {
    this.#relation = isFixedFirst ? exchanged[relation] : relation
    this.#fixed = jtsGeometry(fixed, 0)
    this.#parts = partsOf(this.#fixed)
  }

  /** Whether the geometry at `offset` stands in the relation to the fixed one. */
  test(bytes: Uint8Array, offset: number): boolean {
    const row = jtsGeometry(bytes, offset)
    if (this.#relation === 'intersects') return this.#meets(row)
    if (this.#relation === 'disjoint') return !this.#meets(row)
    return related(this.#relation, row, this.#fixed)
  }

  #meets(row: JtsGeometry): boolean {
    return partsOf(row).some((part) => this.#parts.some((one) => jts.RelateOp.intersects(part, one)))
  }
}

type Exact = Exclude<RelationName, 'intersects' | 'disjoint'>

function related(relation: Exact, a: JtsGeometry, b: JtsGeometry): boolean {
  if (isCollection(a) || isCollection(b)) throw collectionsNotRelated()
  if (a.isEmpty() || b.isEmpty()) return relation === 'equals' && a.isEmpty() && b.isEmpty()
  if (relation === 'equals') return jts.RelateOp.equalsTopo(a, b)
  return relation === 'within' ? jts.RelateOp.contains(b, a) : jts.RelateOp[relation](a, b)
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
