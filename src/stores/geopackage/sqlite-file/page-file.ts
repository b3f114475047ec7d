import { closeSync, openSync, writeSync } from 'node:fs'

/** Page size; its offsets fit into 16 bits. */
export const pageBytes = 32_768
/** Initial and maximum number of pages per write. */
const firstPages = 2
const maxPages = 32
/** The page with the byte at 2^30 is reserved for locks and never used (SQLite file format, section 1.4). */
const lockPage = 0x40000000 / pageBytes + 1

/**
 * A new SQLite file written sequentially, page by page (SQLite file format 3, section 1). Page 1 is reserved
 * at the start and written last, so that an incomplete file is never mistaken for a database. The caller must
 * call `close`.
 */
export class SqlitePageFile {
  readonly #handle: number
  #buffer = new Uint8Array(firstPages * pageBytes)
  #buffered = 0
  #pages = 1

  constructor(path: string) {
    this.#handle = openSync(path, 'wx', 0o600)
  }

  /** Appends one page and returns its number. */
  append(page: Uint8Array): number {
    if (this.nextPage !== this.#pages + 1) this.#put(new Uint8Array(pageBytes))
    return this.#put(page)
  }

  /** Number of the next appended page. */
  get nextPage(): number {
    return this.pageAfter(this.#pages)
  }

  /** Returns the number of the page after page `number`. */
  pageAfter(number: number): number {
    return number + 1 === lockPage ? lockPage + 1 : number + 1
  }

  /** Writes the first page, which makes the file a database. */
  finish(firstPage: Uint8Array): void {
    this.#flush()
    const view = new DataView(firstPage.buffer, firstPage.byteOffset)
    view.setUint32(28, this.#pages)
    writeSync(this.#handle, firstPage, 0, pageBytes, 0)
  }

  close(): void {
    closeSync(this.#handle)
  }

  #put(page: Uint8Array): number {
    if (this.#buffered * pageBytes === this.#buffer.length) this.#makeRoom()
    this.#buffer.set(page, this.#buffered * pageBytes)
    this.#buffered += 1
    this.#pages += 1
    return this.#pages
  }

  #makeRoom(): void {
    if (this.#buffered === maxPages) {
      this.#flush()
      return
    }
    const larger = new Uint8Array(this.#buffer.length * 2)
    larger.set(this.#buffer)
    this.#buffer = larger
  }

  #flush(): void {
    const end = this.#buffered * pageBytes
    const position = (this.#pages - this.#buffered) * pageBytes
    for (let at = 0; at < end; ) at += writeSync(this.#handle, this.#buffer, at, end - at, position + at)
    this.#buffered = 0
  }
}
