/**
 * Send buffer. Reserve space before writing; then write to `bytes` and `view` at `at`, which advances. Two
 * buffers alternate: one is written while the other is sent.
 */
export class CopyBuffer {
  bytes: Uint8Array
  view: DataView
  at = 0
  readonly #usualBytes: number
  #other: Uint8Array | undefined

  constructor(usualBytes: number) {
    this.#usualBytes = usualBytes
    this.bytes = Buffer.allocUnsafeSlow(usualBytes)
    this.view = new DataView(this.bytes.buffer)
  }

  reserve(count: number): void {
    if (this.at + count > this.bytes.length) this.#grow(count)
  }

  putNull(): void {
    this.view.setInt32(this.at, -1)
    this.at += 4
  }

  /** Writes a field of eight bytes, high half first. */
  putInt64(high: number, low: number): void {
    const { view, at } = this
    view.setInt32(at, 8)
    view.setInt32(at + 4, high)
    view.setUint32(at + 8, low)
    this.at = at + 12
  }

  /** Writes bytes without a length. */
  putBytes(source: Uint8Array, start: number, end: number): void {
    const { bytes, at } = this
    if (end - start < 32) {
      for (let from = start, to = at; from < end; from += 1, to += 1) bytes[to] = source[from] as number
    } else {
      bytes.set(source.subarray(start, end), at)
    }
    this.at = at + end - start
  }

  /**
   * Returns the bytes written so far. They are valid until the next `take`, or permanently after `keepTaken`.
   */
  take(): Uint8Array {
    const { bytes } = this
    const taken = bytes.subarray(0, this.at)
    this.bytes = this.#other ?? Buffer.allocUnsafeSlow(this.#usualBytes)
    this.#other = bytes.length === this.#usualBytes ? bytes : undefined
    this.view = new DataView(this.bytes.buffer)
    this.at = 0
    return taken
  }

  /** Leaves the bytes of the last `take` to the caller permanently. */
  keepTaken(): void {
    this.#other = undefined
  }

  #grow(count: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.at + count, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }
}
