import type { SqlitePageFile } from './page-file.ts'
import { pageBytes } from './page-file.ts'
import { varintBytes, writeVarint } from './varint.ts'

const leafType = 13
const interiorType = 5
const leafHeader = 8
const interiorHeader = 12
/** Maximum payload stored entirely on a leaf, and the minimum local part of a larger one (section 1.6). */
const maxLocal = pageBytes - 35
const minLocal = Math.floor(((pageBytes - 12) * 32) / 255) - 23

/**
 * Maximum number of children that fit an interior page whatever their rowids: a pointer, a page number and a
 * varint each.
 */
const maxChildren = Math.floor((pageBytes - interiorHeader) / (2 + 4 + 9))

interface Child {
  page: number
  lastRowid: number
}

/**
 * Builds the B-tree of one table (SQLite file format, section 1.6) from rows in ascending order of rowid:
 * leaves when they are full, the levels above at the end. For each row: `startRow`, write the payload into
 * `bytes` from `at` on, `endRow`.
 */
export class SqliteTableWriter {
  /** Buffer for the payload of the current row. `startRow` replaces both `bytes` and `at`. */
  bytes: Uint8Array
  view: DataView
  at = 0
  readonly #file: SqlitePageFile
  /** Cells of the current page, in order; copied to the end of the page when it is full. */
  readonly #cells = new Uint8Array(pageBytes)
  readonly #cellView = new DataView(this.#cells.buffer)
  readonly #starts = new Uint16Array(pageBytes / 2)
  readonly #page = new Uint8Array(pageBytes)
  readonly #pageView = new DataView(this.#page.buffer)
  #long = new Uint8Array(0)
  #longView = new DataView(this.#long.buffer)
  #count = 0
  #used = 0
  #rowid = 0
  #payloadBytes = 0
  #children: Child[] = []

  constructor(file: SqlitePageFile) {
    this.#file = file
    this.bytes = this.#cells
    this.view = this.#cellView
  }

  startRow(rowid: number, payloadBytes: number): void {
    if (payloadBytes > maxLocal) {
      this.#startLong(rowid, payloadBytes)
      return
    }
    this.#startCell(rowid, payloadBytes, payloadBytes)
    this.bytes = this.#cells
    this.view = this.#cellView
    this.at = this.#used
    this.#used += payloadBytes
    this.#payloadBytes = payloadBytes
  }

  endRow(): void {
    if (this.#payloadBytes > maxLocal) this.#endLong()
  }

  /** Writes the rest and returns the number of the root page. */
  finish(): number {
    if (this.#count > 0 || this.#children.length === 0) this.#flushLeaf()
    let level = this.#children
    while (level.length > 1) level = this.#writeLevel(level)
    return level[0]?.page ?? 0
  }

  #startCell(rowid: number, payloadBytes: number, localBytes: number): void {
    const cellBytes = varintBytes(payloadBytes) + varintBytes(rowid) + localBytes
    if (leafHeader + 2 * (this.#count + 1) + this.#used + cellBytes > pageBytes) this.#flushLeaf()
    this.#starts[this.#count] = this.#used
    this.#count += 1
    this.#used = writeVarint(this.#cells, writeVarint(this.#cells, this.#used, payloadBytes), rowid)
    this.#rowid = rowid
  }

  #startLong(rowid: number, payloadBytes: number): void {
    if (this.#long.length < payloadBytes) {
      this.#long = new Uint8Array(payloadBytes)
      this.#longView = new DataView(this.#long.buffer)
    }
    this.bytes = this.#long
    this.view = this.#longView
    this.at = 0
    this.#payloadBytes = payloadBytes
    const spilled = minLocal + ((payloadBytes - minLocal) % (pageBytes - 4))
    this.#startCell(rowid, payloadBytes, (spilled <= maxLocal ? spilled : minLocal) + 4)
  }

  #endLong(): void {
    const total = this.#payloadBytes
    const spilled = minLocal + ((total - minLocal) % (pageBytes - 4))
    const local = spilled <= maxLocal ? spilled : minLocal
    this.#cells.set(this.#long.subarray(0, local), this.#used)
    this.#cellView.setUint32(this.#used + local, this.#file.nextPage)
    this.#used += local + 4
    const page = new Uint8Array(pageBytes)
    const view = new DataView(page.buffer)
    for (let from = local; from < total; from += pageBytes - 4) {
      const to = Math.min(total, from + pageBytes - 4)
      page.set(this.#long.subarray(from, to), 4)
      view.setUint32(0, to === total ? 0 : this.#file.pageAfter(this.#file.nextPage))
      this.#file.append(page)
    }
    if (total > 1 << 20) this.#long = new Uint8Array(0)
  }

  #flushLeaf(): void {
    this.#children.push({ page: this.#writePage(leafType, leafHeader, 0), lastRowid: this.#rowid })
  }

  /** Puts the buffered cells at the end of a page and their pointers after its header, and writes it. */
  #writePage(type: number, headerBytes: number, rightmost: number): number {
    const start = pageBytes - this.#used
    const view = this.#pageView
    view.setUint8(0, type)
    view.setUint16(3, this.#count)
    view.setUint16(5, start)
    if (headerBytes === interiorHeader) view.setUint32(8, rightmost)
    for (let cell = 0, at = headerBytes; cell < this.#count; cell += 1, at += 2) {
      view.setUint16(at, start + (this.#starts[cell] as number))
    }
    this.#page.set(this.#cells.subarray(0, this.#used), start)
    this.#count = 0
    this.#used = 0
    return this.#file.append(this.#page)
  }

  /** Writes one level above `children`, evenly distributed so that no page has a single child. */
  #writeLevel(children: Child[]): Child[] {
    const pages = Math.ceil(children.length / maxChildren)
    const perPage = Math.ceil(children.length / pages)
    const level: Child[] = []
    for (let from = 0; from < children.length; from += perPage) {
      const own = children.slice(from, from + perPage)
      const last = own.pop() as Child
      for (const { page, lastRowid } of own) {
        this.#starts[this.#count] = this.#used
        this.#count += 1
        this.#cellView.setUint32(this.#used, page)
        this.#used = writeVarint(this.#cells, this.#used + 4, lastRowid)
      }
      level.push({
        page: this.#writePage(interiorType, interiorHeader, last.page),
        lastRowid: last.lastRowid,
      })
    }
    return level
  }
}
