/** Writes Protocol Buffers: varints, and fields of known tag. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #at = 0

  get length(): number {
    return this.#at
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at)
  }

  varint(value: number): void {
    this.#reserve(10)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#at] = (rest % 128) | 0x80
      this.#at += 1
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#at] = rest
    this.#at += 1
  }

  tag(field: number, wire: 0 | 1 | 2 | 5): void {
    this.varint(field * 8 + wire)
  }

  bytes(field: number, value: Uint8Array): void {
    this.tag(field, 2)
    this.varint(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  double(field: number, value: number): void {
    this.tag(field, 1)
    this.#reserve(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + count))
    grown.set(this.#bytes)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}
