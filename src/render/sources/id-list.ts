const plainNumber = /^(?:0|-?[1-9]\d{0,14})$/

/** Ids of many rows, stored as numbers of eight bytes as long as all ids are numbers. */
export class IdList {
  #numbers: Float64Array = new Float64Array(1 << 16)
  #texts: string[] | undefined
  #count = 0

  /** True if the ids are known to be values of the table's key. */
  areKeys = false

  /** Creates a list of key values, used without conversion. */
  static ofKeys(numbers: Float64Array): IdList {
    const list = new IdList()
    list.areKeys = true
    list.#numbers = numbers
    list.#count = numbers.length
    return list
  }

  push(ids: readonly string[]): void {
    if (this.#texts === undefined && !ids.every((id) => plainNumber.test(id))) {
      this.#texts = Array.from(this.#numbers.subarray(0, this.#count), String)
      this.#numbers = new Float64Array(0)
    }
    if (this.#texts !== undefined) for (const id of ids) this.#texts.push(id)
    else this.#pushNumbers(ids)
    this.#count += ids.length
  }

  at(row: number): string {
    return this.#texts?.[row] ?? String(this.#numbers[row])
  }

  #pushNumbers(ids: readonly string[]): void {
    if (this.#count + ids.length > this.#numbers.length) {
      const larger = new Float64Array(Math.max(this.#numbers.length * 2, this.#count + ids.length))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    for (const [at, id] of ids.entries()) this.#numbers[this.#count + at] = Number(id)
  }
}
