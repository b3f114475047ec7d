import { ceilFloat32, floorFloat32 } from '../../geo/envelope.ts'
import type { Boxes } from '../../geo/hilbert.ts'
import { hilbertOrder } from '../../geo/hilbert.ts'

/** Size of an entry: a 64-bit id and four 32-bit floats. */
const entryBytes = 24
/** Maximum number of entries of a node (SQLite's RTREE_MAXCELLS). */
const maxEntries = 51
/** Maximum number of entries sorted in memory; more entries are split into chunks with separate leaves. */
const chunkEntries = 1 << 20

/**
 * Returns the size of a node in a database of this page size (SQLite documentation, "The SQLite R*Tree
 * Module", 3.4).
 */
function nodeBytes(pageSize: number): number {
  return Math.min(pageSize - 64, 4 + maxEntries * entryBytes)
}

/** Receives the rows of the three shadow tables, each in ascending order of its key. */
export interface RtreeSink {
  /** Node `number`, from 2 on. `bytes` are valid during the call only. */
  node(number: number, bytes: Uint8Array): void
  /** Records that the leaf `node` contains the feature `id`. */
  leafOf(id: number, node: number): void
  parentOf(node: number, parent: number): void
}

/** Ids of entries in their order; or the first id, if the ids are consecutive. */
type EntryIds = Float64Array | number

/**
 * Builds the nodes of an R*Tree from boxes in ascending order of id: full leaves along a Hilbert curve, then
 * the levels above. `finish` returns node 1, the root.
 */
export class RtreePacker {
  readonly #sink: RtreeSink
  readonly #nodeSize: number
  readonly #capacity: number
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #ids: EntryIds = 0
  #boxes: Boxes = new Float32Array(4096 * 4)
  #count = 0
  /** Finished nodes of the lowest level, from number 2 on. */
  #leafBoxes: number[] = []
  #nextNode = 2

  constructor(sink: RtreeSink, pageSize: number) {
    this.#sink = sink
    this.#nodeSize = nodeBytes(pageSize)
    this.#capacity = Math.floor((this.#nodeSize - 4) / entryBytes)
    this.#bytes = new Uint8Array(this.#nodeSize)
    this.#view = new DataView(this.#bytes.buffer)
  }

