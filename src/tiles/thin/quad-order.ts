import type { Places } from './places.ts'

/** Places along the curve on which the cells of every size are runs of neighbours. */
export interface QuadOrder {
  /** Rows in the order of the curve; those without a place are left out. */
  readonly rows: Uint32Array
  /** How many halvings a place has in common with the one before it, counted from four worlds' width; at most 32. */
  readonly shared: Uint8Array
}

const digitBits = 16
const digits = 2 ** digitBits

export function quadOrder({ count, x, y, size }: Places): QuadOrder {
  let rows: Uint32Array<ArrayBuffer> = new Uint32Array(count)
  const high = new Uint32Array(count)
  const low = new Uint32Array(count)
  let placed = 0
  for (let row = 0; row < count; row += 1) {
    if (Number.isNaN(size[row] as number)) continue
    rows[placed] = row
    placed += 1
    const right = x[row] as number
    const down = y[row] as number
    high[row] = interleaved(right >>> 16, down >>> 16)
    low[row] = interleaved(right & 0xffff, down & 0xffff)
  }
  rows = rows.slice(0, placed)
  for (const keys of [low, high]) for (const shift of [0, digitBits]) rows = sortedBy(rows, keys, shift)
  return { rows, shared: sharedHalvings(rows, high, low) }
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

/** One step of a radix sort; it keeps the order of equal digits. */
function sortedBy(
  rows: Uint32Array<ArrayBuffer>,
  keys: Uint32Array,
  shift: number,
): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(digits + 1)
  for (const row of rows) {
    const slot = (((keys[row] as number) >>> shift) & (digits - 1)) + 1
    starts[slot] = (starts[slot] as number) + 1
  }
  for (let slot = 1; slot <= digits; slot += 1) {
    starts[slot] = (starts[slot] as number) + (starts[slot - 1] as number)
  }
  const sorted = new Uint32Array(rows.length)
  for (const row of rows) {
    const digit = ((keys[row] as number) >>> shift) & (digits - 1)
    const at = starts[digit] as number
    starts[digit] = at + 1
    sorted[at] = row
  }
  return sorted
}

function sharedHalvings(rows: Uint32Array, high: Uint32Array, low: Uint32Array): Uint8Array {
  const shared = new Uint8Array(rows.length)
  for (let at = 1; at < rows.length; at += 1) {
    const row = rows[at] as number
    const last = rows[at - 1] as number
    const upper = Math.clz32((high[row] as number) ^ (high[last] as number)) >> 1
    shared[at] = upper < 16 ? upper : 16 + (Math.clz32((low[row] as number) ^ (low[last] as number)) >> 1)
  }
  return shared
}
