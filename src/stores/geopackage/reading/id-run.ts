/** Ids in ascending order without duplicates, which are matched in that order. */
export class IdRun {
  readonly ids: Float64Array
  #at = 0

  constructor(ids: Float64Array) {
    this.ids = ids
  }

  /**
   * Returns the indexes of ids of the run among the given ones, which continue the previous call in ascending
   * order.
   */
  rowsAmong(given: readonly number[]): Uint32Array {
    const { ids } = this
    const rows: number[] = []
    for (let row = 0; row < given.length; row += 1) {
      const id = given[row] as number
      while (this.#at < ids.length && (ids[this.#at] as number) < id) this.#at += 1
      if (ids[this.#at] === id) rows.push(row)
    }
    return Uint32Array.from(rows)
  }
}

/** Returns all ids of several lists in ascending order, without duplicates. */
export function joinedIds(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const ids of lists) {
    all.set(ids, end)
    end += ids.length
  }
  all.sort()
  return all.filter((id, at) => at === 0 || id !== all[at - 1])
}
