import { selectRows } from '../../geo/select-rows.ts'
import type { RowPosition } from '../order.ts'
import { positionOf } from '../order.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'

/** First and last row of a page. Plain data. */
export interface PageEnds {
  /** Absent for an empty page. */
  first?: RowPosition
  last?: RowPosition
  /** True if more rows follow in the direction of reading. */
  hasMore: boolean
}

/** Requests one more row than a page has, to find out whether there is a next page. */
export function withNextRow(query: FeatureQuery): FeatureQuery {
  return query.featureId === undefined ? { ...query, limit: query.limit + 1 } : query
}

/**
 * The rows of one page in their order, also of a page read backward; `ends` is set after all rows are read.
 */
export class PageRows {
  /** Undefined if no page can continue from a row. */
  ends: PageEnds | undefined
  readonly #query: FeatureQuery
  #isKeyed = false
  #readCount = 0
  #left: number

  /** `query` is the original one; the rows must come from `withNextRow(query)`. */
  constructor(query: FeatureQuery) {
    this.#query = query
    this.#left = query.limit
  }

  async *pages(read: AsyncIterable<FeaturePage>): AsyncGenerator<FeaturePage> {
    const requested = this.#requested(read)
    if (this.#query.from?.isBackward === true) {
      const pages = await Array.fromAsync(requested)
      yield* pages.reverse().map((page) => this.#noted(reversed(page)))
    } else {
      for await (const page of requested) yield this.#noted(page)
    }
    const canGoOn = this.#isKeyed || this.#query.from !== undefined
    this.ends = canGoOn ? { ...this.ends, hasMore: this.#readCount > this.#query.limit } : undefined
  }

  async *#requested(read: AsyncIterable<FeaturePage>): AsyncGenerator<FeaturePage> {
    for await (const page of read) {
      this.#isKeyed = page.isKeyed === true
      // Unreadable rows are not part of the page, but counted.
      this.#readCount += page.batch.rowCount + page.batch.rejects.length
      const kept = firstRows(page, this.#left)
      this.#left -= kept.ids.length
      if (kept.ids.length > 0) yield kept
    }
  }

  #noted(page: FeaturePage): FeaturePage {
    const { batch, ids } = page
    const at = (row: number): RowPosition => positionOf(batch, row, ids[row] ?? '', this.#query.sort)
    const first = this.ends?.first ?? at(0)
    this.ends = { first, last: at(batch.rowCount - 1), hasMore: false }
    return page
  }
}

function firstRows(page: FeaturePage, count: number): FeaturePage {
  if (page.batch.rowCount <= count) return page
  return chosen(
    page,
    Uint32Array.from({ length: count }, (_, row) => row),
  )
}

function reversed(page: FeaturePage): FeaturePage {
  const { rowCount } = page.batch
  return chosen(
    page,
    Uint32Array.from({ length: rowCount }, (_, row) => rowCount - 1 - row),
  )
}

function chosen(page: FeaturePage, rows: Uint32Array): FeaturePage {
  return { ...page, batch: selectRows(page.batch, rows), ids: Array.from(rows, (row) => page.ids[row] ?? '') }
}
