function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Set of row positions, as a bitmap: five million take 625 kB. */
export class IndexRowSet {
  readonly #words: Uint32Array

  constructor(rows: number) {
    this.#words = new Uint32Array(Math.ceil(rows / 32))
  }

  get byteLength(): number {
    return this.#words.byteLength
  }

  add(position: number): void {
    const word = position >>> 5
    this.#words[word] = (this.#words[word] as number) | (1 << (position & 31))
  }

  delete(position: number): void {
    const word = position >>> 5
    this.#words[word] = (this.#words[word] as number) & ~(1 << (position & 31))
  }

  has(position: number): boolean {
    return (((this.#words[position >>> 5] as number) >>> (position & 31)) & 1) === 1
  }

  /** Adds the rows of a bitmap whose first bit is `from`, a multiple of 32. */
  addBits(bits: Uint32Array, from: number): void {
    const first = from >>> 5
    for (let word = 0; word < bits.length; word += 1) {
      this.#words[first + word] = (this.#words[first + word] as number) | (bits[word] as number)
    }
  }

  /** Retains only rows that the other set also contains. */
  intersect(other: IndexRowSet): void {
    for (let word = 0; word < this.#words.length; word += 1) {
      this.#words[word] = (this.#words[word] as number) & (other.#words[word] as number)
    }
  }

  count(): number {
    let count = 0
    for (const word of this.#words) count += bitCount(word)
    return count
  }

  /**
   * Yields positions in ascending order, skipping the first `offset`, at most `limit`, in pieces of up to
   * `pieceRows`.
   */
  *positions(offset: number, limit: number, pieceRows: number): Generator<Uint32Array> {
    let skip = offset
    let left = limit
    let piece: number[] = []
    for (let index = 0; index < this.#words.length && left > 0; index += 1) {
      let word = this.#words[index] as number
      const bits = word === 0 ? 0 : bitCount(word)
      if (bits <= skip) {
        skip -= bits
        continue
      }
      while (word !== 0 && left > 0) {
        const bit = 31 - Math.clz32(word & -word)
        word &= word - 1
        if (skip > 0) {
          skip -= 1
          continue
        }
        piece.push(index * 32 + bit)
        left -= 1
        if (piece.length < pieceRows) continue
        yield Uint32Array.from(piece)
        piece = []
      }
    }
    if (piece.length > 0) yield Uint32Array.from(piece)
  }
}

/** Like `IndexRowSet.positions`, for all of `rows` rows. */
export function* allPositions(
  rows: number,
  offset: number,
  limit: number,
  pieceRows: number,
): Generator<Uint32Array> {
  const end = Math.min(rows, offset + limit)
  for (let from = offset; from < end; from += pieceRows) {
    yield Uint32Array.from({ length: Math.min(pieceRows, end - from) }, (_, index) => from + index)
  }
}
