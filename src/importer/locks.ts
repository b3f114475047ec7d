/** Lets one at a time work under a key; the others wait in the order they came. */
export class ImportLocks {
  readonly #tails = new Map<string, Promise<unknown>>()

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const tail = mine.catch(() => undefined)
    this.#tails.set(key, tail)
    try {
      return await mine
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }

  /** Edits of one import stand in line. */
  ofImport<T>(importId: number, work: () => Promise<T>): Promise<T> {
    return this.hold(`import ${importId}`, work)
  }
}
