import { hash } from 'node:crypto'
import { SizedCache } from '../../lib/sized-cache.ts'

/** Approximate overhead of an entry in bytes. */
const entryBytes = 300

/** JPEGs by the images they were made from, the most recently used that fit. */
export class WhiteTiles {
  readonly #kept: SizedCache<Uint8Array>

  constructor(maxBytes: number) {
    this.#kept = new SizedCache(maxBytes, ({ length }) => length + entryBytes)
  }

  /** Returns the cached result for the same image, or caches what `make` returns. */
  async get(picture: Uint8Array, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = hash('sha256', picture, 'base64')
    const known = this.#kept.find(key)
    if (known !== undefined) return known
    const bytes = await make()
    this.#kept.keep(key, bytes)
    return bytes
  }
}
