import { type ReadonlySignal, signal } from '@preact/signals'

interface Page<T> {
  rows: T[]
  /** Total number of rows. */
  total: number
}

type Ask<T> = (offset: number, limit: number, aborted: AbortSignal) => Promise<Page<T>>

const pageRows = 50
const maxPages = 40
const settleMs = 80

/** Rows of a long list, loaded by pages as they become visible. */
export class PagedRows<T> {
  readonly #ask: Ask<T>
  readonly #pages = new Map<number, T[]>()
  readonly #asking = new Map<number, AbortController>()
  readonly #total = signal<number | undefined>(undefined)
  readonly #error = signal<unknown>(undefined)
  readonly #changes = signal(0)
  #requested: number[] = [0]
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: Ask<T>) {
    this.#ask = ask
  }

  get total(): ReadonlySignal<number | undefined> {
    return this.#total
  }

  get error(): ReadonlySignal<unknown> {
    return this.#error
  }

  /** Grows with every page that comes. */
  get changes(): ReadonlySignal<number> {
    return this.#changes
  }

  /** Undefined while the row is loading. */
  row(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / pageRows))?.[index % pageRows]
  }

  /** Returns the index of a loaded row. */
  indexOf(isIt: (row: T) => boolean): number | undefined {
    for (const [page, rows] of this.#pages) {
      const at = rows.findIndex(isIt)
      if (at >= 0) return page * pageRows + at
    }
    return undefined
  }

  /** Requests visible rows; loads them if they stay visible for a moment. */
  want(first: number, end: number): void {
    const pages: number[] = []
    for (let page = Math.floor(first / pageRows); page * pageRows < Math.max(end, first + 1); page += 1)
      pages.push(page)
    this.#requested = pages
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.load(), settleMs)
  }

  /** Loads requested rows that are missing. */
  load(): void {
    for (const [page, asking] of this.#asking) if (!this.#requested.includes(page)) asking.abort()
    for (const page of this.#requested)
      if (!this.#pages.has(page) && !this.#asking.has(page)) void this.#load(page)
  }

  async #load(page: number): Promise<void> {
    const asking = new AbortController()
    this.#asking.set(page, asking)
    try {
      const { rows, total } = await this.#ask(page * pageRows, pageRows, asking.signal)
      this.#pages.set(page, rows)
      const [oldest] = this.#pages.keys()
      if (this.#pages.size > maxPages && oldest !== undefined) this.#pages.delete(oldest)
      this.#error.value = undefined
      this.#total.value = total
      this.#changes.value += 1
    } catch (error) {
      if (!asking.signal.aborted) this.#error.value = error
    } finally {
      if (this.#asking.get(page) === asking) this.#asking.delete(page)
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    for (const asking of this.#asking.values()) asking.abort()
    this.#asking.clear()
  }
}
