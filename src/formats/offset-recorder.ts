import { batchRows } from '../geo/batch.ts'
import { placeNumbers } from './format.ts'

/** Records the location of each row of the current batch in its file. */
export class OffsetRecorder {
  #places = new Uint32Array(batchRows * placeNumbers)

  /** `row` is the index in the batch; the location of a rejected row is overwritten by the next. */
  note(row: number, first: number, second: number): void {
    this.#places[row * placeNumbers] = first
    this.#places[row * placeNumbers + 1] = second
  }

  /** Returns the locations of the finished batch and starts the next. */
  take(rowCount: number): Uint32Array {
    const places = this.#places.subarray(0, rowCount * placeNumbers)
    this.#places = new Uint32Array(batchRows * placeNumbers)
    return places
  }
}
