import type { FileHandle } from 'node:fs/promises'

const windowBytes = 256 << 10

/** A file read through a window, so that many small pieces near one another cost one read. */
export class FileWindow {
  readonly #file: FileHandle
  readonly #bytes = Buffer.allocUnsafe(windowBytes)
  #from = 0
  #length = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** At most 256 KiB from `position`, fewer where the file ends; valid until the next read. */
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
