/**
 * Returns the first `limit` names unchanged, and one common name for all others, so that the number of labels
 * is bounded.
 */
export class BoundedNames {
  readonly #limit: number
  readonly #other: string
  readonly #known = new Set<string>()

  constructor(limit: number, other: string) {
    this.#limit = limit
    this.#other = other
  }

  nameFor(name: string): string {
    if (this.#known.has(name)) return name
    if (this.#known.size >= this.#limit) return this.#other
    this.#known.add(name)
    return name
  }
}
