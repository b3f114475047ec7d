import type { Places } from './places.ts'

/** Places along the curve on which the cells of every size are runs of neighbours. */
export interface QuadOrder {
  /** Rows in the order of the curve; those without a place are left out. */
  readonly rows: Uint32Array
  /** How many halvings a place has in common with the one before it, counted from four worlds' width; at most 32. */
  readonly shared: Uint8Array
}

/** Rows with what they are sorted by: the upper and the lower half of 64 bits. */
interface Keys {
  rows: Uint32Array
  high: Uint32Array
  low: Uint32Array
}

const digitBits = 11
const digits = 2 ** digitBits
const digitMask = digits - 1
const shifts = [0, digitBits, 2 * digitBits]

export function quadOrder(places: Places): QuadOrder {
  let keys = keysOf(places)
  let spare = emptyKeys(keys.rows.length)
  for (const half of ['low', 'high'] as const) {
    for (const shift of shifts) {
      const starts = startsOf(keys[half], shift)
      if (starts === undefined) continue
      distribute(keys, half === 'low' ? keys.low : keys.high, { shift, starts, to: spare })
      ;[keys, spare] = [spare, keys]
    }
  }
  return { rows: keys.rows, shared: sharedHalvings(keys) }
}

function emptyKeys(count: number): Keys {
  return { rows: new Uint32Array(count), high: new Uint32Array(count), low: new Uint32Array(count) }
}

function keysOf({ count, x, y, size }: Places): Keys {
  const { rows, high, low } = emptyKeys(count)
  let placed = 0
  for (let row = 0; row < count; row += 1) {
    if (Number.isNaN(size[row] as number)) continue
    const right = x[row] as number
    const down = y[row] as number
    rows[placed] = row
    high[placed] = interleaved(right >>> 16, down >>> 16)
    low[placed] = interleaved(right & 0xffff, down & 0xffff)
    placed += 1
  }
  return { rows: rows.subarray(0, placed), high: high.subarray(0, placed), low: low.subarray(0, placed) }
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

/** Where each digit's rows start; undefined where all rows have the same digit. */
function startsOf(keys: Uint32Array, shift: number): Uint32Array | undefined {
  const starts = new Uint32Array(digits + 1)
  for (const key of keys) {
    const slot = ((key >>> shift) & digitMask) + 1
    starts[slot] = (starts[slot] as number) + 1
  }
  if (starts.includes(keys.length)) return undefined
  for (let slot = 1; slot <= digits; slot += 1) {
    starts[slot] = (starts[slot] as number) + (starts[slot - 1] as number)
  }
  return starts
}

/** One step of a radix sort; it keeps the order of equal digits. */
function distribute(
  { rows, high, low }: Keys,
  sorted: Uint32Array,
  { shift, starts, to }: { shift: number; starts: Uint32Array; to: Keys },
): void {
  for (let from = 0; from < rows.length; from += 1) {
    const digit = ((sorted[from] as number) >>> shift) & digitMask
    const at = starts[digit] as number
    starts[digit] = at + 1
    to.rows[at] = rows[from] as number
    to.high[at] = high[from] as number
    to.low[at] = low[from] as number
  }
}

function sharedHalvings({ rows, high, low }: Keys): Uint8Array {
  const shared = new Uint8Array(rows.length)
  for (let at = 1; at < rows.length; at += 1) {
    const upper = Math.clz32((high[at] as number) ^ (high[at - 1] as number)) >> 1
    shared[at] = upper < 16 ? upper : 16 + (Math.clz32((low[at] as number) ^ (low[at - 1] as number)) >> 1)
  }
  return shared
}
