/**
 * Writes FlatBuffers front to back into a growing buffer: each table precedes what it refers to. Offsets are
 * aligned relative to the start of the record, including its size, which is how records are read.
 */
export class FlatGeobufTableWriter {
  bytes = new Uint8Array(1 << 16)
  view = new DataView(this.bytes.buffer)
  length = 0
  #base = 0

  /** Reserves this many further bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }

  /** Returns the bytes so far in a separate buffer and starts again. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(0, this.length)
    this.length = 0
    return taken
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  uint8(value: number): void {
    this.reserve(1)
    this.view.setUint8(this.length, value)
    this.length += 1
  }

  uint16(value: number): void {
    this.reserve(2)
    this.view.setUint16(this.length, value, true)
    this.length += 2
  }

  uint32(value: number): void {
    this.reserve(4)
    this.view.setUint32(this.length, value, true)
    this.length += 4
  }

  float64(value: number): void {
    this.reserve(8)
    this.view.setFloat64(this.length, value, true)
    this.length += 8
  }

  /** Starts a record: its size, then the offset of its root table; both are filled in later. */
  beginRecord(): number {
    this.#base = this.length
    this.uint32(0)
    this.uint32(0)
    return this.#base + 4
  }

  endRecord(): void {
    this.view.setUint32(this.#base, this.length - this.#base - 4, true)
  }

  /** Writes zeros up to the alignment of a value of `size` bytes that follows `before` bytes. */
  #align(size: number, before = 0): void {
    while ((this.length + before - this.#base) % size !== 0) this.uint8(0)
  }

  /** Makes the field at `offset` refer to a vector, written next, of elements of `size` bytes. */
  #vector(offset: number, count: number, size: number): void {
    this.#align(4)
    this.#align(size, 4)
    this.view.setUint32(offset, this.length - offset, true)
    this.uint32(count)
  }

  /**
   * Writes a table that the field at `offset` refers to, with fields of these sizes in its slots, 0 for
   * omitted ones. Returns the offset of each field, which is zero so far.
   */
  table(offset: number, sizes: readonly number[]): number[] {
    const offsets = sizes.map(() => 0)
    let end = 4
    for (const size of [8, 4, 2, 1])
      for (const [slot, own] of sizes.entries()) {
        if (own !== size) continue
        offsets[slot] = end
        end += size
      }
    this.#align(2)
    const layout = this.length
    this.uint16(4 + sizes.length * 2)
    this.uint16(end)
    for (const offset of offsets) this.uint16(offset)
    this.#align(8, 4)
    const start = this.length
    this.reserve(end)
    this.bytes.fill(0, start, start + end)
    this.length += end
    this.view.setInt32(start, start - layout, true)
    this.view.setUint32(offset, start - offset, true)
    return offsets.map((offset) => start + offset)
  }

  text(offset: number, text: string): void {
    const bytes = Buffer.from(text, 'utf8')
    this.#vector(offset, bytes.length, 4)
    this.append(bytes)
    this.uint8(0)
  }

  float64s(offset: number, values: Iterable<number> & { length: number }): void {
    this.#vector(offset, values.length, 8)
    for (const value of values) this.float64(value)
  }

  uint32s(offset: number, values: readonly number[]): void {
    this.#vector(offset, values.length, 4)
    for (const value of values) this.uint32(value)
  }

  /** Starts a vector of bytes that are appended next; `endBytes` with the result sets its length. */
  beginBytes(offset: number): number {
    this.#vector(offset, 0, 4)
    return this.length
  }

  endBytes(start: number): void {
    this.view.setUint32(start - 4, this.length - start, true)
  }

  /** Writes a vector of tables and returns the offset of each reference. */
  tables(offset: number, count: number): number[] {
    this.#vector(offset, count, 4)
    const first = this.length
    for (let index = 0; index < count; index += 1) this.uint32(0)
    return Array.from({ length: count }, (_, index) => first + index * 4)
  }
}
