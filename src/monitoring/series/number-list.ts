const firstLength = 1024

/** A list of numbers that grows. */
export class NumberList {
  #numbers = new Float64Array(firstLength)
  #length = 0

  /** Null becomes NaN. */
  add(row: readonly unknown[]): void {
    if (this.#length + row.length > this.#numbers.length) this.#grow(row.length)
    for (const value of row) {
      this.#numbers[this.#length] = typeof value === 'number' ? value : Number.NaN
      this.#length += 1
    }
  }

  finish(): Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }

  #grow(more: number): void {
    const larger = new Float64Array((this.#length + more) * 2)
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
