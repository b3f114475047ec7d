import type { FeatureBatch } from '../geo/batch.ts'
import { selectRows } from '../geo/select-rows.ts'

/** A row that can only be drawn after all rows of the tile are read. */
export interface WaitingRow {
  /** Counts the rows of the tile. */
  row: number
  id: string | number
  size: number
  /** True if the tile counts the row when it is omitted. */
  isOwn: boolean
}

interface WaitingPage {
  rows: WaitingRow[]
  batch: FeatureBatch
}

/** Copies of rows that can only be drawn after all rows of a tile are read. Pages are not retained. */
export class WaitingRows {
  readonly #pages: WaitingPage[] = []
  #rows: WaitingRow[] = []
  #indexes: number[] = []

  /** `index` is the row number within the current page. */
  add(row: WaitingRow, index: number): void {
    this.#rows.push(row)
    this.#indexes.push(index)
  }

  endPage(batch: FeatureBatch): void {
    if (this.#rows.length === 0) return
    const attributes = { ...batch, geometry: undefined }
    this.#pages.push({ rows: this.#rows, batch: selectRows(attributes, Uint32Array.from(this.#indexes)) })
    this.#rows = []
    this.#indexes = []
  }

  /** Yields the rows in their order. */
  visit(take: (row: WaitingRow, batch: FeatureBatch, index: number) => void): void {
    for (const { rows, batch } of this.#pages)
      for (const [index, row] of rows.entries()) take(row, batch, index)
  }
}
