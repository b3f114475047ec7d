/** A growing array of numbers that does not copy each part at the end. */
export class GrowingArray {
  #values = new Float64Array(1 << 16)
  length = 0

  get values(): Float64Array {
    return this.#values.subarray(0, this.length)
  }

  push(values: Float64Array): void {
    const length = this.length + values.length
    if (length > this.#values.length) {
      const larger = new Float64Array(Math.max(this.#values.length * 2, length))
      larger.set(this.values)
      this.#values = larger
    }
    this.#values.set(values, this.length)
    this.length = length
  }
}
