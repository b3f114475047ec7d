import { batchRows } from '../geo/batch.ts'
import { placeNumbers } from './format.ts'

/** Notes where each row of the batch that is being built stands in its file. */
export class PlaceNotes {
  #places = new Uint32Array(batchRows * placeNumbers)

  /** `row` counts from 0 in the batch; a row that is rejected gives its place to the next. */
  note(row: number, first: number, second: number): void {
    this.#places[row * placeNumbers] = first
    this.#places[row * placeNumbers + 1] = second
  }

  /** The places of the batch, which is finished; the next begins. */
  take(rowCount: number): Uint32Array {
    const places = this.#places.subarray(0, rowCount * placeNumbers)
    this.#places = new Uint32Array(batchRows * placeNumbers)
    return places
  }
}
