import type { FileHandle } from 'node:fs/promises'
import { openGuarded } from './guarded-files.ts'

const chunkBytes = 1 << 20
/** Bytes reserved after the data, so that scanners may read a few bytes ahead. */
const spareBytes = 16

/** Converts bytes of a text encoding to UTF-8, piece by piece; `isLast` flushes pending bytes. */
export type Transcoder = (piece: Uint8Array, isLast: boolean) => Uint8Array

/** Buffer limit of a `ByteReader`, and its converter to UTF-8 for other encodings. */
export interface ByteReaderOptions {
  /** Longest run of bytes that a caller may retain; the buffer never grows beyond this plus one chunk. */
  limitBytes: number
  transcode?: Transcoder
}

/**
 * A window that moves forward over a file: `bytes[0, end)` is the data, and `bytes[end]` is always 0, so that
 * a scanner for which 0 ends every token stops there without comparing positions. The caller that opened the
 * reader closes it.
 */
export class ByteReader {
  bytes = new Uint8Array(chunkBytes + spareBytes)
  end = 0
  /** Position of `bytes[0]` in the file (in its UTF-8 form if it is transcoded). */
  offset = 0
  /** True after `more` found no further bytes. */
  isAtEnd = false
  readonly #handle: FileHandle
  readonly #limitBytes: number
  readonly #transcode: Transcoder | undefined
  #position = 0

  private constructor(handle: FileHandle, options: ByteReaderOptions) {
    this.#handle = handle
    this.#limitBytes = options.limitBytes
    this.#transcode = options.transcode
  }

  static async open(path: string, options: ByteReaderOptions): Promise<ByteReader> {
    return new ByteReader(await openGuarded(path), options)
  }

  /**
   * True if the bytes from `from` on reach the limit of retained bytes, so that `more` would read nothing.
   */
  isOverLimit(from: number): boolean {
    return this.end - from >= this.#limitBytes
  }

  /** Moves the bytes from `from` on to the front and reads more after them; false at the end of the file. */
  async more(from: number): Promise<boolean> {
    const kept = this.end - from
    const requested = this.#requestedCapacity(kept)
    if (requested + spareBytes !== this.bytes.length) {
      const grown = new Uint8Array(requested + spareBytes)
      grown.set(this.bytes.subarray(from, this.end))
      this.bytes = grown
    } else {
      this.bytes.copyWithin(0, from, this.end)
    }
    this.offset += from
    this.end = kept
    const count = await (this.#transcode === undefined ? this.#fill() : this.#fillTranscoded(this.#transcode))
    this.bytes[this.end] = 0
    this.isAtEnd = count === 0
    return count > 0
  }

  /** Restarts at the first byte of a file that is not transcoded. */
  rewind(): void {
    this.#position = 0
    this.offset = 0
    this.end = 0
    this.bytes[0] = 0
    this.isAtEnd = false
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  /** Each read fills at least half of the buffer, so that rescanning retained bytes stays linear. */
  #requestedCapacity(kept: number): number {
    let capacity = chunkBytes
    while (kept > capacity / 2) capacity *= 2
    return Math.max(chunkBytes, Math.min(capacity, this.#limitBytes + chunkBytes))
  }

  async #fill(): Promise<number> {
    const start = this.end
    const capacity = this.bytes.length - spareBytes
    while (this.end < capacity) {
      const { bytesRead } = await this.#handle.read(this.bytes, this.end, capacity - this.end, this.#position)
      if (bytesRead === 0) break
      this.#position += bytesRead
      this.end += bytesRead
    }
    return this.end - start
  }

  /**
   * Transcoding grows a piece to at most three times its size (one byte of a Windows code page to three of
   * UTF-8).
   */
  async #fillTranscoded(transcode: Transcoder): Promise<number> {
    const start = this.end
    const capacity = this.bytes.length - spareBytes
    const piece = new Uint8Array(chunkBytes / 8)
    while (capacity - this.end > piece.length * 3 + spareBytes) {
      const { bytesRead } = await this.#handle.read(piece, 0, piece.length, this.#position)
      this.#position += bytesRead
      const text = transcode(piece.subarray(0, bytesRead), bytesRead === 0)
      this.bytes.set(text, this.end)
      this.end += text.length
      if (bytesRead === 0) break
    }
    return this.end - start
  }
}
