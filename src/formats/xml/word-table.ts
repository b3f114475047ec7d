const slotCount = 256
const encoder = new TextEncoder()

/** Hash function of names in the scanner. */
export function hashByte(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0
}

/** Finds the index of a name in a small set of words, without creating a string. */
export class WordTable {
  readonly #words: Uint8Array[]
  readonly #hashes: Int32Array
  readonly #slots = new Int16Array(slotCount).fill(-1)

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => encoder.encode(word))
    this.#hashes = Int32Array.from(this.#words, (word) => word.reduce(hashByte, 0))
    for (const [index, hash] of this.#hashes.entries()) {
      let slot = hash & (slotCount - 1)
      while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & (slotCount - 1)
      this.#slots[slot] = index
    }
  }

  /** Returns the index of the word `bytes[start, end)`, whose hash is `hash`; -1 for any other. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    let slot = hash & (slotCount - 1)
    for (;;) {
      const index = this.#slots[slot] as number
      if (index < 0) return -1
      if (this.#hashes[index] === hash && isSame(this.#words[index] as Uint8Array, bytes, start, end)) {
        return index
      }
      slot = (slot + 1) & (slotCount - 1)
    }
  }
}

/** True if `bytes[start, end)` equals `word`. */
export function isSame(word: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = word
  if (end - start !== length) return false
  for (let i = 0; i < length; i += 1) if (bytes[start + i] !== word[i]) return false
  return true
}
