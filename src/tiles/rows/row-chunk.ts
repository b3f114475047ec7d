import type { FeatureBatch } from '../../geo/batch.ts'
import { isValid } from '../../geo/column.ts'
import { hashOfMessage } from '../value-table.ts'
import { touchingRows } from './row-directory.ts'

/** Alignment of the sections of chunks, for any type of typed array. */
const alignment = 8

/** Memory for consecutive chunks of rows, with typed array views. */
export class RowMemory {
  readonly sizeBytes: number
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly doubles: Float64Array
  readonly floats: Float32Array
  readonly words: Uint32Array

  /** Allocates at least this many bytes. */
  constructor(sizeBytes: number) {
    const buffer = new ArrayBuffer(Math.ceil(sizeBytes / alignment) * alignment)
    this.sizeBytes = buffer.byteLength
    this.bytes = new Uint8Array(buffer)
    this.view = new DataView(buffer)
    this.doubles = new Float64Array(buffer)
    this.floats = new Float32Array(buffer)
    this.words = new Uint32Array(buffer)
  }
}

/*
 * Layout of a chunk in a file: little-endian, starting at a multiple of eight; n is the number of its rows.
 *   uint32 n, uint32 1 if ids are numbers
 *   float64[4n] envelopes: minX, minY, maxX, maxY of each row
 *   float64[n]  ids; or for texts, uint32[2n]: offset in the data, and length in bytes
 *   float32[4n] envelopes as in the index of the store, rounded outwards
 *   uint32[n]   position of each row among all rows of the table in key order
 *   uint32[2n]  end offsets in the data of the WKB, and of the cells, of each row
 *   data        WKB and cells row by row, then texts of ids
 * A cell is uint32 column and, from bit 8 on, the length of its message; uint32 hash of the message; the
 * message. For a text that is too long for any tile the length is `tooLong`, the hash is 0, and there is no
 * message.
 */
const headBytes = 8
const rowBytes = 68
export const cellHeadBytes = 8
/** Replaces the length of the message for a text that tiles omit. */
export const tooLong = 0xffffff
/** Ids that are stored as numbers, and are numbers in a tile. */
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/
const text = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Yields the message of each value of a row that a tile can show: see `CellMessages`. */
interface CellSource {
  visit(
    batch: FeatureBatch,
    row: number,
    take: (column: number, message: Uint8Array | undefined) => void,
  ): void
}

/** Nearby rows, in key order. */
export interface ChunkRows {
  batch: FeatureBatch
  /** Indexes of the rows in the batch. */
  rows: readonly number[]
  ids: readonly string[]
  /** Position of each row of the chunk among all rows of the table in key order. */
  places: Uint32Array
  /** Envelopes of the chunk's rows as in the index of the store, rounded outwards to 32-bit floats. */
  sides: Float32Array
  cells: CellSource
}

/** Returns the chunk as stored in a file. */
export function writeChunk({ batch, rows, ids, places, sides, cells }: ChunkRows): Uint8Array {
  const { geometry } = batch
  if (geometry === undefined) throw new Error('Rows of tiles have a geometry')
  const count = rows.length
  const head = new RowMemory(headBytes + rowBytes * count)
  const own = rows.map((row) => ids[row] ?? '')
  const areNumbers = own.every((id) => wholeNumber.test(id))
  head.words[0] = count
  head.words[1] = areNumbers ? 1 : 0
  head.floats.set(sides, sidesAt(0, count))
  head.words.set(places, placesAt(0, count))
  const data: Uint8Array[] = []
  let end = 0
  const add = (bytes: Uint8Array): number => {
    data.push(bytes)
    end += bytes.length
    return end
  }
  for (const [at, row] of rows.entries()) {
    head.doubles.set(geometry.envelopes.subarray(row * 4, row * 4 + 4), envelopesAt(0) + at * 4)
    const isThere = isValid(geometry.validity, row)
    const wkb = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
    head.words[endsAt(0, count) + at * 2] = isThere ? add(wkb) : end
    cells.visit(batch, row, (column, message) => {
      const cell = new Uint8Array(cellHeadBytes + (message?.length ?? 0))
      const view = new DataView(cell.buffer)
      view.setUint32(0, (column | ((message?.length ?? tooLong) << 8)) >>> 0, true)
      view.setUint32(4, message === undefined ? 0 : hashOfMessage(message, 0, message.length), true)
      if (message !== undefined) cell.set(message, cellHeadBytes)
      add(cell)
    })
    head.words[endsAt(0, count) + at * 2 + 1] = end
  }
  for (const [at, id] of own.entries()) {
    if (areNumbers) {
      head.doubles[idsAt(0, count) + at] = Number(id)
      continue
    }
    const bytes = text.encode(id)
    head.words[(idsAt(0, count) + at) * 2] = end
    head.words[(idsAt(0, count) + at) * 2 + 1] = bytes.length
    add(bytes)
  }
  const length = headBytes + rowBytes * count
  const chunk = new Uint8Array(Math.ceil((length + end) / alignment) * alignment)
  chunk.set(head.bytes.subarray(0, length))
  let at = length
  for (const bytes of data) {
    chunk.set(bytes, at)
    at += bytes.length
  }
  return chunk
}

