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
  /** Node `number`, from 2 on. */
  node(number: number, bytes: Uint8Array): void
  /** Records the leaf that contains a feature. */
  leafOf(id: number, node: number): void
  parentOf(node: number, parent: number): void
}

/**
 * Builds the nodes of an R*Tree from boxes in ascending order of id: full leaves along a Hilbert curve, then
 * the levels above. `finish` returns node 1, the root.
 */
export class RtreePacker {
  readonly #sink: RtreeSink
  readonly #nodeSize: number
  readonly #capacity: number
  #ids = new Float64Array(4096)
  #boxes: Boxes = new Float32Array(4096 * 4)
  #count = 0
  /** Finished nodes of the lowest level, from number 2 on. */
  #leafBoxes: number[] = []
  #nextNode = 2

  constructor(sink: RtreeSink, pageSize: number) {
    this.#sink = sink
    this.#nodeSize = nodeBytes(pageSize)
    this.#capacity = Math.floor((this.#nodeSize - 4) / entryBytes)
  }

  add(id: number, minX: number, minY: number, maxX: number, maxY: number): void {
    if (this.#count === this.#ids.length) this.#makeRoom()
    const at = this.#count * 4
    this.#ids[this.#count] = id
    this.#boxes[at] = floorFloat32(minX)
    this.#boxes[at + 1] = ceilFloat32(maxX)
    this.#boxes[at + 2] = floorFloat32(minY)
    this.#boxes[at + 3] = ceilFloat32(maxY)
    this.#count += 1
  }

  finish(): Uint8Array {
    const isRootLeaf = this.#nextNode === 2 && this.#count <= this.#capacity
    if (isRootLeaf) {
      for (let entry = 0; entry < this.#count; entry += 1) this.#sink.leafOf(this.#ids[entry] as number, 1)
      return this.#node(range(this.#count), this.#ids, this.#boxes)
    }
    this.#packChunk()
    return this.#packUpper()
  }

  #makeRoom(): void {
    if (this.#count === chunkEntries) {
      this.#packChunk()
      return
    }
    const ids = new Float64Array(this.#count * 2)
    const boxes = new Float32Array(this.#count * 8)
    ids.set(this.#ids)
    boxes.set(this.#boxes)
    this.#ids = ids
    this.#boxes = boxes
  }

  /** Writes the leaves of the buffered entries. */
  #packChunk(): void {
    const order = hilbertOrder(this.#boxes, this.#count)
    const nodes = new Uint32Array(this.#count)
    for (let from = 0; from < order.length; from += this.#capacity) {
      const own = order.subarray(from, from + this.#capacity)
      for (const entry of own) nodes[entry] = this.#nextNode
      this.#leafBoxes.push(...unionOf(own, this.#boxes))
      this.#sink.node(this.#nextNode, this.#node(own, this.#ids, this.#boxes))
      this.#nextNode += 1
    }
    for (let entry = 0; entry < this.#count; entry += 1) {
      this.#sink.leafOf(this.#ids[entry] as number, nodes[entry] as number)
    }
    this.#count = 0
  }

  #packUpper(): Uint8Array {
    let first = 2
    let boxes = Float32Array.from(this.#leafBoxes)
    this.#leafBoxes = []
    for (let depth = 1; ; depth += 1) {
      const count = boxes.length / 4
      const numbers = Float64Array.from({ length: count }, (_, index) => first + index)
      if (count <= this.#capacity) {
        for (const number of numbers) this.#sink.parentOf(number, 1)
        const root = this.#node(range(count), numbers, boxes)
        new DataView(root.buffer).setUint16(0, depth)
        return root
      }
      const order = hilbertOrder(boxes, count)
      const parents = new Uint32Array(count)
      const level: number[] = []
      first = this.#nextNode
      for (let from = 0; from < count; from += this.#capacity) {
        const own = order.subarray(from, from + this.#capacity)
        for (const entry of own) parents[entry] = this.#nextNode
        level.push(...unionOf(own, boxes))
        this.#sink.node(this.#nextNode, this.#node(own, numbers, boxes))
        this.#nextNode += 1
      }
      for (let entry = 0; entry < count; entry += 1) {
        this.#sink.parentOf(numbers[entry] as number, parents[entry] as number)
      }
      boxes = Float32Array.from(level)
    }
  }

  /** Returns the bytes of a node: depth (only in the root), count, entries, all big-endian. */
  #node(entries: Uint32Array, ids: Float64Array, boxes: Boxes): Uint8Array {
    const bytes = new Uint8Array(this.#nodeSize)
    const view = new DataView(bytes.buffer)
    view.setUint16(2, entries.length)
    let at = 4
    for (const entry of entries) {
      const id = ids[entry] as number
      view.setInt32(at, Math.floor(id / 4_294_967_296))
      view.setUint32(at + 4, id % 4_294_967_296)
      for (let side = 0; side < 4; side += 1) {
        view.setFloat32(at + 8 + side * 4, boxes[entry * 4 + side] as number)
      }
      at += entryBytes
    }
    return bytes
  }
}

function range(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => index)
}

function unionOf(entries: Uint32Array, boxes: Boxes): [number, number, number, number] {
  let minX = Number.POSITIVE_INFINITY
  let minY = Number.POSITIVE_INFINITY
  let maxX = Number.NEGATIVE_INFINITY
  let maxY = Number.NEGATIVE_INFINITY
  for (const entry of entries) {
    const at = entry * 4
    minX = Math.min(minX, boxes[at] as number)
    maxX = Math.max(maxX, boxes[at + 1] as number)
    minY = Math.min(minY, boxes[at + 2] as number)
    maxY = Math.max(maxY, boxes[at + 3] as number)
  }
  return [minX, maxX, minY, maxY]
}
