/** Numbers of objects of one model by result. */
export interface ModelReport {
  model: string
  read: number
  loaded: number
  skipped: { reason: string; count: number }[]
}

/** Result of an import. */
export interface ImportReport {
  /** SHA-256 of the dump's text. */
  digest: string
  /** True if the same dump was imported before and nothing was changed. */
  isRepeated: boolean
  /** ISO 8601. */
  importedAt: string
  models: ModelReport[]
}

/** Counts what is read, loaded and skipped. */
export class Tally {
  readonly #models = new Map<string, { read: number; loaded: number; skipped: Map<string, number> }>()

  read(model: string): void {
    this.#of(model).read += 1
  }

  loaded(model: string, count = 1): void {
    this.#of(model).loaded += count
  }

  skipped(model: string, reason: string, count = 1): void {
    const { skipped } = this.#of(model)
    if (count > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  }

  /** Number of objects read but neither loaded nor skipped so far. */
  openCount(model: string): number {
    const { read, loaded, skipped } = this.#of(model)
    return [...skipped.values()].reduce((rest, count) => rest - count, read - loaded)
  }

  report(): ModelReport[] {
    return [...this.#models]
      .filter(([, { read }]) => read > 0)
      .map(([model, { read, loaded, skipped }]) => ({
        model,
        read,
        loaded,
        skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
      }))
      .sort((a, b) => (a.model < b.model ? -1 : 1))
  }

  #of(model: string) {
    const known = this.#models.get(model) ?? { read: 0, loaded: 0, skipped: new Map<string, number>() }
    this.#models.set(model, known)
    return known
  }
}
