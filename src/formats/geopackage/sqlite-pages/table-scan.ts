import type { PageSource } from './page-source.ts'
import { damaged } from './page-source.ts'

const interiorType = 5
const leafType = 13
const maxDepth = 20
/** Maximum size of a record. */
const maxRecordBytes = 256 << 20

interface Level {
  children: Uint32Array
  next: number
}

/**
 * Iterates over the records of a table's B-tree in order of rowid (SQLite file format, section 1.6). After
 * `next` returned true, the record is `bytes[start .. end)`, until the next call of `next`.
 */
export class TableScan {
  bytes = new Uint8Array(0)
  view = new DataView(this.bytes.buffer)
  start = 0
  end = 0
  /** 64-bit rowid in two halves. */
  rowidHigh = 0
  rowidLow = 0
  readonly #pages: PageSource
  readonly #levels: Level[]
  readonly #leaf: Uint8Array<ArrayBuffer>
  readonly #leafView: DataView<ArrayBuffer>
  /** Offset after the last varint. */
  #at = 0
  #cell = 0
  #cellCount = 0
  #pointers = 0

  constructor(pages: PageSource, rootPage: number) {
    this.#pages = pages
    this.#levels = [{ children: Uint32Array.of(rootPage), next: 0 }]
    this.#leaf = new Uint8Array(pages.pageBytes + 16)
    this.#leafView = new DataView(this.#leaf.buffer)
  }

  next(): boolean {
    while (this.#cell >= this.#cellCount) if (!this.#nextLeaf()) return false
    const pointer = this.#leafView.getUint16(this.#pointers + this.#cell * 2)
    this.#cell += 1
    this.#readCell(pointer)
    return true
  }

  /** Moves to the next leaf; false at the end. */
  #nextLeaf(): boolean {
    for (;;) {
      const level = this.#levels.at(-1)
      if (level === undefined) return false
      if (level.next >= level.children.length) {
        this.#levels.pop()
        continue
      }
      const number = level.children[level.next] as number
      level.next += 1
      const page = this.#pages.take(number)
      const header = number === 1 ? 100 : 0
      if (page[header] === leafType) {
        this.#openLeaf(page, header)
        return true
      }
      if (page[header] !== interiorType) throw damaged(`page ${number} is not a page of a table`)
      if (this.#levels.length >= maxDepth) throw damaged('a table is nested too deep')
      this.#levels.push({ children: this.#childrenOf(page, header), next: 0 })
    }
  }

  #openLeaf(page: Uint8Array, header: number): void {
    this.#leaf.set(page)
    this.#cell = 0
    this.#cellCount = this.#leafView.getUint16(header + 3)
    this.#pointers = header + 8
    if (this.#pointers + this.#cellCount * 2 > this.#pages.usableBytes)
      throw damaged('a page has too many cells')
  }

  #childrenOf(page: Uint8Array, header: number): Uint32Array {
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
    const count = view.getUint16(header + 3)
    const usable = this.#pages.usableBytes
    if (header + 12 + count * 2 > usable) throw damaged('a page has too many cells')
    const children = new Uint32Array(count + 1)
    for (let cell = 0; cell < count; cell += 1) {
      const pointer = view.getUint16(header + 12 + cell * 2)
      if (pointer + 4 > usable) throw damaged('a cell lies outside its page')
      children[cell] = view.getUint32(pointer)
    }
    children[count] = view.getUint32(header + 8)
    return children
  }

  #readCell(pointer: number): void {
    const usable = this.#pages.usableBytes
    if (pointer >= usable) throw damaged('a cell lies outside its page')
    const payload = this.#varint(pointer)
    this.#rowid(this.#at)
    const start = this.#at
    const maxLocal = usable - 35
    if (payload <= maxLocal) {
      if (start + payload > usable) throw damaged('a record lies outside its page')
      this.bytes = this.#leaf
      this.view = this.#leafView
      this.start = start
      this.end = start + payload
      return
    }
    this.#readLong(start, payload, maxLocal)
  }

  /** Assembles a record that continues on overflow pages. */
  #readLong(start: number, payload: number, maxLocal: number): void {
    const usable = this.#pages.usableBytes
    if (payload > maxRecordBytes || payload > this.#pages.pageCount * this.#pages.pageBytes) {
      throw damaged(`a record of ${payload} bytes is longer than can be`)
    }
    const minLocal = Math.floor(((usable - 12) * 32) / 255) - 23
    const spilled = minLocal + ((payload - minLocal) % (usable - 4))
    const local = spilled <= maxLocal ? spilled : minLocal
    if (start + local + 4 > usable) throw damaged('a record lies outside its page')
    let overflow = this.#leafView.getUint32(start + local)
    const bytes = new Uint8Array(payload)
    bytes.set(this.#leaf.subarray(start, start + local))
    for (let at = local; at < payload; at += usable - 4) {
      const page = this.#pages.take(overflow)
      bytes.set(page.subarray(4, 4 + Math.min(usable - 4, payload - at)), at)
      overflow = new DataView(page.buffer, page.byteOffset).getUint32(0)
    }
    this.bytes = bytes
    this.view = new DataView(bytes.buffer)
    this.start = 0
    this.end = payload
  }

  /** Reads a varint of the leaf; for values above 2^53 returns a number that is too large. */
  #varint(start: number): number {
    let value = 0
    for (let at = start; at < start + 8; at += 1) {
      const byte = this.#leaf[at] as number
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) {
        this.#at = at + 1
        return value
      }
    }
    this.#at = start + 9
    return value * 256 + (this.#leaf[start + 8] as number)
  }

  #rowid(start: number): void {
    const value = this.#varint(start)
    if (this.#at < start + 8) {
      this.rowidHigh = Math.floor(value / 4_294_967_296)
      this.rowidLow = value | 0
      return
    }
    let wide = 0n
    for (let at = start; at < this.#at; at += 1) {
      const byte = BigInt(this.#leaf[at] as number)
      wide = at === start + 8 ? (wide << 8n) | byte : (wide << 7n) | (byte & 127n)
    }
    this.rowidHigh = Number(BigInt.asIntN(32, wide >> 32n))
    this.rowidLow = Number(BigInt.asIntN(32, wide))
  }
}
