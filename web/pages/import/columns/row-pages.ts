import { signal } from '@preact/signals'
import { call } from '../../../api/client.ts'
import { whenReady } from '../../../api/when-ready.ts'
import type { Rows } from '../types.ts'

export type Row = Rows['features'][number]

const pageRows = 100
const maxPages = 12
const settleMs = 80

/**
 * Rows of a task, loaded by pages as they become visible; discards pages that were not visible for a while.
 */
export class RowPages {
  /** By the place of their first row. */
  readonly pages = signal<ReadonlyMap<number, readonly Row[]>>(new Map())
  readonly error = signal<unknown>(undefined)
  /** So many rows there are at least; all of them where `isWhole`. */
  readonly known = signal({ rows: 0, isWhole: false })
  readonly #path: string
  readonly #requested = new Map<number, AbortController>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Loads the rows from `first` to `end` after a short delay; aborts requests for rows that are no longer
   * visible.
   */
  show(first: number, end: number): void {
    clearTimeout(this.#timer)
    const requested: number[] = []
    for (let at = first - (first % pageRows); at < end; at += pageRows) requested.push(at)
    const missing = requested.filter((at) => !this.pages.peek().has(at))
    if (missing.length === 0) return
    this.#timer = setTimeout(
      () => {
        for (const [at, asking] of this.#requested) if (!requested.includes(at)) asking.abort()
        for (const at of missing) if (!this.#requested.has(at)) void this.#ask(at)
      },
      this.pages.peek().size === 0 ? 0 : settleMs,
    )
  }

  rowAt(index: number): Row | undefined {
    return this.pages.value.get(index - (index % pageRows))?.[index % pageRows]
  }

  again(first: number, end: number): void {
    this.error.value = undefined
    this.show(first, end)
  }

  stop(): void {
    clearTimeout(this.#timer)
    for (const asking of this.#requested.values()) asking.abort()
  }

  async #ask(at: number): Promise<void> {
    const asking = new AbortController()
    this.#requested.set(at, asking)
    try {
      const query = { limit: pageRows, offset: at }
      const path = `${this.#path}/rows`
      const rows = await whenReady(() => call<Rows>({ path, query }, asking.signal), asking.signal)
      const next = new Map(this.pages.peek()).set(at, rows.features)
      for (const old of next.keys()) {
        if (next.size <= maxPages) break
        if (old !== at) next.delete(old)
      }
      this.pages.value = next
      this.error.value = undefined
      const end = at + rows.features.length
      const { rows: before, isWhole } = this.known.peek()
      if (rows.hasMore === false) this.known.value = { rows: end, isWhole: true }
      else if (!isWhole && end + 1 > before) this.known.value = { rows: end + 1, isWhole: false }
    } catch (error) {
      if (!asking.signal.aborted) this.error.value = error
    } finally {
      this.#requested.delete(at)
    }
  }
}
