import type { BreakMethod } from './breaks.ts'
import { breakMethods, classBounds } from './breaks.ts'

/** Methods of classification, by classes or by single values. */
export const classifyMethods = [...breakMethods, 'categories'] as const
/** One of `classifyMethods`. */
export type ClassifyMethod = (typeof classifyMethods)[number]

/** Maximum number of values used for classes; of more, every second, fourth and so on is used. */
const maxValues = 2_000_000
/** Maximum number of distinct values that are counted for categories. */
const maxCategories = 20_000
/** Number of bins of a histogram. */
const histogramParts = 40

/** A value that is not null. */
export type SummaryValue = number | string | boolean

/** Summary of a column for styling. */
export interface ValueSummary {
  /** Number of rows with a value, and of rows with null or an empty text. */
  rows: number
  empty: number
  /** True if classes are based on a sample of the values. */
  isSampled: boolean
  /** The minimum, and the maximum of each class. */
  min?: number
  bounds?: number[]
  /** Number of sampled values in each bin; bins have equal widths between the minimum and the maximum. */
  histogram?: number[]
  /** The most frequent values, and whether there are others. */
  categories?: { value: SummaryValue; count: number }[]
  hasOthers?: boolean
}

/** Summarizes the values of a column, added one by one. */
export class ValueSummarizer {
  readonly #method: ClassifyMethod
  readonly #classes: number
  readonly #counts = new Map<SummaryValue, number>()
  #values = new Float64Array(1024)
  #kept = 0
  #step = 1
  #rows = 0
  #empty = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #isFull = false

  constructor(method: ClassifyMethod, classes: number) {
    this.#method = method
    this.#classes = classes
  }

  add(value: SummaryValue | undefined): void {
    if (value === undefined || value === '' || Number.isNaN(value)) {
      this.#empty += 1
      return
    }
    this.#rows += 1
    if (this.#method === 'categories') this.#count(value)
    else this.#keep(Number(value))
  }

  #count(value: SummaryValue): void {
    const count = this.#counts.get(value)
    if (count === undefined && this.#counts.size >= maxCategories) this.#isFull = true
    else this.#counts.set(value, (count ?? 0) + 1)
  }

  #keep(value: number): void {
    if (!Number.isFinite(value)) return
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
    if ((this.#rows - 1) % this.#step !== 0) return
    if (this.#kept === maxValues) this.#halve()
    if (this.#kept === this.#values.length) {
      const wider = new Float64Array(this.#values.length * 2)
      wider.set(this.#values)
      this.#values = wider
    }
    this.#values[this.#kept] = value
    this.#kept += 1
  }

  #halve(): void {
    for (let at = 0; at * 2 < this.#kept; at += 1) this.#values[at] = this.#values[at * 2] ?? 0
    this.#kept = Math.ceil(this.#kept / 2)
    this.#step *= 2
  }

  finish(): ValueSummary {
    const known = { rows: this.#rows, empty: this.#empty, isSampled: this.#step > 1 || this.#isFull }
    if (this.#method === 'categories') return { ...known, ...this.#frequent() }
    if (this.#kept === 0) return { ...known, bounds: [] }
    return { ...known, min: this.#min, bounds: this.#bounds(this.#method), histogram: this.#histogram() }
  }

  #histogram(): number[] {
    const counts = new Array<number>(histogramParts).fill(0)
    const width = this.#max - this.#min
    for (let at = 0; at < this.#kept; at += 1) {
      const share =
        width === 0 || width === Number.POSITIVE_INFINITY ? 0 : ((this.#values[at] ?? 0) - this.#min) / width
      const part = Math.min(histogramParts - 1, Math.floor(share * histogramParts))
      counts[part] = (counts[part] ?? 0) + 1
    }
    return counts
  }

  /** Returns the bounds of the classes. The minimum and the maximum are those of all values. */
  #bounds(method: BreakMethod): number[] {
    const sorted = this.#values.slice(0, this.#kept).sort()
    sorted[0] = this.#min
    sorted[sorted.length - 1] = this.#max
    return classBounds(sorted, method, this.#classes)
  }

  #frequent() {
    const all = [...this.#counts].sort(
      ([one, first], [other, second]) => second - first || (String(one) < String(other) ? -1 : 1),
    )
    const categories = all.slice(0, this.#classes).map(([value, count]) => ({ value, count }))
    return { categories, hasOthers: all.length > categories.length || this.#isFull }
  }
}