// Offsets of the sections of a chunk that begins at `start`: as element indexes of their type.
const envelopesAt = (start: number): number => (start + headBytes) >> 3
const idsAt = (start: number, count: number): number => (start + headBytes + 32 * count) >> 3
const sidesAt = (start: number, count: number): number => (start + headBytes + 40 * count) >> 2
const placesAt = (start: number, count: number): number => (start + headBytes + 56 * count) >> 2
const endsAt = (start: number, count: number): number => (start + headBytes + 60 * count) >> 2

/** A row takes more than 64 bytes: the memory of a tile cannot contain more rows. */
const maxFound = 2 ** 20

/** Rows of chunks in key order, in memory. */
export class NearRows {
  readonly memory: RowMemory
  #count = 0
  #starts = new Uint32Array(64)
  #rows = new Uint32Array(64)
  #order = new Float64Array(64)

  constructor(memory: RowMemory) {
    this.memory = memory
  }

  /** Starts another tile. */
  clear(): void {
    this.#count = 0
  }

  get count(): number {
    return this.#count
  }

  /**
   * Adds the rows of the chunk at `start`, with this length, that touch the boxes: see `touchingRows`. Throws
   * a `RangeError` for a damaged chunk.
   */
  add(start: number, length: number, boxes: Float64Array): void {
    const { floats, words } = this.memory
    const count = words[start >> 2] as number
    if (headBytes + rowBytes * count > length) throw damaged()
    this.#makeRoom(this.#count + count)
    const sides = sidesAt(start, count)
    const found = touchingRows(floats, { from: sides, count, boxes }, this.#rows, this.#count)
    const places = placesAt(start, count)
    for (let at = this.#count; at < found; at += 1) {
      this.#starts[at] = start
      this.#order[at] = (words[places + (this.#rows[at] as number)] as number) * maxFound + at
    }
    this.#count = found
  }

  /** Sorts the rows by key, as numbers that combine position and index. */
  sort(): void {
    const order = this.#order.subarray(0, this.#count).sort()
    const [starts, rows] = [this.#starts.slice(), this.#rows.slice()]
    for (let to = 0; to < order.length; to += 1) {
      const from = (order[to] as number) % maxFound
      this.#starts[to] = starts[from] as number
      this.#rows[to] = rows[from] as number
    }
  }

  /** Reads a row into `row`. Throws like `add`. */
  read(at: number, row: NearRow): void {
    const { doubles, words } = this.memory
    const start = this.#starts[at] as number
    const number = this.#rows[at] as number
    const count = words[start >> 2] as number
    const ends = endsAt(start, count) + number * 2
    const data = start + headBytes + rowBytes * count
    const envelope = envelopesAt(start) + number * 4
    row.minX = doubles[envelope] as number
    row.minY = doubles[envelope + 1] as number
    row.maxX = doubles[envelope + 2] as number
    row.maxY = doubles[envelope + 3] as number
    row.wkbStart = number === 0 ? data : data + (words[ends - 1] as number)
    row.wkbEnd = data + (words[ends] as number)
    row.cellsEnd = data + (words[ends + 1] as number)
    const isInOrder = row.wkbStart <= row.wkbEnd && row.wkbEnd <= row.cellsEnd
    if (!isInOrder || row.cellsEnd > this.memory.sizeBytes) throw damaged()
    const id = idsAt(start, count) + number
    row.id = words[(start >> 2) + 1] === 1 ? (doubles[id] as number) : this.#textId(id * 2, data)
  }

  #textId(at: number, data: number): string {
    const { bytes, words } = this.memory
    const start = data + (words[at] as number)
    return decoder.decode(bytes.subarray(start, start + (words[at + 1] as number)))
  }

  #makeRoom(count: number): void {
    if (count <= this.#rows.length) return
    const size = Math.max(count, this.#rows.length * 2)
    const [starts, rows, order] = [this.#starts, this.#rows, this.#order]
    this.#starts = new Uint32Array(size)
    this.#rows = new Uint32Array(size)
    this.#order = new Float64Array(size)
    this.#starts.set(starts)
    this.#rows.set(rows)
    this.#order.set(order)
  }
}

function damaged(): RangeError {
  return new RangeError('A chunk of rows is damaged')
}

/** A row in memory. */
export class NearRow {
  minX = 0
  minY = 0
  maxX = 0
  maxY = 0
  wkbStart = 0
  /** Start of the cells. Equal to the start of the WKB without a geometry. */
  wkbEnd = 0
  cellsEnd = 0
  id: number | string = 0
}
