import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { rowGeometry, rowProperties } from './read-values.ts'

/** Stores refuse a row while they take the batch that it is in, or soon after. */
const keptBatches = 4

/** The last rows of a source as it gave them, by their numbers. */
export class SourceWindow {
  readonly #batches: FeatureBatch[] = []

  add(batch: FeatureBatch): void {
    this.#batches.push(batch)
    if (this.#batches.length > keptBatches) this.#batches.shift()
  }

  /** The latest batch; the chain makes one of each. */
  get last(): FeatureBatch | undefined {
    return this.#batches.at(-1)
  }

  /** What the source has of a row; undefined where it went by too long ago. */
  find(row: number): Pick<RejectedRow, 'properties' | 'geometry'> | undefined {
    for (const batch of this.#batches.toReversed()) {
      const place = placeOf(batch.rowNumbers, row)
      if (place >= 0) return { properties: rowProperties(batch, place), ...rowGeometry(batch, place) }
    }
    return undefined
  }
}

/** By halves, as readers count upwards; mended rows may come in any order. */
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
