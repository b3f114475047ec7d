import { BlockByteReader, ByteWriter } from './bytes.ts'

/** Bits of `hashText`. */
const hashBits = 53

/** Precision of a sketch. Sketches of different precision cannot be merged or decoded as each other. */
export interface Precision {
  /** Up to this number of texts the count is exact. */
  exactLimit: number
  /** There are 2 to the power of this many registers; the standard error beyond `exactLimit` is 1.04 / sqrt(registers). */
  indexBits: number
}

/** A standard error of 0.6 % in 24 KiB. */
const finePrecision: Precision = { exactLimit: 3000, indexBits: 15 }

/**
 * Counts different texts: exactly up to the limit of its precision, beyond it with a small error (HyperLogLog).
 * Any union of sketches is the sketch of the union.
 */
export class DistinctSketch {
  readonly #precision: Precision
  /** Hashes of the texts; undefined once there are too many. */
  #hashes: Set<number> | undefined = new Set()
  #registers: Uint8Array | undefined
  /** Last hash: requests of one visitor are often adjacent. */
  #last = -1

  constructor(precision = finePrecision) {
    this.#precision = precision
  }

  /** Decodes the result of `encode`; ignores bytes after it. */
  static decode(bytes: Uint8Array): DistinctSketch {
    return DistinctSketch.read(new BlockByteReader(bytes))
  }

  static read(reader: BlockByteReader, precision = finePrecision): DistinctSketch {
    const sketch = new DistinctSketch(precision)
    if (reader.byte() === 0) {
      for (let left = reader.integer(); left > 0; left -= 1) sketch.addHash(readHash(reader))
    } else {
      sketch.#hashes = undefined
      sketch.#registers = unpack(reader, 2 ** precision.indexBits)
    }
    return sketch
  }

  add(text: string): void {
    this.addHash(hashText(text))
  }

  addHash(hash: number): void {
    if (hash === this.#last) return
    this.#last = hash
    if (this.#hashes === undefined) {
      this.#register(hash)
      return
    }
    this.#hashes.add(hash)
    if (this.#hashes.size > this.#precision.exactLimit) this.#becomeRegisters()
  }

  merge(other: DistinctSketch): void {
    if (other.#hashes !== undefined) {
      for (const hash of other.#hashes) this.addHash(hash)
      return
    }
    if (this.#hashes !== undefined) this.#becomeRegisters()
    const mine = this.#allRegisters()
    const theirs = other.#allRegisters()
    for (let index = 0; index < mine.length; index += 1) {
      const rank = theirs[index] ?? 0
      if (rank > (mine[index] ?? 0)) mine[index] = rank
    }
  }

  /** Returns the number of distinct texts as an integer. */
  estimate(): number {
    return this.#hashes?.size ?? Math.round(estimateOf(this.#allRegisters()))
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(64)
    this.write(writer)
    return writer.finish()
  }

  write(writer: ByteWriter): void {
    if (this.#hashes === undefined) {
      writer.byte(1)
      writer.bytes(pack(this.#allRegisters()))
      return
    }
    writer.byte(0)
    writer.integer(this.#hashes.size)
    for (const hash of Float64Array.from(this.#hashes).sort()) writeHash(writer, hash)
  }

  #becomeRegisters(): void {
    const hashes = this.#hashes ?? []
    this.#hashes = undefined
    this.#registers = new Uint8Array(2 ** this.#precision.indexBits)
    for (const hash of hashes) this.#register(hash)
  }

  #register(hash: number): void {
    const registers = this.#allRegisters()
    const rankBits = hashBits - this.#precision.indexBits
    const index = Math.floor(hash / 2 ** rankBits)
    const rank = rankOf(hash % 2 ** rankBits, rankBits)
    if (rank > (registers[index] ?? 0)) registers[index] = rank
  }

  #allRegisters(): Uint8Array {
    this.#registers ??= new Uint8Array(2 ** this.#precision.indexBits)
    return this.#registers
  }
}

/** Returns the number of leading zeros plus one. */
function rankOf(bits: number, rankBits: number): number {
  const high = Math.floor(bits / 4_294_967_296)
  if (high > 0) return Math.clz32(high) - (64 - rankBits) + 1
  return Math.clz32(bits) + (rankBits - 32) + 1
}

/**
 * Estimates the count by algorithm 6 of Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog
 * sketches" (2017), which needs no bias correction.
 */
function estimateOf(registers: Uint8Array): number {
  const registerCount = registers.length
  const rankBits = hashBits - Math.log2(registerCount)
  const counts = new Float64Array(rankBits + 2)
  for (const rank of registers) counts[rank] = (counts[rank] ?? 0) + 1
  let sum = registerCount * tau(1 - (counts[rankBits + 1] ?? 0) / registerCount)
  for (let rank = rankBits; rank >= 1; rank -= 1) sum = 0.5 * (sum + (counts[rank] ?? 0))
  sum += registerCount * sigma((counts[0] ?? 0) / registerCount)
  return ((0.5 / Math.LN2) * registerCount * registerCount) / sum
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY
  let [power, factor, sum, last] = [share, 1, share, -1]
  while (sum !== last) {
    power *= power
    last = sum
    sum += power * factor
    factor += factor
  }
  return sum
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0
  let [root, factor, sum, last] = [share, 1, 1 - share, -1]
  while (sum !== last) {
    root = Math.sqrt(root)
    last = sum
    factor *= 0.5
    sum -= (1 - root) ** 2 * factor
  }
  return sum / 3
}

function writeHash(writer: ByteWriter, hash: number): void {
  let left = hash
  for (let index = 0; index < 7; index += 1) {
    writer.byte(left % 256)
    left = Math.floor(left / 256)
  }
}

function readHash(reader: BlockByteReader): number {
  let hash = 0
  for (let scale = 1; scale < 2 ** 56; scale *= 256) hash += reader.byte() * scale
  return hash
}

/** Packs four registers of six bits into three bytes. */
function pack(registers: Uint8Array): Uint8Array {
  const packed = new Uint8Array((registers.length * 6) / 8)
  for (let from = 0, to = 0; from < registers.length; from += 4, to += 3) {
    const [a = 0, b = 0, c = 0, d = 0] = registers.subarray(from, from + 4)
    packed[to] = a | (b << 6)
    packed[to + 1] = (b >> 2) | (c << 4)
    packed[to + 2] = (c >> 4) | (d << 2)
  }
  return packed
}

function unpack(reader: BlockByteReader, registerCount: number): Uint8Array {
  const packed = reader.bytes((registerCount * 6) / 8)
  const registers = new Uint8Array(registerCount)
  for (let from = 0, to = 0; from < packed.length; from += 3, to += 4) {
    const [a = 0, b = 0, c = 0] = packed.subarray(from, from + 3)
    registers[to] = a & 63
    registers[to + 1] = ((a >> 6) | (b << 2)) & 63
    registers[to + 2] = ((b >> 4) | (c << 4)) & 63
    registers[to + 3] = c >> 2
  }
  return registers
}

/**
 * Returns a hash of 53 bits. It must be equal on every machine and in every version, since stored sketches
 * contain it.
 */
export function hashText(text: string): number {
  let low = 0x2545f491
  let high = 0x6c078965
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x85ebca77)
    high ^= high >>> 15
  }
  low = mix(low ^ mix(high + text.length))
  high = mix(high ^ low)
  return (high >>> 11) * 4_294_967_296 + (low >>> 0)
}

function mix(value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return bits ^ (bits >>> 15)
}
