import type { Stretch } from '../../cartography/model.ts'

/** Share of the values that are left out at either end. */
const outside = 0.02

/** Where all values but the 2 % at either end lie; undefined for none. */
export function spreadOf(values: number[]): Stretch | undefined {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort()
  const last = sorted.length - 1
  if (last < 0) return undefined
  const at = (share: number): number => sorted[Math.round(share * last)] ?? 0
  return { min: at(outside), max: at(1 - outside) }
}
