import { makeCodes, mostBits } from './huffman.ts'

/** Maximum input size: the maximum distance of a match (RFC 1951, section 2). */
export const mostDeflated = 1 << 15

const endOfBlock = 256
const literals = 286
const distances = 30
const lengthSymbols = 19
const mostLengthBits = 7
const leastMatch = 4
const mostMatch = 258
const hashBits = 12
const hashFactor = 0x9e3779b1

/** Order of the code lengths of the code length alphabet (RFC 1951, section 3.2.7). */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** By length of a match: its symbol, its extra bits from bit 16 on, their number from bit 24 on. */
const lengthParts = new Uint32Array(mostMatch + 1)
/** Symbols by distance minus one up to 255; for larger ones by the bits from the seventh on. */
const distanceSymbols = new Uint8Array(512)
const distanceStarts = new Uint16Array(distances)
const distanceExtras = new Uint8Array(distances)

/** RFC 1951, section 3.2.5. */
function fillTables(): void {
  let length = 3
  for (let symbol = 257; symbol < 285; symbol += 1) {
    const extra = symbol < 265 ? 0 : (symbol - 261) >> 2
    for (let more = 0; more < 1 << extra; more += 1, length += 1)
      lengthParts[length] = symbol | (more << 16) | (extra << 24)
  }
  lengthParts[mostMatch] = 285
  let distance = 0
  for (let symbol = 0; symbol < distances; symbol += 1) {
    const extra = symbol < 4 ? 0 : (symbol - 2) >> 1
    distanceStarts[symbol] = distance
    distanceExtras[symbol] = extra
    for (let at = distance; at < distance + (1 << extra); at += at < 256 ? 1 : 128)
      distanceSymbols[at < 256 ? at : 256 + (at >> 7)] = symbol
    distance += 1 << extra
  }
}
fillTables()

const heads = new Int32Array(1 << hashBits)
const words = new Int32Array(1 << hashBits)
/** Positions in earlier inputs are below it. */
let base = 1
const mostBase = 2 ** 31 - mostDeflated - 2

/** Literals unchanged; matches as length and, in the upper bits, distance. */
const tokens = new Int32Array(mostDeflated)
const literalCounts = new Uint32Array(literals)
const literalLengths = new Uint8Array(literals)
const literalCodes = new Uint32Array(literals)
const distanceCounts = new Uint32Array(distances)
const distanceLengths = new Uint8Array(distances)
const distanceCodes = new Uint32Array(distances)
const lengthCounts = new Uint32Array(lengthSymbols)
const lengthLengths = new Uint8Array(lengthSymbols)
const lengthCodes = new Uint32Array(lengthSymbols)
const packedLengths = new Uint16Array(literals + distances)

/**
 * Compresses bytes as one block of the deflate format (RFC 1951) into `target` from `start` on, where 1.5
 * times the size plus 512 bytes must be available; returns the end of the block. For short input: `zlib`
 * takes longer to initialize than to compress it, and leaves a quarter of a megabyte to the garbage collector
 * each time.
 */
export function deflateInto(source: Uint8Array, target: Uint8Array, start: number): number {
  if (source.length > mostDeflated) throw new Error('Too long for one block')
  const count = findTokens(source)
  literalCounts[endOfBlock] = 1
  atLeastTwo(literalCounts)
  atLeastTwo(distanceCounts)
  makeCodes(literalCounts, mostBits, literalLengths, literalCodes)
  makeCodes(distanceCounts, mostBits, distanceLengths, distanceCodes)
  const writer = new BitWriter(target, start)
  writeHead(writer)
  return writeTokens(count, writer)
}

/** Some decompressors reject a table with one code. */
function atLeastTwo(counts: Uint32Array): void {
  for (let symbol = 0; symbol < 2; symbol += 1) if (counts[symbol] === 0) counts[symbol] = 1
}

/** Replaces a sequence of four bytes by a reference to its last occurrence. */
function findTokens(source: Uint8Array): number {
  literalCounts.fill(0)
  distanceCounts.fill(0)
  if (base > mostBase) {
    heads.fill(0)
    base = 1
  }
  const { length } = source
  const view = new DataView(source.buffer, source.byteOffset, length)
  const last = length - leastMatch
  let count = 0
  let at = 0
  while (at <= last) {
    const word = view.getInt32(at, true)
    const hash = Math.imul(word, hashFactor) >>> (32 - hashBits)
    const from = (heads[hash] as number) - base
    heads[hash] = at + base
    if (from >= 0 && words[hash] === word) {
      const most = Math.min(length - at, mostMatch)
      let matched = leastMatch
      while (matched < most && source[from + matched] === source[at + matched]) matched += 1
      const distance = at - from
      tokens[count] = (distance << 9) | matched | -0x80000000
      const symbol = (lengthParts[matched] as number) & 0xffff
      literalCounts[symbol] = (literalCounts[symbol] as number) + 1
      const far = symbolOfDistance(distance)
      distanceCounts[far] = (distanceCounts[far] as number) + 1
      at += matched
    } else {
      words[hash] = word
      const literal = source[at] as number
      tokens[count] = literal
      literalCounts[literal] = (literalCounts[literal] as number) + 1
      at += 1
    }
    count += 1
  }
  for (; at < length; at += 1, count += 1) {
    const literal = source[at] as number
    tokens[count] = literal
    literalCounts[literal] = (literalCounts[literal] as number) + 1
  }
  base += length + 1
  return count
}

