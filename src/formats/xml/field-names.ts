import { isSame } from './word-table.ts'
import type { TextToken } from './xml-scanner.ts'

/**
 * Finds the index of field names. Rows mostly have the same names in the same order, so the name that
 * followed the previous one is compared first, byte by byte.
 */
export class FieldNames {
  readonly names: string[] = []
  readonly #words: Uint8Array[] = []
  readonly #indexes = new Map<string, number>()
  #next = 0

  add(name: string): number {
    const index = this.names.length
    this.names.push(name)
    this.#words.push(Buffer.from(name))
    this.#indexes.set(name, index)
    return index
  }

  /** Returns the index of the name, or -1. */
  find({ textBytes, textStart, textEnd }: TextToken): number {
    const next = this.#words[this.#next]
    if (next !== undefined && isSame(next, textBytes, textStart, textEnd)) {
      const index = this.#next
      this.#next = index + 1 === this.names.length ? 0 : index + 1
      return index
    }
    const name = Buffer.from(textBytes.subarray(textStart, textEnd)).toString('utf8')
    const index = this.#indexes.get(name) ?? -1
    this.#next = index + 1
    return index
  }
}