  add(id: number, minX: number, minY: number, maxX: number, maxY: number): void {
    if (this.#count * 4 === this.#boxes.length) this.#makeRoom()
    const at = this.#count * 4
    if (this.#count === 0) this.#ids = id
    else if (typeof this.#ids === 'number' && id !== this.#ids + this.#count) this.#ids = this.#listIds()
    if (typeof this.#ids !== 'number') this.#ids[this.#count] = id
    this.#boxes[at] = floorFloat32(minX)
    this.#boxes[at + 1] = ceilFloat32(maxX)
    this.#boxes[at + 2] = floorFloat32(minY)
    this.#boxes[at + 3] = ceilFloat32(maxY)
    this.#count += 1
  }

  finish(): Uint8Array {
    const isRootLeaf = this.#nextNode === 2 && this.#count <= this.#capacity
    if (isRootLeaf) {
      for (let entry = 0; entry < this.#count; entry += 1) this.#sink.leafOf(idOf(this.#ids, entry), 1)
      return this.#node(range(this.#count), this.#ids, this.#boxes).slice()
    }
    this.#packChunk()
    return this.#packUpper()
  }

  #makeRoom(): void {
    if (this.#count === chunkEntries) {
      this.#packChunk()
      return
    }
    const boxes = new Float32Array(this.#count * 8)
    boxes.set(this.#boxes)
    this.#boxes = boxes
    if (typeof this.#ids !== 'number') this.#ids = this.#listIds()
  }

  /** Returns the ids with space for as many as there are boxes. */
  #listIds(): Float64Array {
    const ids = new Float64Array(this.#boxes.length / 4)
    if (typeof this.#ids === 'number')
      for (let entry = 0; entry < this.#count; entry += 1) ids[entry] = this.#ids + entry
    else ids.set(this.#ids)
    return ids
  }

  /** Writes the leaves of the buffered entries. */
  #packChunk(): void {
    const nodes = this.#writeLevel(this.#ids, this.#boxes, this.#count, this.#leafBoxes)
    for (let entry = 0; entry < this.#count; entry += 1) {
      this.#sink.leafOf(idOf(this.#ids, entry), nodes[entry] as number)
    }
    this.#count = 0
  }

  #packUpper(): Uint8Array {
    let first = 2
    let boxes = Float32Array.from(this.#leafBoxes)
    this.#leafBoxes = []
    for (let depth = 1; ; depth += 1) {
      const count = boxes.length / 4
      if (count <= this.#capacity) {
        for (let entry = 0; entry < count; entry += 1) this.#sink.parentOf(first + entry, 1)
        const root = this.#node(range(count), first, boxes).slice()
        new DataView(root.buffer).setUint16(0, depth)
        return root
      }
      const children = first
      const level: number[] = []
      first = this.#nextNode
      const parents = this.#writeLevel(children, boxes, count, level)
      for (let entry = 0; entry < count; entry += 1) {
        this.#sink.parentOf(children + entry, parents[entry] as number)
      }
      boxes = Float32Array.from(level)
    }
  }

  /** Writes the nodes of entries along the curve and appends their boxes; returns the node of each entry. */
  #writeLevel(ids: EntryIds, boxes: Boxes, count: number, nodeBoxes: number[]): Uint32Array {
    const order = hilbertOrder(boxes, count)
    const nodes = new Uint32Array(count)
    for (let from = 0; from < count; from += this.#capacity) {
      const own = order.subarray(from, from + this.#capacity)
      for (let at = 0; at < own.length; at += 1) nodes[own[at] as number] = this.#nextNode
      this.#sink.node(this.#nextNode, this.#node(own, ids, boxes))
      pushUnion(nodeBoxes, own, boxes)
      this.#nextNode += 1
    }
    return nodes
  }

  /**
   * Returns the bytes of a node: depth (only in the root), count, entries, all big-endian. The next call
   * overwrites them.
   */
  #node(entries: Uint32Array, ids: EntryIds, boxes: Boxes): Uint8Array {
    const bytes = this.#bytes
    const view = this.#view
    const count = entries.length
    view.setUint16(0, 0)
    view.setUint16(2, count)
    let at = 4
    for (let index = 0; index < count; index += 1) {
      const entry = entries[index] as number
      const id = idOf(ids, entry)
      const box = entry * 4
      view.setInt32(at, Math.floor(id / 4_294_967_296))
      view.setUint32(at + 4, id % 4_294_967_296)
      view.setFloat32(at + 8, boxes[box] as number)
      view.setFloat32(at + 12, boxes[box + 1] as number)
      view.setFloat32(at + 16, boxes[box + 2] as number)
      view.setFloat32(at + 20, boxes[box + 3] as number)
      at += entryBytes
    }
    bytes.fill(0, at)
    return bytes
  }
}

function idOf(ids: EntryIds, entry: number): number {
  return typeof ids === 'number' ? ids + entry : (ids[entry] as number)
}

function range(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => index)
}

/** Appends the box around these entries: minX, maxX, minY, maxY. */
function pushUnion(target: number[], entries: Uint32Array, boxes: Boxes): void {
  let minX = Number.POSITIVE_INFINITY
  let minY = Number.POSITIVE_INFINITY
  let maxX = Number.NEGATIVE_INFINITY
  let maxY = Number.NEGATIVE_INFINITY
  for (let index = 0; index < entries.length; index += 1) {
    const at = (entries[index] as number) * 4
    minX = Math.min(minX, boxes[at] as number)
    maxX = Math.max(maxX, boxes[at + 1] as number)
    minY = Math.min(minY, boxes[at + 2] as number)
    maxY = Math.max(maxY, boxes[at + 3] as number)
  }
  target.push(minX, maxX, minY, maxY)
}
