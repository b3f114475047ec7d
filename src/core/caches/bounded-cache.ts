/** Cache of recently used entries in two generations of at most `size` entries each. */
export class BoundedCache<Key, Value> {
  readonly #size: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  constructor(size: number) {
    this.#size = size
  }

  /** True if the cache has an entry for the key. */
  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  /**
   * Returns the cached value of the key, or caches and returns what `make` returns, which must not be
   * undefined.
   */
  get(key: Key, make: (key: Key) => Value): Value {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const value = this.#old.get(key) ?? make(key)
    if (this.#young.size >= this.#size) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
