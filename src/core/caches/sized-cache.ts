/** Cache of the most recently used values, limited by their total size. */
export class SizedCache<Value> {
  readonly #maxBytes: number
  readonly #sizeOf: (value: Value) => number
  readonly #values = new Map<string, Value>()
  #sizeBytes = 0

  /** `sizeOf` returns the memory of a value with its entry, in bytes. */
  constructor(maxBytes: number, sizeOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.#sizeOf = sizeOf
  }

  find(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** Stores a value, unless it would evict very many others. */
  keep(key: string, value: Value): void {
    const sizeBytes = this.#sizeOf(value)
    if (sizeBytes > this.#maxBytes / 8) return
    this.#remove(key)
    this.#values.set(key, value)
    this.#sizeBytes += sizeBytes
    for (const oldest of this.#values.keys()) {
      if (this.#sizeBytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#sizeBytes -= this.#sizeOf(value)
  }
}
