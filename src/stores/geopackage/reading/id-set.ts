/** Maximum number of bits of a set: 64 MB. */
const maxRange = 2 ** 29

/** True if a bit for each id from `first` to `last`, of which `count` are in use, is worth the memory. */
export function fitsIdSet(first: number, last: number, count: number): boolean {
  const range = last - first + 1
  return (
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(last) &&
    range <= maxRange &&
    range <= 1e7 + count * 64
  )
}

/** A set of ids of a table from a known range, as a bitmap. */
export class IdSet {
  readonly first: number
  readonly last: number
  readonly #words: Uint32Array
  #size: number | undefined

  constructor(first: number, last: number) {
    this.first = first
    this.last = last
    this.#words = new Uint32Array(Math.ceil(Math.max(0, last - first + 1) / 32))
  }

  get byteLength(): number {
    return this.#words.byteLength
  }

  get size(): number {
    this.#size ??= this.#words.reduce((sum, word) => sum + bitCount(word), 0)
    return this.#size
  }

  /** Ignores ids outside of the range. */
  add(id: number): void {
    if (!(id >= this.first && id <= this.last)) return
    const bit = id - this.first
    const word = Math.floor(bit / 32)
    this.#words[word] = (this.#words[word] as number) | (1 << (bit & 31))
    this.#size = undefined
  }

  has(id: number): boolean {
    if (!(id >= this.first && id <= this.last)) return false
    const bit = id - this.first
    return ((this.#words[Math.floor(bit / 32)] as number) & (1 << (bit & 31))) !== 0
  }

  /** Removes ids that are not in the other set, which must have the same range. */
  keepOnly(other: IdSet): void {
    for (let at = 0; at < this.#words.length; at += 1) {
      this.#words[at] = (this.#words[at] as number) & (other.#words[at] as number)
    }
    this.#size = undefined
  }

  /** Returns at most `limit` ids after an id in ascending order, or before it in descending order. */
  near(id: number, limit: number, isBackward: boolean): number[] {
    const ids: number[] = []
    const step = isBackward ? -1 : 1
    const begin = isBackward ? Math.min(id, this.last + 1) - 1 : Math.max(id, this.first - 1) + 1
    for (let next = begin; next >= this.first && next <= this.last && ids.length < limit; ) {
      const bit = next - this.first
      if (this.#words[Math.floor(bit / 32)] === 0) {
        // Skips to the nearest id of the next word.
        next = this.first + (isBackward ? bit - (bit & 31) - 1 : bit - (bit & 31) + 32)
        continue
      }
      if (this.has(next)) ids.push(next)
      next += step
    }
    return ids
  }

  /** Returns at most `limit` ids in ascending order, after the first `offset`. */
  slice(offset: number, limit: number): number[] {
    const ids: number[] = []
    let skip = offset
    for (let at = 0; at < this.#words.length && ids.length < limit; at += 1) {
      let word = this.#words[at] as number
      const count = bitCount(word)
      if (skip >= count) {
        skip -= count
        continue
      }
      for (; word !== 0 && ids.length < limit; word &= word - 1) {
        if (skip > 0) skip -= 1
        else ids.push(this.first + at * 32 + 31 - Math.clz32(word & -word))
      }
    }
    return ids
  }
}

/** Counts the set bits of a 32-bit word. */
function bitCount(word: number): number {
  let sum = word - ((word >>> 1) & 0x55555555)
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333)
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
