import { damaged } from './parquet-error.ts'

/**
 * Decodes the hybrid of run lengths and bit packing (Apache Parquet encodings, "RLE"), one value at a time:
 * memory use does not depend on the declared run length.
 */
export class RleReader {
  readonly #bytes: Uint8Array
  readonly #width: number
  #at: number
  #left = 0
  #value = 0
  /** Bit position of the next packed value after `#at`; negative in a run. */
  #bit = -1

  constructor(bytes: Uint8Array, start: number, bitWidth: number) {
    if (bitWidth > 32) throw damaged(`values of ${bitWidth} bits`)
    this.#bytes = bytes
    this.#at = start
    this.#width = bitWidth
  }

  next(): number {
    while (this.#left === 0) this.#startRun()
    this.#left -= 1
    if (this.#bit < 0) return this.#value
    const bit = this.#bit
    this.#bit = bit + this.#width
    if (this.#width <= 24) return this.#packed(bit, this.#width)
    return this.#packed(bit, 16) + this.#packed(bit + 16, this.#width - 16) * 65_536
  }

  #packed(bit: number, width: number): number {
    const bytes = this.#bytes
    const at = this.#at + (bit >>> 3)
    const low = bit & 7
    if (at + ((low + width + 7) >>> 3) > bytes.length) throw damaged('packed values break off')
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    return (word >>> low) & ((1 << width) - 1)
  }

  #startRun(): void {
    if (this.#bit >= 0) this.#at += this.#bit >>> 3
    this.#bit = -1
    const header = this.#varint()
    if ((header & 1) === 1) {
      this.#left = (header >>> 1) * 8
      this.#bit = 0
      return
    }
    this.#left = header >>> 1
    const count = (this.#width + 7) >> 3
    if (this.#at + count > this.#bytes.length) throw damaged('a run of values breaks off')
    this.#value = 0
    for (let i = 0; i < count; i += 1) this.#value += (this.#bytes[this.#at + i] as number) * 2 ** (8 * i)
    this.#at += count
  }

  #varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw damaged('encoded values break off')
      this.#at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value >>> 0
    }
    throw damaged('a run of values is too long')
  }
}
