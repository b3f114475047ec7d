/** Reads bytes of a source from `position` on into `target`; returns their number, 0 at the end. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<number>

const defaultCapacity = 1 << 20

/**
 * A bounded piece of a byte source in memory, moved along the source by `load`. `bytes[at .. end)` is the
 * available part. `bytes` and `view` are replaced when a longer piece is requested, so read them again after
 * each `load`.
 */
export class ByteWindow {
  /** Creates a window over a file, no larger than the file. */
  static over({ read, size }: { read: ReadAt; size: number }, capacity = defaultCapacity): ByteWindow {
    return new ByteWindow(read, Math.max(1, Math.min(size, capacity)))
  }

  bytes: Uint8Array
  view: DataView
  at = 0
  end = 0
  #start = 0
  readonly #read: ReadAt

  constructor(read: ReadAt, capacity = defaultCapacity) {
    this.#read = read
    this.bytes = new Uint8Array(capacity)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Number of bytes in memory from `at` on. */
  get available(): number {
    return this.end - this.at
  }

  /** Offset of `at` in the source. */
  get position(): number {
    return this.#start + this.at
  }

  /** Moves `at` to `position` when `count` bytes are in memory there; otherwise changes nothing. */
  tryMove(position: number, count: number): boolean {
    const at = position - this.#start
    if (at < 0 || at + count > this.end) return false
    this.at = at
    return true
  }

  /**
   * Moves `at` to `position` with at least `count` bytes there; false if the source ends earlier. Memory
   * grows with the received data, never beyond twice `count`: limit `count` first.
   */
  async load(position: number, count: number): Promise<boolean> {
    if (this.tryMove(position, count)) return true
    const at = position - this.#start
    const kept = at >= 0 && at < this.end ? this.end - at : 0
    if (kept > 0) this.bytes.copyWithin(0, at, this.end)
    this.#start = position
    this.at = 0
    this.end = kept
    while (this.end < count) {
      if (this.end === this.bytes.length) this.#grow(count)
      const got = await this.#read(this.bytes.subarray(this.end), position + this.end)
      if (got === 0) return false
      this.end += got
    }
    return true
  }

  #grow(count: number): void {
    const grown = new Uint8Array(Math.min(Math.max(count, defaultCapacity), this.bytes.length * 2))
    grown.set(this.bytes)
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }
}
