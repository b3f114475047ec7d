const slots = 256
const probes = 4
const longestTag = 64
const maxAttributes = 4
const numbers = 4 + maxAttributes * 4

/**
 * A start tag as scanned: offsets in the bytes; name start and end, value start and end for each attribute.
 */
export interface ScannedTag {
  start: number
  end: number
  nameStart: number
  nameEnd: number
  nameHash: number
  isEmpty: boolean
  attributeCount: number
  readonly attributes: Int32Array
}

/**
 * Caches short start tags. Files mostly repeat the same tags in the same order, so the tag that last followed
 * the previous one is compared byte by byte, which is faster than scanning.
 */
export class TagMemo {
  readonly #bytes = new Uint8Array(slots * longestTag)
  readonly #lengths = new Uint8Array(slots)
  readonly #hashes = new Int32Array(slots)
  /**
   * For each slot: name start and end, isEmpty, number of attributes, their offsets; relative to the start of
   * the tag.
   */
  readonly #numbers = new Uint8Array(slots * numbers)
  readonly #next = new Uint8Array(slots)
  #last = 0

  /** Fills `tag` with the tag at `start` if it is the expected one; false otherwise. */
  recall(bytes: Uint8Array, start: number, tag: ScannedTag): boolean {
    const slot = this.#next[this.#last] as number
    if (!this.#isAt(slot, bytes, start)) return false
    this.#last = slot
    const from = slot * numbers
    const known = this.#numbers
    tag.start = start
    tag.end = start + (this.#lengths[slot] as number)
    tag.nameStart = start + (known[from] as number)
    tag.nameEnd = start + (known[from + 1] as number)
    tag.nameHash = this.#hashes[slot] as number
    tag.isEmpty = known[from + 2] === 1
    const count = known[from + 3] as number
    tag.attributeCount = count
    for (let i = 0; i < count * 4; i += 1) tag.attributes[i] = start + (known[from + 4 + i] as number)
    return true
  }

  /** Caches a tag that `recall` did not find. */
  keep(bytes: Uint8Array, tag: ScannedTag): void {
    const { start, end, attributeCount } = tag
    if (end - start >= longestTag || attributeCount > maxAttributes) return
    let hash = tag.nameHash
    for (let at = tag.nameEnd; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0
    const slot = this.#slotOf(hash ^ (hash >>> 8), bytes, start)
    if (!this.#isAt(slot, bytes, start)) this.#write(slot, bytes, tag)
    this.#next[this.#last] = slot
    this.#last = slot
  }

  /** Returns the slot of the tag, or one to use for it: a free one of a few, otherwise the first. */
  #slotOf(hash: number, bytes: Uint8Array, start: number): number {
    for (let probe = 0; probe < probes; probe += 1) {
      const slot = (hash + probe) & (slots - 1)
      if (this.#lengths[slot] === 0 || this.#isAt(slot, bytes, start)) return slot
    }
    return hash & (slots - 1)
  }

  #write(slot: number, bytes: Uint8Array, tag: ScannedTag): void {
    const { start, end } = tag
    for (let i = 0; i < end - start; i += 1) this.#bytes[slot * longestTag + i] = bytes[start + i] as number
    this.#lengths[slot] = end - start
    this.#hashes[slot] = tag.nameHash
    const to = slot * numbers
    this.#numbers[to] = tag.nameStart - start
    this.#numbers[to + 1] = tag.nameEnd - start
    this.#numbers[to + 2] = tag.isEmpty ? 1 : 0
    this.#numbers[to + 3] = tag.attributeCount
    for (let i = 0; i < tag.attributeCount * 4; i += 1) {
      this.#numbers[to + 4 + i] = (tag.attributes[i] as number) - start
    }
  }

  /** The byte after the available ones is 0, which no tag contains, so a truncated tag never matches. */
  #isAt(slot: number, bytes: Uint8Array, start: number): boolean {
    const known = this.#bytes
    const length = this.#lengths[slot] as number
    const from = slot * longestTag
    for (let i = 0; i < length; i += 1) if (known[from + i] !== bytes[start + i]) return false
    return length > 0
  }
}
