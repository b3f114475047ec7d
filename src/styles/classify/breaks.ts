/** Classification methods. */
export const breakMethods = ['quantile', 'equal', 'natural'] as const
export type BreakMethod = (typeof breakMethods)[number]

/**
 * Returns the upper bound of each class, ascending, the last one the maximum; fewer than requested if values
 * are equal. Values are finite, sorted and at least one. Returns 0 instead of -0.
 */
export function classBounds(sorted: Float64Array, method: BreakMethod, classes: number): number[] {
  const bounds =
    method === 'equal'
      ? equalBounds(sorted, classes)
      : method === 'quantile'
        ? quantileBounds(sorted, classes)
        : naturalBounds(sorted, classes)
  return [...new Set(bounds)]
}

/** Returns bounds as `percentile_disc` of SQL: the first value whose cumulative share is large enough. */
function quantileBounds(sorted: Float64Array, classes: number): number[] {
  return Array.from({ length: classes }, (_, index) => {
    const rank = Math.ceil(((index + 1) * sorted.length) / classes)
    return sorted[Math.max(0, rank - 1)] ?? 0
  })
}

function equalBounds(sorted: Float64Array, classes: number): number[] {
  const [min, max] = [sorted[0] ?? 0, sorted.at(-1) ?? 0]
  return Array.from({ length: classes }, (_, index) =>
    index === classes - 1 ? max : min + ((max - min) * (index + 1)) / classes,
  )
}

/** Maximum number of distinct values for natural breaks; more values are thinned evenly. */
const maxDistinct = 20_000

interface Distinct {
  values: Float64Array
  /** Prefix sums of counts, values and squares over the first n values. */
  counts: Float64Array
  sums: Float64Array
  squares: Float64Array
}

/**
 * The classes whose values differ least from their means (Jenks, by Fisher's exact method). The best last class begins the
 * later, the more values there are, so that each row of the table is filled by halves.
 */
function naturalBounds(sorted: Float64Array, classes: number): number[] {
  const distinct = distinctOf(sorted)
  const count = distinct.values.length
  const requested = Math.min(classes, count)
  let costs = Float64Array.from({ length: count }, (_, last) => spread(distinct, 0, last))
  const starts: Int32Array[] = [new Int32Array(count)]
  for (let done = 1; done < requested; done += 1) {
    const next = nextRow(distinct, costs, done)
    costs = next.costs
    starts.push(next.starts)
  }
  const bounds: number[] = []
  for (let row = requested - 1, last = count - 1; row >= 0; row -= 1) {
    bounds.push(distinct.values[last] ?? 0)
    last = (starts[row]?.[last] ?? 0) - 1
  }
  return bounds.reverse()
}

function distinctOf(sorted: Float64Array): Distinct {
  const step = Math.max(1, Math.ceil(new Set(sorted).size / maxDistinct))
  const values: number[] = []
  const counts: number[] = []
  let seen = -1
  let before: number | undefined
  for (const value of sorted) {
    if (value !== before) seen += 1
    before = value
    const place = Math.floor(seen / step)
    values[place] = value
    counts[place] = (counts[place] ?? 0) + 1
  }
  const shift = values[Math.floor(values.length / 2)] ?? 0
  return { values: Float64Array.from(values), ...sumsOf(values, counts, shift) }
}

/**
 * Returns prefix sums of values shifted towards 0, so that squares of large values do not lose the
 * differences.
 */
function sumsOf(values: number[], counts: number[], shift: number) {
  const length = values.length + 1
  const all = {
    counts: new Float64Array(length),
    sums: new Float64Array(length),
    squares: new Float64Array(length),
  }
  for (const [index, value] of values.entries()) {
    const [count, near] = [counts[index] ?? 0, value - shift]
    all.counts[index + 1] = (all.counts[index] ?? 0) + count
    all.sums[index + 1] = (all.sums[index] ?? 0) + count * near
    all.squares[index + 1] = (all.squares[index] ?? 0) + count * near * near
  }
  return all
}

/** Returns the sum of squared differences from the mean, for the values from `first` to `last`. */
function spread({ counts, sums, squares }: Distinct, first: number, last: number): number {
  const count = (counts[last + 1] ?? 0) - (counts[first] ?? 0)
  const sum = (sums[last + 1] ?? 0) - (sums[first] ?? 0)
  return Math.max(0, (squares[last + 1] ?? 0) - (squares[first] ?? 0) - (sum * sum) / count)
}

/** Returns the costs with one more class, and the start of the last class. */
function nextRow(distinct: Distinct, before: Float64Array, done: number) {
  const count = before.length
  const costs = new Float64Array(count)
  const starts = new Int32Array(count)
  const waiting = [{ low: done, high: count - 1, from: done, to: count - 1 }]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const { low, high, from, to } = part
    if (low > high) continue
    const middle = (low + high) >> 1
    let [best, least] = [from, Number.POSITIVE_INFINITY]
    for (let start = from; start <= Math.min(middle, to); start += 1) {
      const cost = (before[start - 1] ?? 0) + spread(distinct, start, middle)
      if (cost < least) [best, least] = [start, cost]
    }
    costs[middle] = least
    starts[middle] = best
    waiting.push({ low, high: middle - 1, from, to: best }, { low: middle + 1, high, from: best, to })
  }
  return { costs, starts }
}
