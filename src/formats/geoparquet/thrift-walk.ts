import { damaged, tooLarge } from './parquet-error.ts'

const maxDepth = 32
const maxVarintBytes = 10

/**
 * Finds the end of a struct of Thrift's compact protocol, so that only bytes with bounded counts and depth
 * reach the decoder.
 */
class ThriftWalker {
  at: number
  /** True after the bytes ran out. */
  isShort = false
  #values = 0
  readonly #bytes: Uint8Array
  readonly #end: number
  readonly #maxValues: number

  constructor(bytes: Uint8Array, start: number, end: number, maxValues: number) {
    this.#bytes = bytes
    this.at = start
    this.#end = end
    this.#maxValues = maxValues
  }

  struct(depth: number): void {
    if (depth > maxDepth) throw damaged('its metadata are nested too deeply')
    for (;;) {
      const header = this.#byte()
      if (this.isShort || (header & 0x0f) === 0) return
      if (header >> 4 === 0) this.#varint()
      this.#element(header & 0x0f, depth)
      if (this.isShort) return
    }
  }

  #element(type: number, depth: number): void {
    this.#values += 1
    if (this.#values > this.#maxValues)
      throw tooLarge(`Its metadata have more than ${this.#maxValues} values`)
    if (type === 1 || type === 2) return
    if (type === 3) this.#skip(1)
    else if (type >= 4 && type <= 6) this.#varint()
    else if (type === 7) this.#skip(8)
    else if (type === 8) this.#skip(this.#varint())
    else if (type === 9) this.#list(depth)
    else if (type === 12) this.struct(depth + 1)
    else throw damaged(`its metadata hold a value of the unknown type ${type}`)
  }

  #list(depth: number): void {
    const header = this.#byte()
    const type = header & 0x0f
    const size = header >> 4 === 15 ? this.#varint() : header >> 4
    if (size > this.#end - this.at) this.isShort = true
    for (let index = 0; index < size && !this.isShort; index += 1) {
      this.#element(type === 1 || type === 2 ? 3 : type, depth)
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.at] ?? 0
    this.#skip(1)
    return byte
  }

  #skip(count: number): void {
    if (count > this.#end - this.at) this.isShort = true
    else this.at += count
  }

  #varint(): number {
    let value = 0
    for (let index = 0; index < maxVarintBytes; index += 1) {
      const byte = this.#byte()
      if (this.isShort) return 0
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte < 0x80) return value
    }
    throw damaged('its metadata hold a number of more than 64 bits')
  }
}

/**
 * Returns the end offset of the struct that starts at `start`; undefined if `bytes[start, end)` is too short.
 * Throws `FormatError` for an invalid struct, or one with more than `maxValues` values.
 */
export function thriftEnd(
  bytes: Uint8Array,
  start: number,
  end: number,
  maxValues: number,
): number | undefined {
  const walker = new ThriftWalker(bytes, start, end, maxValues)
  walker.struct(0)
  return walker.isShort ? undefined : walker.at
}
