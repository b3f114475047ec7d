import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { rowGeometry, rowProperties } from './read-values.ts'

/** Stores reject a row while processing its batch, or soon after. */
const keptBatches = 4

/** The last rows of a source in their original form, by number. */
export class SourceWindow {
  readonly #batches: FeatureBatch[] = []

  add(batch: FeatureBatch): void {
    this.#batches.push(batch)
    if (this.#batches.length > keptBatches) this.#batches.shift()
  }

  /** The latest batch; the chain emits one batch for each. */
  get last(): FeatureBatch | undefined {
    return this.#batches.at(-1)
  }

  /** Returns the source values of a row; undefined if its batch has left the window. */
  find(row: number): Pick<RejectedRow, 'properties' | 'geometry'> | undefined {
    for (const batch of this.#batches.toReversed()) {
      const index = placeOf(batch.rowNumbers, row)
      if (index >= 0) return { properties: rowProperties(batch, index), ...rowGeometry(batch, index) }
    }
    return undefined
  }
}

/** Binary search, since readers number rows in ascending order. Corrected rows may be in any order. */
function placeOf(numbers: Float64Array, row: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = numbers[middle] as number
    if (found === row) return middle
    if (found < row) low = middle + 1
    else high = middle - 1
  }
  return numbers.indexOf(row)
}
