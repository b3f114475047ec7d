import { damaged } from './parquet-error.ts'

const maxMiniblocks = 4096

/**
 * Integers encoded as differences (Apache Parquet encodings, "DELTA_BINARY_PACKED"), read one at a time,
 * modulo 2^64. After all values are read, `at` is the offset after the current block.
 */
export class DeltaReader {
  readonly #bytes: Uint8Array
  #at: number
  /** Number of remaining values. */
  count: number
  readonly #miniblocks: number
  readonly #miniblockValues: number
  #value: bigint
  #isFirst = true
  #minDelta = 0n
  #widthsAt = 0
  #miniblock: number
  #inMiniblock = 0
  #bit = 0
  #width = 0

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes
    this.#at = start
    const blockValues = Number(this.#varint())
    this.#miniblocks = Number(this.#varint())
    this.#miniblockValues = blockValues / this.#miniblocks
    this.count = Number(this.#varint())
    this.#value = this.#zigzag()
    this.#miniblock = this.#miniblocks
    const isGood = this.#miniblocks > 0 && this.#miniblocks <= maxMiniblocks
    if (!isGood || !Number.isInteger(this.#miniblockValues / 8) || this.#miniblockValues === 0) {
      throw damaged('a block of differences has a wrong size')
    }
  }

  /** Offset after the encoded values; valid after the last value is read. */
  get end(): number {
    return this.#inMiniblock > 0 ? this.#at + (this.#miniblockValues * this.#width) / 8 : this.#at
  }

  next(): bigint {
    if (this.count === 0) throw damaged('encoded numbers break off')
    this.count -= 1
    if (this.#isFirst) {
      this.#isFirst = false
      return this.#value
    }
    if (this.#inMiniblock === 0) this.#nextMiniblock()
    this.#inMiniblock -= 1
    this.#value = BigInt.asIntN(64, this.#value + this.#minDelta + this.#packed())
    if (this.#inMiniblock === 0) this.#at += (this.#miniblockValues * this.#width) / 8
    return this.#value
  }

  #nextMiniblock(): void {
    if (this.#miniblock === this.#miniblocks) {
      this.#minDelta = this.#zigzag()
      this.#widthsAt = this.#at
      this.#at += this.#miniblocks
      this.#miniblock = 0
    }
    const width = this.#bytes[this.#widthsAt + this.#miniblock]
    if (width === undefined || width > 64) throw damaged('encoded numbers break off')
    this.#width = width
    this.#miniblock += 1
    this.#inMiniblock = this.#miniblockValues
    this.#bit = 0
  }

  #packed(): bigint {
    let result = 0n
    for (let done = 0; done < this.#width; ) {
      const position = this.#bit + done
      const byte = this.#bytes[this.#at + (position >>> 3)]
      if (byte === undefined) throw damaged('encoded numbers break off')
      const low = position & 7
      const count = Math.min(8 - low, this.#width - done)
      result |= BigInt((byte >>> low) & ((1 << count) - 1)) << BigInt(done)
      done += count
    }
    this.#bit += this.#width
    return result
  }

  #zigzag(): bigint {
    const value = this.#varint()
    return (value >> 1n) ^ -(value & 1n)
  }

  #varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw damaged('encoded numbers break off')
      this.#at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw damaged('a number has more than 64 bits')
  }
}
