import type { Places } from './places.ts'

/** Places along the curve on which the cells of every size are runs of neighbours. */
export interface QuadOrder {
  /** Rows in the order of the curve; those without a place are left out. */
  readonly rows: Uint32Array
  /** How many halvings a place has in common with the one before it, counted from four worlds' width; at most 32. */
  readonly shared: Uint8Array
}

/** Rows with the numbers that they are sorted by. */
interface Keyed {
  rows: Uint32Array
  keys: Uint32Array
}

const keyBits = 32
/** Of many rows, and of few, for which a long list of digits would cost more than the rows. */
const manyDigitBits = 11
const fewDigitBits = 8
const manyRows = 4096
/** Runs that are sorted one by one. */
const shortRun = 24

/**
 * By the upper half of the curve first; runs that have it in common, which are short where features are spread over the world, by
 * the lower half.
 */
export function quadOrder(places: Places): QuadOrder {
  const { rows, keys: high } = sortedByKeys(upperKeys(places))
  const low = lowerKeys(places, rows)
  sortRuns(high, { rows, keys: low })
  return { rows, shared: sharedHalvings(high, low) }
}

function upperKeys({ count, x, y, size }: Places): Keyed {
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

function lowerKeys({ x, y }: Places, rows: Uint32Array): Uint32Array {
  const keys = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number
    keys[at] = interleaved((x[row] as number) & 0xffff, (y[row] as number) & 0xffff)
  }
  return keys
}

/** Bits of both by turns, those of `down` above those of `right`. */
function interleaved(right: number, down: number): number {
  return (spread(right) | (spread(down) << 1)) >>> 0
}

/** A zero between any two of 16 bits. */
function spread(bits: number): number {
  let wide = (bits | (bits << 8)) & 0x00ff00ff
  wide = (wide | (wide << 4)) & 0x0f0f0f0f
  wide = (wide | (wide << 2)) & 0x33333333
  return (wide | (wide << 1)) & 0x55555555
}

/** A radix sort, which keeps the order of equal keys. */
function sortedByKeys(keyed: Keyed): Keyed {
  const count = keyed.rows.length
  const digitBits = count < manyRows ? fewDigitBits : manyDigitBits
  let from = keyed
  let to: Keyed = { rows: new Uint32Array(count), keys: new Uint32Array(count) }
  for (let shift = 0; shift < keyBits; shift += digitBits) {
    const starts = startsOf(from.keys, shift, digitBits)
    if (starts === undefined) continue
    distribute(from, { shift, starts, to })
    ;[from, to] = [to, from]
  }
  return from
}

/** Where each digit's rows start; undefined where all rows have the same digit. */
function startsOf(keys: Uint32Array, shift: number, digitBits: number): Uint32Array | undefined {
  const digits = 2 ** digitBits
  const mask = digits - 1
  const starts = new Uint32Array(digits + 1)
  for (let at = 0; at < keys.length; at += 1) {
    const slot = (((keys[at] as number) >>> shift) & mask) + 1
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
  const mask = starts.length - 2
  const { rows: toRows, keys: toKeys } = to
  for (let from = 0; from < rows.length; from += 1) {
    const key = keys[from] as number
    const digit = (key >>> shift) & mask
    const at = starts[digit] as number
    starts[digit] = at + 1
    toRows[at] = rows[from] as number
    toKeys[at] = key
  }
}

/** Sorts those by their keys that have the same number in `high`. */
function sortRuns(high: Uint32Array, { rows, keys }: Keyed): void {
  let start = 0
  for (let at = 1; at <= high.length; at += 1) {
    if (at < high.length && high[at] === high[start]) continue
    if (at - start > shortRun) {
      const sorted = sortedByKeys({ rows: rows.slice(start, at), keys: keys.slice(start, at) })
      rows.set(sorted.rows, start)
      keys.set(sorted.keys, start)
    } else if (at - start > 1) insert(rows, keys, start, at)
    start = at
  }
}

/** An insertion sort. */
function insert(rows: Uint32Array, keys: Uint32Array, start: number, end: number): void {
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
