/** The columns that a query gives for drawing, under names of ours. */
export class DrawnColumns {
  readonly #names = new Map<string, string>()

  /** The name under which the query gives what `sql` computes; the same for the same. */
  take(sql: string): string {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    const name = `c${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }

  get size(): number {
    return this.#names.size
  }

  /** Returns the column list of a SELECT, each with its name. */
  list(): string[] {
    return [...this.#names].map(([sql, name]) => `${sql} AS ${name}`)
  }
}
