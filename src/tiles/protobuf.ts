const text = new TextEncoder()
/** For shorter texts calling an encoder costs more than the text itself. */
const shortText = 64

/**
 * Writes Protocol Buffers into a growing buffer: varints, and fields with known tags. `truncate` removes
 * bytes after an offset, so that a writer can be reused.
 */
export class ProtobufWriter {
  bytes: Uint8Array
  length = 0
  #view: DataView

  constructor(capacity = 4096) {
    this.bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.bytes.buffer)
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  truncate(length: number): void {
    this.length = length
  }

  /** Writes an integer from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.reserve(10)
    const { bytes } = this
    let at = this.length
    let rest = value
    while (rest > 0x7fffffff) {
      bytes[at] = (rest % 128) | 0x80
      at += 1
      rest = Math.floor(rest / 128)
    }
    while (rest > 0x7f) {
      bytes[at] = (rest & 0x7f) | 0x80
      at += 1
      rest >>>= 7
    }
    bytes[at] = rest
    this.length = at + 1
  }

  /** Writes a negative integer, from -(2^53 - 1) on, as its 64-bit two's complement, as in `int64` fields. */
  complement(value: number): void {
    this.reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 0x7fn) {
      this.bytes[this.length] = Number(rest & 0x7fn) | 0x80
      this.length += 1
      rest >>= 7n
    }
    this.bytes[this.length] = Number(rest)
    this.length += 1
  }

  tag(field: number, wire: 0 | 1 | 2 | 5): void {
    this.varint(field * 8 + wire)
  }

  /** Writes a field with the bytes from `start` to `end`. */
  field(field: number, source: Uint8Array, start = 0, end = source.length): void {
    this.tag(field, 2)
    this.varint(end - start)
    this.append(source, start, end)
  }

  textField(field: number, value: string): void {
    if (value.length < shortText && this.#plainField(field, value)) return
    this.field(field, text.encode(value))
  }

  /** Writes an ASCII text; returns false, without writing, for others. */
  #plainField(field: number, value: string): boolean {
    const before = this.length
    this.tag(field, 2)
    this.varint(value.length)
    this.reserve(value.length)
    for (let at = 0; at < value.length; at += 1) {
      const code = value.charCodeAt(at)
      if (code > 0x7f) {
        this.length = before
        return false
      }
      this.bytes[this.length] = code
      this.length += 1
    }
    return true
  }

  append(source: Uint8Array, start: number, end: number): void {
    const count = end - start
    this.reserve(count)
    const { bytes } = this
    let at = this.length
    if (count > 48) bytes.set(start === 0 && end === source.length ? source : source.subarray(start, end), at)
    else for (let from = start; from < end; from += 1, at += 1) bytes[at] = source[from] as number
    this.length += count
  }

  double(field: number, value: number): void {
    this.tag(field, 1)
    this.reserve(8)
    this.#view.setFloat64(this.length, value, true)
    this.length += 8
  }

  float(field: number, value: number): void {
    this.tag(field, 5)
    this.reserve(4)
    this.#view.setFloat32(this.length, value, true)
    this.length += 4
  }

  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Returns the size of a varint. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length += 1
  return length
}