function symbolOfDistance(distance: number): number {
  const at = distance - 1
  return distanceSymbols[at < 256 ? at : 256 + (at >> 7)] as number
}

/** Writes the lengths of all codes, themselves encoded (RFC 1951, section 3.2.7). */
function writeHead(writer: BitWriter): void {
  let literalsUsed = literals
  while (literalLengths[literalsUsed - 1] === 0) literalsUsed -= 1
  let distancesUsed = distances
  while (distanceLengths[distancesUsed - 1] === 0) distancesUsed -= 1
  const count = packLengths(literalsUsed, distancesUsed)
  atLeastTwo(lengthCounts)
  makeCodes(lengthCounts, mostLengthBits, lengthLengths, lengthCodes)
  let ordered = lengthSymbols
  while (lengthLengths[lengthOrder[ordered - 1] as number] === 0) ordered -= 1
  // The last block, with dynamic codes.
  writer.write(1 | (2 << 1), 3)
  writer.write(literalsUsed - 257, 5)
  writer.write(distancesUsed - 1, 5)
  writer.write(ordered - 4, 4)
  for (let at = 0; at < ordered; at += 1) writer.write(lengthLengths[lengthOrder[at] as number] as number, 3)
  for (let at = 0; at < count; at += 1) {
    const packed = packedLengths[at] as number
    const symbol = packed & 31
    const code = lengthCodes[symbol] as number
    writer.write(code & 0xffff, code >>> 16)
    if (symbol >= 16) writer.write(packed >> 5, symbol === 16 ? 2 : symbol === 17 ? 3 : 7)
  }
}

/** Run-length encodes the code lengths; counts the symbols. */
function packLengths(literalsUsed: number, distancesUsed: number): number {
  lengthCounts.fill(0)
  let count = 0
  const all = literalsUsed + distancesUsed
  const lengthAt = (at: number): number =>
    (at < literalsUsed ? literalLengths[at] : distanceLengths[at - literalsUsed]) as number
  const add = (symbol: number, more: number): void => {
    packedLengths[count] = symbol | (more << 5)
    lengthCounts[symbol] = (lengthCounts[symbol] as number) + 1
    count += 1
  }
  for (let at = 0; at < all; ) {
    const length = lengthAt(at)
    let run = 1
    while (at + run < all && lengthAt(at + run) === length) run += 1
    at += run
    if (length !== 0) {
      add(length, 0)
      run -= 1
    }
    while (run >= 3) {
      const part = Math.min(run, length === 0 ? 138 : 6)
      if (length !== 0) add(16, part - 3)
      else if (part <= 10) add(17, part - 3)
      else add(18, part - 11)
      run -= part
    }
    for (; run > 0; run -= 1) add(length, 0)
  }
  return count
}

/** Inlines `BitWriter` for each part of a token: with calls, compression takes a seventh longer. */
function writeTokens(count: number, writer: BitWriter): number {
  const { target } = writer
  let { at, bits, used } = writer
  for (let number = 0; number < count; number += 1) {
    const token = tokens[number] as number
    if (token >= 0) {
      const code = literalCodes[token] as number
      bits |= (code & 0xffff) << used
      used += code >>> 16
    } else {
      const length = lengthParts[token & 0x1ff] as number
      const code = literalCodes[length & 0xffff] as number
      bits |= (code & 0xffff) << used
      used += code >>> 16
      if (used >= 16) {
        target[at] = bits
        target[at + 1] = bits >>> 8
        at += 2
        bits >>>= 16
        used -= 16
      }
      bits |= ((length >>> 16) & 0xff) << used
      used += length >>> 24
      if (used >= 16) {
        target[at] = bits
        target[at + 1] = bits >>> 8
        at += 2
        bits >>>= 16
        used -= 16
      }
      const distance = (token & 0x7fffffff) >>> 9
      const symbol = symbolOfDistance(distance)
      const far = distanceCodes[symbol] as number
      bits |= (far & 0xffff) << used
      used += far >>> 16
      if (used >= 16) {
        target[at] = bits
        target[at + 1] = bits >>> 8
        at += 2
        bits >>>= 16
        used -= 16
      }
      bits |= (distance - 1 - (distanceStarts[symbol] as number)) << used
      used += distanceExtras[symbol] as number
    }
    if (used >= 16) {
      target[at] = bits
      target[at + 1] = bits >>> 8
      at += 2
      bits >>>= 16
      used -= 16
    }
  }
  const end = literalCodes[endOfBlock] as number
  bits |= (end & 0xffff) << used
  used += end >>> 16
  for (; used > 0; used -= 8, at += 1) {
    target[at] = bits
    bits >>>= 8
  }
  return at
}

/** Writes bits from the lowest on; at most 16 at a time. */
class BitWriter {
  readonly target: Uint8Array
  at: number
  bits = 0
  used = 0

  constructor(target: Uint8Array, at: number) {
    this.target = target
    this.at = at
  }

  write(value: number, count: number): void {
    this.bits |= value << this.used
    this.used += count
    if (this.used < 16) return
    this.target[this.at] = this.bits
    this.target[this.at + 1] = this.bits >>> 8
    this.at += 2
    this.bits >>>= 16
    this.used -= 16
  }
}
