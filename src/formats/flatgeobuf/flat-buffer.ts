/** Invalid FlatBuffers data; the message contains the offset. */
export class FlatBufferError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FlatBufferError'
  }
}

/**
 * Reads tables of one FlatBuffers buffer, `view[start, end)`, in place. Every access is checked against these
 * bounds, so invalid bytes can only cause a `FlatBufferError`. Reused for successive buffers.
 */
export class FlatBuffer {
  view: DataView = new DataView(new ArrayBuffer(0))
  start = 0
  end = 0
  /** Number of items of the vector of the last `vector` call. */
  count = 0

  /** Sets a new buffer and returns its root table. */
  open(view: DataView, start: number, end: number): number {
    this.view = view
    this.start = start
    this.end = end
    return this.target(start)
  }

  /** Returns the offset of the field in `slot` of `table`; 0 if it is absent and has its default. */
  field(table: number, slot: number): number {
    this.#check(table, 4)
    const layout = table - this.view.getInt32(table, true)
    this.#check(layout, 4)
    const entry = 4 + slot * 2
    if (entry + 2 > this.view.getUint16(layout, true)) return 0
    this.#check(layout + entry, 2)
    const offset = this.view.getUint16(layout + entry, true)
    return offset === 0 ? 0 : table + offset
  }

  /** Follows the offset at `at`. */
  target(at: number): number {
    const target = at + this.uint32(at)
    this.#check(target, 4)
    return target
  }

  /**
   * Returns the first item of the vector that the field at `at` refers to, with `itemBytes` each; sets
   * `count`.
   */
  vector(at: number, itemBytes: number): number {
    if (at === 0) {
      this.count = 0
      return 0
    }
    const vector = this.target(at)
    this.count = this.view.getUint32(vector, true)
    this.#check(vector + 4, this.count * itemBytes)
    return vector + 4
  }

  uint8(at: number): number {
    this.#check(at, 1)
    return this.view.getUint8(at)
  }

  uint16(at: number): number {
    this.#check(at, 2)
    return this.view.getUint16(at, true)
  }

  uint32(at: number): number {
    this.#check(at, 4)
    return this.view.getUint32(at, true)
  }

  int32(at: number): number {
    this.#check(at, 4)
    return this.view.getInt32(at, true)
  }

  uint64(at: number): bigint {
    this.#check(at, 8)
    return this.view.getBigUint64(at, true)
  }

  /** Returns the text that the field at `at` refers to; undefined if it is absent. */
  text(at: number): string | undefined {
    if (at === 0) return undefined
    const first = this.vector(at, 1)
    return new TextDecoder().decode(
      new Uint8Array(this.view.buffer, this.view.byteOffset + first, this.count),
    )
  }

  #check(at: number, count: number): void {
    if (at >= this.start && at + count <= this.end) return
    const place = `${at - this.start} of ${this.end - this.start} bytes`
    throw new FlatBufferError(`${count} bytes were expected at byte ${place}`)
  }
}
