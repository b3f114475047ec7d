import type { DbfBlock } from './dbf-column-reader.ts'
import type { DbfRows } from './dbf-rows.ts'
import type { ShapeRecords } from './shape-records.ts'

/** More rows are not decoded faster. */
const maxRows = 256
/** Limits the time for the shapes of a block, which grows faster than their size. */
const maxShapeBytes = 1 << 16

/**
 * Rows of a Shapefile in memory that the reader has not decoded yet. Valid until a window of the files
 * moves.
 */
export class RowBlock implements DbfBlock {
  count = 0
  /** True if each row has all parts that the file has. */
  isWhole = true
  bytes: Uint8Array = new Uint8Array(0)
  view: DataView = new DataView(new ArrayBuffer(0))
  /** Offset of each row of the .dbf, -1 if there is none. */
  readonly rows = new Int32Array(maxRows)
  /** Offset and length of the content of each shape; the length is -1 if there is none. */
  readonly starts = new Int32Array(maxRows)
  readonly lengths = new Int32Array(maxRows)
  /** Number of each row in the source, from 1. */
  readonly numbers = new Float64Array(maxRows)
  /** Offset of each record in the .shp in 16-bit words, 0 if there is none. */
  readonly places = new Float64Array(maxRows)
  /** Why the shape of a row is unreadable, by its index in the block. */
  readonly problems = new Map<number, string>()
  #shapeBytes = 0

  isFull(room: number): boolean {
    return this.count >= Math.min(maxRows, room) || this.#shapeBytes >= maxShapeBytes
  }

  /** Adds the current row of the readers; a reader is undefined if the row lacks that part. */
  add(number: number, shapes: ShapeRecords | undefined, rows: DbfRows | undefined): void {
    const index = this.count
    const length = shapes === undefined || shapes.length < 0 ? -1 : shapes.length
    this.count += 1
    this.numbers[index] = number
    this.rows[index] = rows === undefined ? -1 : rows.at
    this.starts[index] = shapes === undefined ? 0 : shapes.start
    this.lengths[index] = length
    this.places[index] = shapes === undefined || length < 0 ? 0 : shapes.offset / 2
    this.#shapeBytes += length
    if (shapes?.problem === undefined) return
    this.problems.set(index, shapes.problem)
    this.isWhole = false
  }

  clear(): void {
    this.count = 0
    this.isWhole = true
    this.#shapeBytes = 0
    if (this.problems.size > 0) this.problems.clear()
  }
}
