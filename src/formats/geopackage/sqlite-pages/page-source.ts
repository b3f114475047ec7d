import { closeSync, fstatSync, readSync } from 'node:fs'
import { openGuardedSync } from '../../../core/files/guarded-files.ts'
import { FormatError } from '../../format.ts'

const blockBytes = 256 * 1024
const keptBlocks = 8

function damaged(what: string): FormatError {
  return new FormatError(`The GeoPackage is damaged: ${what}`, { code: 'damaged-file' })
}

/**
 * The pages of an SQLite file (file format 3, section 1), read in blocks, the last few of which are cached.
 */
export class PageSource {
  readonly pageBytes: number
  /** Number of usable bytes of a page. */
  readonly usableBytes: number
  readonly pageCount: number
  readonly #handle: number
  readonly #blocks = new Map<number, Uint8Array>()
  readonly #visited: Uint8Array

  /** Opens a file; throws `FormatError` for an invalid header. The caller must call `close`. */
  constructor(path: string) {
    this.#handle = openGuardedSync(path)
    try {
      const header = new Uint8Array(100)
      readSync(this.#handle, header, 0, 100, 0)
      const size = ((header[16] as number) << 8) | (header[17] as number)
      this.pageBytes = size === 1 ? 65_536 : size
      this.usableBytes = this.pageBytes - (header[20] as number)
      const isSize = this.pageBytes >= 512 && (this.pageBytes & (this.pageBytes - 1)) === 0
      if (!isSize || this.usableBytes < 480) throw damaged('its page size makes no sense')
      this.pageCount = Math.floor(fstatSync(this.#handle).size / this.pageBytes)
      this.#visited = new Uint8Array((this.pageCount >> 3) + 1)
    } catch (error) {
      closeSync(this.#handle)
      throw error
    }
  }

  close(): void {
    closeSync(this.#handle)
  }

  /**
   * Returns the bytes of a page, valid until a few others were read. Each page is returned once, so that no
   * walk is circular.
   */
  take(page: number): Uint8Array {
    if (!(page >= 1 && page <= this.pageCount))
      throw damaged(`it refers to page ${page} of ${this.pageCount}`)
    const bit = 1 << (page & 7)
    const seen = this.#visited[page >> 3] as number
    if ((seen & bit) !== 0) throw damaged(`page ${page} is used twice`)
    this.#visited[page >> 3] = seen | bit
    const position = (page - 1) * this.pageBytes
    const block = Math.floor(position / blockBytes)
    const bytes = this.#blocks.get(block) ?? this.#read(block)
    const start = position - block * blockBytes
    if (start + this.pageBytes > bytes.length) throw damaged(`page ${page} ends early`)
    return bytes.subarray(start, start + this.pageBytes)
  }

  #read(block: number): Uint8Array {
    const memory = this.#freeMemory()
    let length = 0
    while (length < blockBytes) {
      const count = readSync(this.#handle, memory, length, blockBytes - length, block * blockBytes + length)
      if (count === 0) break
      length += count
    }
    const read = memory.subarray(0, length)
    this.#blocks.set(block, read)
    return read
  }

  /**
   * Returns the memory of the oldest cached block: allocating a new block each time would leave it to garbage
   * collection.
   */
  #freeMemory(): Uint8Array {
    const [oldest] = this.#blocks
    if (oldest === undefined || this.#blocks.size < keptBlocks) return new Uint8Array(blockBytes)
    this.#blocks.delete(oldest[0])
    return new Uint8Array(oldest[1].buffer)
  }
}

export { damaged }
