/** Maps ids to row numbers of the source, stored as the positions where their difference changes. */
export class RowNumbers {
  readonly #ids: number[] = []
  readonly #differences: number[] = []

  add(id: number, rowNumber: number): void {
    const difference = rowNumber - id
    if (this.#differences.at(-1) === difference) return
    this.#ids.push(id)
    this.#differences.push(difference)
  }

  /** Yields pairs of an id and a difference, which `add` restores. */
  *places(): Generator<[number, number]> {
    for (const [index, id] of this.#ids.entries()) yield [id, this.#differences[index] as number]
  }

  /** Returns the row number of an added id. */
  rowNumber(id: number): number {
    let low = 0
    let high = this.#ids.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#ids[middle] as number) <= id) low = middle
      else high = middle
    }
    return id + (this.#differences[low] ?? 0)
  }
}
