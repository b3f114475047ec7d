import { RowError } from '../reject-writer.ts'
import type { JsonScanner } from './json-scanner.ts'
import { tokenText } from './json-text.ts'

const encoder = new TextEncoder()

const longestName = 4096

/**
 * Finds the index of property names. Features mostly have the same names in the same order, so the name that
 * followed the previous one is compared first, byte by byte.
 */
export class NameIndex {
  readonly names: string[] = []
  readonly #members: Uint8Array[] = []
  readonly #indexes = new Map<string, number>()
  #next = 0

  add(name: string): number {
    const index = this.names.length
    this.names.push(name)
    this.#members.push(encoder.encode(`${JSON.stringify(name)}:`))
    this.#indexes.set(name, index)
    return index
  }

  /** Skips the name at the scanner and returns its index, or -1; an unknown name is then the token. */
  pass(scanner: JsonScanner): number {
    const next = this.#next
    const member = this.#members[next]
    if (member !== undefined && scanner.take(member)) {
      this.#next = next + 1 === this.#members.length ? 0 : next + 1
      return next
    }
    scanner.key()
    return this.#lookUp(scanner)
  }

  #lookUp(scanner: JsonScanner): number {
    if (scanner.tokenEnd - scanner.tokenStart > longestName) {
      throw new RowError(`A property name is longer than ${longestName} bytes`)
    }
    const index = this.#indexes.get(tokenText(scanner)) ?? -1
    this.#next = index + 1
    return index
  }
}
