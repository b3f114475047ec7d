const firstSlots = 64
const free = -1

/** Counts by tile number: a map of numbers, as compact as an array and several times faster than a `Map`. */
export class TileCounter {
  #numbers = new Float64Array(firstSlots).fill(free)
  #counts = new Float64Array(firstSlots)
  #used = 0

  add(number: number, count: number): void {
    const slot = this.#slotOf(number)
    if (this.#numbers[slot] === free) {
      this.#numbers[slot] = number
      this.#used += 1
    }
    this.#counts[slot] = (this.#counts[slot] as number) + count
    if (this.#used * 2 > this.#numbers.length) this.#grow()
  }

  /** Returns alternating numbers and counts, by ascending number. */
  pairs(): number[] {
    const numbers = this.#numbers.filter((number) => number !== free).sort()
    const pairs: number[] = []
    for (const number of numbers) pairs.push(number, this.#counts[this.#slotOf(number)] as number)
    return pairs
  }

  #slotOf(number: number): number {
    const last = this.#numbers.length - 1
    const mixed = Math.imul(number | 0, 0x9e3779b1) ^ Math.imul((number / 2 ** 32) | 0, 0x85ebca6b)
    let slot = (mixed ^ (mixed >>> 15)) & last
    while (this.#numbers[slot] !== number && this.#numbers[slot] !== free) slot = (slot + 1) & last
    return slot
  }

  #grow(): void {
    const [numbers, counts] = [this.#numbers, this.#counts]
    this.#numbers = new Float64Array(numbers.length * 2).fill(free)
    this.#counts = new Float64Array(numbers.length * 2)
    for (let slot = 0; slot < numbers.length; slot += 1) {
      const number = numbers[slot] as number
      if (number === free) continue
      const to = this.#slotOf(number)
      this.#numbers[to] = number
      this.#counts[to] = counts[slot] as number
    }
  }
}
