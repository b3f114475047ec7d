import type { FileHandle } from 'node:fs/promises'

const windowBytes = 256 << 10

/** Reads a file through a window, so that adjacent small reads need one system call. */
export class FileWindow {
  readonly #file: FileHandle
  readonly #bytes = Buffer.allocUnsafe(windowBytes)
  #from = 0
  #length = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Returns at most 256 KiB from `position`, less at the end of the file; valid until the next read. */
  async read(position: number, length: number): Promise<Buffer> {
    const isInside = position >= this.#from && position + length <= this.#from + this.#length
    if (!isInside) {
      const { bytesRead } = await this.#file.read(this.#bytes, 0, windowBytes, position)
      this.#from = position
      this.#length = bytesRead
    }
    const start = position - this.#from
    return this.#bytes.subarray(start, Math.min(start + length, this.#length))
  }
}
