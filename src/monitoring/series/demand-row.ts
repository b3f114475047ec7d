import { BlockByteReader, ByteWriter } from './bytes.ts'
import type { Precision } from './distinct-sketch.ts'
import { VisitorCount } from './visitor-count.ts'

/** Visitors of a cell on an open day: exact up to 64, beyond it with a standard error of 4.6 % in 384 bytes. */
const precision: Precision = { exactLimit: 64, indexBits: 9 }
/** Default number of stored cells of a closed day. */
export const maxDemandCells = 128
/** Factor for the number of cells while the day is open, so that the stored ones are the most frequent. */
const openFactor = 4

/** Requests for one cell of zoom 8. */
export class DemandCell {
  requests = 0
  readonly visitors: VisitorCount

  constructor(visitors = new VisitorCount(precision)) {
    this.visitors = visitors
  }

  add(visitor: number | undefined): void {
    this.requests += 1
    if (visitor !== undefined) this.visitors.add(visitor)
  }

  merge(other: DemandCell): void {
    this.requests += other.requests
    this.visitors.merge(other.visitors)
  }
}

/** Requested areas of a layer on one day: requests by cell of zoom 8 of the Web Mercator grid. */
export class DemandRow {
  /** By row * 256 + column, counted from the north-west. */
  readonly cells = new Map<number, DemandCell>()
  /** Cells beyond the limit. */
  readonly other = new DemandCell()
  /** Requests for areas too large to be assigned to cells. */
  wide = 0

  /** Decodes the result of `encode`. */
  static decode(bytes: Uint8Array): DemandRow {
    const reader = new BlockByteReader(bytes)
    const row = new DemandRow()
    row.wide = reader.integer()
    readCell(reader, row.other)
    let cell = -1
    for (let left = reader.integer(); left > 0; left -= 1) {
      cell += reader.integer()
      row.cells.set(cell, readCell(reader, new DemandCell()))
    }
    return row
  }

  get isEmpty(): boolean {
    return this.cells.size === 0 && this.wide === 0 && this.other.requests === 0
  }

  /** Counts a request for an area that touches `cells`. */
  add(cells: readonly number[], visitor: number | undefined): void {
    for (const cell of cells) {
      let found = this.cells.get(cell)
      if (found === undefined) {
        found = new DemandCell()
        this.cells.set(cell, found)
      }
      found.add(visitor)
    }
  }

  /** Adds another row of the day. If the row is full, requests of further cells count as `other`. */
  merge(added: DemandRow, maxCells: number): void {
    this.wide += added.wide
    this.other.merge(added.other)
    const byRequests = [...added.cells].sort(([, a], [, b]) => b.requests - a.requests)
    for (const [at, cell] of byRequests) {
      const known = this.cells.get(at)
      if (known !== undefined) known.merge(cell)
      else if (this.cells.size < maxCells * openFactor) this.cells.set(at, cell)
      else this.other.merge(cell)
    }
  }

  /** Retains only the most frequent cells, and only the number of visitors. */
  close(maxCells: number): void {
    const byRequests = [...this.cells].sort(([a, { requests: m }], [b, { requests: n }]) => n - m || a - b)
    for (const [at, cell] of byRequests.slice(maxCells)) {
      this.cells.delete(at)
      this.other.merge(cell)
    }
    for (const { visitors } of [this.other, ...this.cells.values()]) visitors.close()
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(16 + this.cells.size * 8)
    writer.integer(this.wide)
    writeCell(writer, this.other)
    writer.integer(this.cells.size)
    let last = -1
    for (const [at, cell] of [...this.cells].sort(([a], [b]) => a - b)) {
      writer.integer(at - last)
      writeCell(writer, cell)
      last = at
    }
    return writer.finish()
  }
}

function readCell(reader: BlockByteReader, cell: DemandCell): DemandCell {
  cell.requests = reader.integer()
  if (cell.requests > 0) cell.visitors.merge(VisitorCount.read(reader, precision))
  return cell
}

function writeCell(writer: ByteWriter, { requests, visitors }: DemandCell): void {
  writer.integer(requests)
  if (requests > 0) visitors.write(writer)
}
