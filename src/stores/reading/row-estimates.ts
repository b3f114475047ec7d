/** Lifetime of a cached estimate, in milliseconds. A load may enlarge a table meanwhile. */
const cachedMs = 10_000
const maxCached = 10_000

interface CachedRows {
  rows: Promise<number>
  untilMs: number
}

/** Caches the estimated numbers of rows of tables. */
export class RowEstimates {
  readonly #cached = new Map<string, CachedRows>()

  /** Returns the cached number, or that of `estimate`. Failures are not cached. */
  rowsOf(table: string, estimate: () => Promise<number>): Promise<number> {
    const cached = this.#cached.get(table)
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.rows
    const rows = estimate()
    if (this.#cached.size >= maxCached) this.#cached.clear()
    this.#cached.set(table, { rows, untilMs: performance.now() + cachedMs })
    rows.catch(() => this.#cached.delete(table))
    return rows
  }
}
