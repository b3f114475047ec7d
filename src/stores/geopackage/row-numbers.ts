/** Which row of the source stands under an id: kept as the places where the difference of the two changes. */
export class RowNumbers {
  readonly #ids: number[] = []
  readonly #differences: number[] = []

  add(id: number, rowNumber: number): void {
    const difference = rowNumber - id
    if (this.#differences.at(-1) === difference) return
    this.#ids.push(id)
    this.#differences.push(difference)
  }

  /** The places in pairs of an id and a difference, from which `add` makes them again. */
  *places(): Generator<[number, number]> {
    for (const [index, id] of this.#ids.entries()) yield [id, this.#differences[index] as number]
  }

  /** The row number of an id that was added. */
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
