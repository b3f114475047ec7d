import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../../core/errors/errors.ts'
import { quoteName } from '../../../formats/geopackage/index.ts'
import type { AreaTest, EnvelopeRelation } from '../../../geo/area-test.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { Area } from '../../../geo/polygon-test.ts'
import { areaTest } from '../../../geo/polygon-test.ts'

/** Size of an entry: a 64-bit number and four 32-bit floats, all big-endian. */
const entryBytes = 24
/** Maximum depth of a tree that SQLite accepts. */
const maxDepth = 40
/** Maximum relative error of rounding outwards to a 32-bit float. */
const floatStep = 2 ** -21

/** Callbacks for features whose envelope overlaps an area. */
export interface OverlapVisitor {
  /** The envelope is within the area. */
  inside(id: number): void
  /** It may extend beyond an edge: the geometry decides. */
  edge(id: number): void
}

/** Receives one leaf entry: an id and its envelope. */
export type TakeEntry = (id: number, minX: number, minY: number, maxX: number, maxY: number) => void
/** Number of cached inner nodes, as in an index of some million rows: every walk starts with these. */
const maxKeptNodes = 2000
type TakeCell = (node: DataView, at: number, isInside: boolean) => void

interface Sides {
  outer: Envelope
  inner: Envelope
  /** Exact test for areas that are not rectangles. */
  test?: AreaTest
}

const above = (value: number): number => value + Math.abs(value) * floatStep + 1e-37
const below = (value: number): number => value - Math.abs(value) * floatStep - 1e-37

/**
 * Envelopes are stored as 32-bit floats rounded outwards: only distances beyond that rounding are conclusive.
 */
function sidesOf(area: Area): Sides {
  const { minX, minY, maxX, maxY } = area
  return {
    test: area.outline === undefined ? undefined : areaTest(area),
    outer: { minX: below(minX), minY: below(minY), maxX: above(maxX), maxY: above(maxY) },
    inner: { minX: above(minX), minY: above(minY), maxX: below(maxX), maxY: below(maxY) },
  }
}

/**
 * Traverses the nodes of an R*Tree (SQLite documentation, "The SQLite R*Tree Module", section 3.4) with
 * columns id, minx, maxx, miny, maxy. Below a node within the box nothing is compared. Caches inner nodes, so
 * it is valid while nothing is written.
 */
export class RtreeWalk {
  readonly #node: (number: number) => Uint8Array | undefined
  readonly #inner = new Map<number, DataView>()
  #visits = 0
  /** Number of nodes, which limits every walk. */
  readonly #maxVisits: number

