import { hash } from 'node:crypto'

/** What an entry takes beside its bytes, about. */
const entryBytes = 300

/** JPEGs by the pictures that they were made of, those that were asked for last, as many as fit. */
export class WhiteTiles {
  readonly #maxBytes: number
  readonly #kept = new Map<string, Uint8Array>()
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What was made of the same picture, or else what `make` gives. */
  async get(picture: Uint8Array, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = hash('sha256', picture, 'base64')
    const known = this.#kept.get(key)
    const bytes = known ?? (await make())
    this.#remove(key)
    this.#kept.set(key, bytes)
    this.#sizeBytes += bytes.length + entryBytes
    for (const oldest of this.#kept.keys()) {
      if (this.#sizeBytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
    return bytes
  }

  #remove(key: string): void {
    const bytes = this.#kept.get(key)
    if (bytes === undefined) return
    this.#kept.delete(key)
    this.#sizeBytes -= bytes.length + entryBytes
  }
}
