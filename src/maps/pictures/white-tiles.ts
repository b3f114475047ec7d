import { hash } from 'node:crypto'
import { SizedCache } from '../../lib/sized-cache.ts'

/** What an entry takes beside its bytes, about. */
const entryBytes = 300

/** JPEGs by the pictures that they were made of, those that were asked for last, as many as fit. */
export class WhiteTiles {
  readonly #kept: SizedCache<Uint8Array>

  constructor(maxBytes: number) {
    this.#kept = new SizedCache(maxBytes, ({ length }) => length + entryBytes)
  }

  /** What was made of the same picture, or else what `make` gives. */
  async get(picture: Uint8Array, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = hash('sha256', picture, 'base64')
    const known = this.#kept.find(key)
    if (known !== undefined) return known
    const bytes = await make()
    this.#kept.keep(key, bytes)
    return bytes
  }
}
