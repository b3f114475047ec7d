import type { Key } from './distinct-estimate.ts'
import { DistinctEstimate } from './distinct-estimate.ts'

/** Number of occurrences of a value in a column; a lower bound if estimated. */
export interface FrequentKey {
  key: Key
  count: number
}

/**
 * Counts values: each distinct value up to a limit. Beyond the limit it counts only frequent values and
 * estimates the number of distinct ones. Memory is bounded by the limit.
 */
export class CountedValues {
  readonly #most: number
  readonly #counts = new Map<Key, number>()
  #estimate: DistinctEstimate | undefined
  /** Maximum error of the remaining counts (Misra and Gries, 1982). */
  #lacking = 0

  constructor(most: number) {
    this.#most = most
  }

  get isExact(): boolean {
    return this.#estimate === undefined
  }

  get distinct(): number {
    return this.#estimate?.count ?? this.#counts.size
  }

  add(key: Key): void {
    const known = this.#counts.get(key)
    this.#counts.set(key, (known ?? 0) + 1)
    if (known !== undefined) return
    this.#estimate?.add(key)
    if (this.#counts.size > this.#most) this.#makeRoom()
  }

  /** Returns the most frequent values, then in the order of `compare`; if estimated only the certain ones. */
  frequent(most: number, compare: (one: Key, other: Key) => number): FrequentKey[] {
    const top: FrequentKey[] = []
    const comesBefore = (one: FrequentKey, other: FrequentKey): boolean =>
      one.count > other.count || (one.count === other.count && compare(one.key, other.key) < 0)
    for (const [key, count] of this.#counts) {
      if (count <= this.#lacking) continue
      const one = { key, count }
      const last = top.at(-1)
      if (top.length >= most && last !== undefined && !comesBefore(one, last)) continue
      const at = top.findIndex((other) => comesBefore(one, other))
      top.splice(at < 0 ? top.length : at, 0, one)
      if (top.length > most) top.pop()
    }
    return top
  }

  /** Subtracts the median from every count; the remaining counts are too low by no more than that. */
  #makeRoom(): void {
    this.#estimate ??= estimateOf(this.#counts.keys())
    const sorted = Uint32Array.from(this.#counts.values()).sort()
    const less = sorted[sorted.length >> 1] as number
    this.#lacking += less
    for (const [key, count] of this.#counts) {
      if (count <= less) this.#counts.delete(key)
      else this.#counts.set(key, count - less)
    }
  }
}

function estimateOf(keys: Iterable<Key>): DistinctEstimate {
  const estimate = new DistinctEstimate()
  for (const key of keys) estimate.add(key)
  return estimate
}
