/** Sections begin where every array of numbers may begin. */
const alignment = 8

const aligned = (length: number): number => Math.ceil(length / alignment) * alignment

/** Bytes of arrays one behind the other, each found again by its number: a table of starts and lengths stands before them. */
export function writeSections(arrays: readonly ArrayBufferView[]): Uint8Array {
  const tableBytes = aligned(arrays.length * 8)
  const size = arrays.reduce((sum, { byteLength }) => sum + aligned(byteLength), tableBytes)
  const bytes = new Uint8Array(size)
  const table = new Uint32Array(bytes.buffer, 0, arrays.length * 2)
  let at = tableBytes
  for (const [number, { buffer, byteOffset, byteLength }] of arrays.entries()) {
    table[number * 2] = at
    table[number * 2 + 1] = byteLength
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += aligned(byteLength)
  }
  return bytes
}

/** The sections of bytes that `writeSections` made, as views of them: good as long as nobody writes over the bytes. */
export class Sections {
  readonly #buffer: ArrayBuffer
  readonly #start: number
  readonly #table: Uint32Array

  /** They begin at `start`, a multiple of eight. */
  constructor(buffer: ArrayBuffer, start: number, count: number) {
    this.#buffer = buffer
    this.#start = start
    this.#table = new Uint32Array(buffer, start, count * 2)
  }

  bytes(number: number): Uint8Array {
    return new Uint8Array(this.#buffer, this.#at(number), this.length(number))
  }

  uint32(number: number): Uint32Array {
    return new Uint32Array(this.#buffer, this.#at(number), this.length(number) >> 2)
  }

  float32(number: number): Float32Array {
    return new Float32Array(this.#buffer, this.#at(number), this.length(number) >> 2)
  }

  float64(number: number): Float64Array {
    return new Float64Array(this.#buffer, this.#at(number), this.length(number) >> 3)
  }

  int64(number: number): BigInt64Array {
    return new BigInt64Array(this.#buffer, this.#at(number), this.length(number) >> 3)
  }

  int16(number: number): Int16Array {
    return new Int16Array(this.#buffer, this.#at(number), this.length(number) >> 1)
  }

  int32(number: number): Int32Array {
    return new Int32Array(this.#buffer, this.#at(number), this.length(number) >> 2)
  }

  /** Of a section in bytes. */
  length(number: number): number {
    return this.#table[number * 2 + 1] as number
  }

  #at(number: number): number {
    return this.#start + (this.#table[number * 2] as number)
  }
}
