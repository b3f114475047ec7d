import type { TakeNumbers } from './series-database.ts'

const firstLength = 1024
const partLength = 32_768

/** Buffers numbers and passes them to a consumer in parts. */
export class NumberList {
  readonly #take: TakeNumbers
  #numbers = new Float64Array(firstLength)
  #length = 0

  constructor(take: TakeNumbers) {
    this.#take = take
  }

  /** Adds a row; null becomes NaN. */
  add(row: readonly unknown[]): void {
    if (this.#length + row.length > this.#numbers.length) this.#makeRoom(row.length)
    for (const value of row) {
      this.#numbers[this.#length] = typeof value === 'number' ? value : Number.NaN
      this.#length += 1
    }
  }

  /** Passes on the remaining numbers. */
  finish(): void {
    const part = this.#numbers.subarray(0, this.#length)
    this.#length = 0
    if (part.length > 0) this.#take(part)
  }

  /** The buffer is reused for the next part: consumers must not retain it. */
  #makeRoom(more: number): void {
    if (this.#length >= partLength) this.finish()
    if (this.#length + more <= this.#numbers.length) return
    const larger = new Float64Array((this.#length + more) * 2)
    larger.set(this.#numbers.subarray(0, this.#length))
    this.#numbers = larger
  }
}
