import type { FeaturePositions } from './feature-positions.ts'

/** Rows along a space-filling curve, on which the rows of a cell of any size are adjacent. */
export interface QuadOrder {
  /** Rows in the order of the curve, without rows that have no position. */
  readonly rows: Uint32Array
  /**
   * Number of halvings that a position has in common with the previous one, starting from four world widths;
   * at most 32.
   */
  readonly shared: Uint8Array
}

/** Rows with their sort keys. */
interface Keyed {
  rows: Uint32Array
  keys: Uint32Array
}

const keyBits = 32
const digitBits = 11
const digits = 2 ** digitBits
const digitMask = digits - 1
/** Average maximum number of comparisons per row for sorting runs individually. */
const maxCompared = 24

/**
 * Sorts by the upper half of the curve position first; runs with equal upper halves, which are short for
 * features spread over the world, by the lower half.
 */
export function quadOrder(positions: FeaturePositions): QuadOrder {
  const { rows: found, keys: high } = sortedByKeys(upperKeys(positions))
  const { rows, keys: low } = sortedRuns(high, { rows: found, keys: lowerKeys(positions, found) })
  return { rows, shared: sharedHalvings(high, low) }
}

function upperKeys({ count, x, y, size }: FeaturePositions): Keyed {
  const rows = new Uint32Array(count)
  const keys = new Uint32Array(count)
  let placed = 0
  for (let row = 0; row < count; row += 1) {
    if (Number.isNaN(size[row] as number)) continue
    rows[placed] = row
    keys[placed] = interleaved((x[row] as number) >>> 16, (y[row] as number) >>> 16)
    placed += 1
  }
  return { rows: rows.subarray(0, placed), keys: keys.subarray(0, placed) }
}

function lowerKeys({ x, y }: FeaturePositions, rows: Uint32Array): Uint32Array {
  const keys = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number
    keys[at] = interleaved((x[row] as number) & 0xffff, (y[row] as number) & 0xffff)
  }
  return keys
}

/** Interleaves the bits of both numbers, those of `down` above those of `right`. */
export function interleaved(right: number, down: number): number {
  return (spread(right) | (spread(down) << 1)) >>> 0
}

/** Inserts a zero between any two of 16 bits. */
function spread(bits: number): number {
  let wide = (bits | (bits << 8)) & 0x00ff00ff
  wide = (wide | (wide << 4)) & 0x0f0f0f0f
  wide = (wide | (wide << 2)) & 0x33333333
  return (wide | (wide << 1)) & 0x55555555
}

/** A stable radix sort. */
function sortedByKeys(keyed: Keyed): Keyed {
  const count = keyed.rows.length
  let from = keyed
  let to: Keyed = { rows: new Uint32Array(count), keys: new Uint32Array(count) }
  for (let shift = 0; shift < keyBits; shift += digitBits) {
    const starts = startsOf(from.keys, shift)
    if (starts === undefined) continue
    distribute(from, { shift, starts, to })
    ;[from, to] = [to, from]
  }
  return from
}

/** Start index of each digit's rows; undefined if all rows have the same digit. */
function startsOf(keys: Uint32Array, shift: number): Uint32Array | undefined {
  const starts = new Uint32Array(digits + 1)
  for (let at = 0; at < keys.length; at += 1) {
    const slot = (((keys[at] as number) >>> shift) & digitMask) + 1
    starts[slot] = (starts[slot] as number) + 1
  }
  if (starts.includes(keys.length)) return undefined
  for (let slot = 1; slot <= digits; slot += 1) {
    starts[slot] = (starts[slot] as number) + (starts[slot - 1] as number)
  }
  return starts
}

function distribute(
  { rows, keys }: Keyed,
  { shift, starts, to }: { shift: number; starts: Uint32Array; to: Keyed },
): void {
  const { rows: toRows, keys: toKeys } = to
  for (let from = 0; from < rows.length; from += 1) {
    const key = keys[from] as number
    const digit = (key >>> shift) & digitMask
    const at = starts[digit] as number
    starts[digit] = at + 1
    toRows[at] = rows[from] as number
    toKeys[at] = key
  }
}

/** Sorts the rows of each run with the same number in `high` by key. */
function sortedRuns(high: Uint32Array, keyed: Keyed): Keyed {
  const starts = runsOf(high)
  let compared = 0
  for (let run = 1; run < starts.length; run += 1) {
    const length = (starts[run] as number) - (starts[run - 1] as number)
    compared += length * length
  }
  if (compared > high.length * maxCompared) return sortedLongRuns(starts, keyed)
  for (let run = 1; run < starts.length; run += 1)
    insert(keyed, starts[run - 1] as number, starts[run] as number)
  return keyed
}

/** Start index of each run, and the end of the last one. */
function runsOf(high: Uint32Array): Uint32Array {
  const starts = new Uint32Array(high.length + 1)
  let runs = 0
  for (let at = 0; at < high.length; at += 1)
    if (at === 0 || high[at] !== high[at - 1]) {
      starts[runs] = at
      runs += 1
    }
  starts[runs] = high.length
  return starts.subarray(0, runs + 1)
}

/** Sorts all by key, and then moves each to the next position of its run. */
function sortedLongRuns(starts: Uint32Array, { rows, keys }: Keyed): Keyed {
  const runOf = new Uint32Array(rows.length)
  for (let run = 1; run < starts.length; run += 1)
    runOf.fill(run - 1, starts[run - 1] as number, starts[run] as number)
  const order = sortedByKeys({ rows: ascending(rows.length), keys: keys.slice() })
  const next = starts.slice()
  const sorted = { rows: new Uint32Array(rows.length), keys: new Uint32Array(rows.length) }
  for (let from = 0; from < rows.length; from += 1) {
    const position = order.rows[from] as number
    const run = runOf[position] as number
    const at = next[run] as number
    next[run] = at + 1
    sorted.rows[at] = rows[position] as number
    sorted.keys[at] = order.keys[from] as number
  }
  return sorted
}

function ascending(count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let at = 0; at < count; at += 1) numbers[at] = at
  return numbers
}

/** An insertion sort. */
function insert({ rows, keys }: Keyed, start: number, end: number): void {
  for (let next = start + 1; next < end; next += 1) {
    const key = keys[next] as number
    const row = rows[next] as number
    let at = next
    for (; at > start && (keys[at - 1] as number) > key; at -= 1) {
      keys[at] = keys[at - 1] as number
      rows[at] = rows[at - 1] as number
    }
    keys[at] = key
    rows[at] = row
  }
}

function sharedHalvings(high: Uint32Array, low: Uint32Array): Uint8Array {
  const shared = new Uint8Array(high.length)
  for (let at = 1; at < high.length; at += 1) {
    const upper = Math.clz32((high[at] as number) ^ (high[at - 1] as number)) >> 1
    shared[at] = upper < 16 ? upper : 16 + (Math.clz32((low[at] as number) ^ (low[at - 1] as number)) >> 1)
  }
  return shared
}
