/** Writes numbers into bytes that grow as needed. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length] = value
    this.#length += 1
  }

  /** Writes an integer from 0 to 2^53 - 1 as a varint: seven bits per byte, lowest bits first. */
  integer(value: number): void {
    this.#reserve(8)
    let left = value
    while (left >= 128) {
      this.#bytes[this.#length] = (left % 128) + 128
      this.#length += 1
      left = Math.floor(left / 128)
    }
    this.#bytes[this.#length] = left
    this.#length += 1
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length)
    this.#bytes.set(values, this.#length)
    this.#length += values.length
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Reads data written by `ByteWriter`; throws if the bytes end too early. */
export class BlockByteReader {
  readonly #bytes: Uint8Array
  #position: number

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  byte(): number {
    const value = this.#bytes[this.#position]
    if (value === undefined) throw new Error(`The bytes end at ${this.#position}, in the middle of a value`)
    this.#position += 1
    return value
  }

  integer(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.byte()
      if (byte < 128) return value + byte * scale
      value += (byte - 128) * scale
      scale *= 128
    }
  }

  /** Returns a view of the bytes, not a copy. */
  bytes(length: number): Uint8Array {
    const end = this.#position + length
    if (end > this.#bytes.length) throw new Error(`The bytes end before ${end}, in the middle of a value`)
    const view = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return view
  }
}