  constructor(db: DatabaseSync, rtree: string) {
    const nodes = quoteName(`${rtree}_node`)
    const statement = db.prepare(`SELECT data FROM ${nodes} WHERE nodeno = ?`)
    const last = db.prepare(`SELECT max(nodeno) AS n FROM ${nodes}`).get()?.['n']
    this.#maxVisits = Number(last)
    this.#node = (number) => {
      const data = statement.get(number)?.['data']
      return data instanceof Uint8Array ? data : undefined
    }
  }

  find(area: Area, found: OverlapVisitor): void {
    this.#begin(sidesOf(area), (node, at, isInside) => {
      if (isInside) found.inside(idAt(node, at))
      else found.edge(idAt(node, at))
    })
  }

  /** Calls back with the id of every entry whose envelope overlaps the box. */
  ids(box: Envelope, take: (id: number) => void): void {
    this.#begin(sidesOf(box), (node, at) => take(idAt(node, at)))
  }

  /** Calls back for every entry whose envelope overlaps the box, or for all entries. */
  entries(box: Envelope | undefined, take: TakeEntry): void {
    this.#begin(box === undefined ? undefined : sidesOf(box), (node, at) => {
      const [minX, maxX] = [node.getFloat32(at + 8), node.getFloat32(at + 12)]
      take(idAt(node, at), minX, node.getFloat32(at + 16), maxX, node.getFloat32(at + 20))
    })
  }

  /** Yields every leaf, for `readLeaf`. */
  *leaves(): Generator<DataView> {
    this.#visits = 0
    const root = this.#readInner(1)
    const depth = root.getUint16(0)
    if (depth > maxDepth) throw damaged()
    yield* this.#leavesOf(root, depth)
  }

  *#leavesOf(node: DataView, depth: number): Generator<DataView> {
    if (depth === 0) {
      yield node
      return
    }
    const end = endOf(node)
    for (let at = 4; at < end; at += entryBytes) {
      const number = idAt(node, at)
      yield* this.#leavesOf(depth > 1 ? this.#readInner(number) : this.#read(number), depth - 1)
    }
  }

  /** True if every envelope is within the area. */
  isWithin(area: Area): boolean {
    this.#visits = 0
    const sides = sidesOf(area)
    const root = this.#readInner(1)
    for (let at = 4; at < endOf(root); at += entryBytes)
      if (relationAt(root, at, sides) !== 'within') return false
    return true
  }

  #begin(sides: Sides | undefined, take: TakeCell): void {
    this.#visits = 0
    const root = this.#readInner(1)
    const depth = root.getUint16(0)
    if (depth > maxDepth) throw damaged()
    this.#walk(root, depth, sides, take)
  }

  #walk(node: DataView, depth: number, sides: Sides | undefined, take: TakeCell): void {
    const end = endOf(node)
    for (let at = 4; at < end; at += entryBytes) {
      const relation = sides === undefined ? 'within' : relationAt(node, at, sides)
      if (relation === 'apart') continue
      const rest = relation === 'within' ? undefined : sides
      if (depth > 1) this.#walk(this.#readInner(idAt(node, at)), depth - 1, rest, take)
      else if (depth > 0) this.#walk(this.#read(idAt(node, at)), 0, rest, take)
      else take(node, at, rest === undefined)
    }
  }

  #readInner(number: number): DataView {
    const known = this.#inner.get(number)
    if (known === undefined) {
      const node = this.#read(number)
      if (this.#inner.size < maxKeptNodes) this.#inner.set(number, node)
      return node
    }
    this.#visits += 1
    if (this.#visits > this.#maxVisits) throw damaged()
    return known
  }

  #read(number: number): DataView {
    this.#visits += 1
    const bytes = this.#node(number)
    if (bytes === undefined || bytes.length < 4 || this.#visits > this.#maxVisits) throw damaged()
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

/** Returns the number of entries of a leaf. */
export function leafRows(leaf: DataView): number {
  return (endOf(leaf) - 4) / entryBytes
}

/** Reads the entries of a leaf into the arrays from `from` on; returns their number. */
export function readLeaf(
  leaf: DataView,
  { ids, envelopes, from }: { ids: Float64Array; envelopes: Float64Array; from: number },
): number {
  const end = endOf(leaf)
  let to = from
  for (let at = 4; at < end; at += entryBytes) {
    ids[to] = idAt(leaf, at)
    envelopes[to * 4] = leaf.getFloat32(at + 8)
    envelopes[to * 4 + 1] = leaf.getFloat32(at + 16)
    envelopes[to * 4 + 2] = leaf.getFloat32(at + 12)
    envelopes[to * 4 + 3] = leaf.getFloat32(at + 20)
    to += 1
  }
  return to - from
}

/** Returns the number of an entry: a row or node number. */
function idAt(node: DataView, at: number): number {
  return node.getInt32(at) * 2 ** 32 + node.getUint32(at + 4)
}

function damaged(): Failure {
  return new Failure('unavailable', 'store-corrupt', 'The R*Tree of the layer is damaged: build it anew')
}

/** Returns the end offset of the entries of a node. */
function endOf(node: DataView): number {
  const end = 4 + node.getUint16(2) * entryBytes
  if (end > node.byteLength) throw damaged()
  return end
}

function relationAt(node: DataView, at: number, { outer, inner, test }: Sides): EnvelopeRelation {
  if (!overlaps(node, at, outer)) return 'apart'
  if (test === undefined) return isInside(node, at, inner) ? 'within' : 'across'
  const [minX, maxX] = [below(node.getFloat32(at + 8)), above(node.getFloat32(at + 12))]
  return test.relationTo(minX, below(node.getFloat32(at + 16)), maxX, above(node.getFloat32(at + 20)))
}

function overlaps(node: DataView, at: number, box: Envelope): boolean {
  return (
    node.getFloat32(at + 8) <= box.maxX &&
    node.getFloat32(at + 12) >= box.minX &&
    node.getFloat32(at + 16) <= box.maxY &&
    node.getFloat32(at + 20) >= box.minY
  )
}

function isInside(node: DataView, at: number, box: Envelope): boolean {
  return (
    node.getFloat32(at + 8) >= box.minX &&
    node.getFloat32(at + 12) <= box.maxX &&
    node.getFloat32(at + 16) >= box.minY &&
    node.getFloat32(at + 20) <= box.maxY
  )
}
