/** A set of numbers from 1 to `last`, as a bitmap. */
export class ComparedRowSet {
  readonly #bits: Uint8Array
  readonly #last: number

  constructor(last: number) {
    this.#last = last
    this.#bits = new Uint8Array((last >> 3) + 1)
  }

  add(id: number): void {
    this.#bits[id >> 3] = (this.#bits[id >> 3] as number) | (1 << (id & 7))
  }

  has(id: number): boolean {
    return (((this.#bits[id >> 3] as number) >> (id & 7)) & 1) === 1
  }

  /** Yields the missing numbers, in order. */
  *missing(): Generator<number> {
    for (let id = 1; id <= this.#last; id += 1) if (!this.has(id)) yield id
  }
}
