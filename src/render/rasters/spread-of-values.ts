import type { ContrastStretch } from '../../styles/index.ts'

/** Distribution of the values of a band. Plain data. */
export interface Spread extends ContrastStretch {
  /** Quantiles from the minimum to the maximum, with equally many values between adjacent ones. */
  quantiles: number[]
}

const quantileParts = 256
/** Share of values that is ignored at either end. */
const outside = 0.02

/** Returns the range of values without the lowest and highest 2 %; undefined without values. */
export function spreadOf(values: number[]): Spread | undefined {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort()
  const last = sorted.length - 1
  if (last < 0) return undefined
  const at = (share: number): number => sorted[Math.round(share * last)] ?? 0
  const quantiles = Array.from({ length: quantileParts + 1 }, (_, part) => at(part / quantileParts))
  return { min: at(outside), max: at(1 - outside), quantiles }
}

/** Summary of some cells of a band. Plain data. */
export interface BandSummary {
  min: number
  max: number
  /** Range without the lowest and highest 2 %. */
  spread: Spread
  /** Number of values in each of equally wide parts between the minimum and the maximum. */
  histogram: number[]
  /** All distinct values, if they are few integers. */
  values?: number[]
}

const parts = 64
/** Maximum number of listed values. */
const maxValues = 64

/** Summarizes values; undefined if there are none. */
export function rasterSummary(values: readonly number[]): BandSummary | undefined {
  const finite = values.filter(Number.isFinite)
  const spread = spreadOf(finite)
  if (spread === undefined) return undefined
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const distinct = new Set<number>()
  for (const value of finite) {
    if (value < min) min = value
    if (value > max) max = value
    if (distinct.size <= maxValues) distinct.add(value)
  }
  const histogram = new Array<number>(parts).fill(0)
  // Computes with halves, since the range of very large values would overflow.
  const half = max / 2 - min / 2
  for (const value of finite) {
    const share = half > 0 ? (value / 2 - min / 2) / half : 0
    const part = Math.min(parts - 1, Math.floor(share * parts))
    histogram[part] = (histogram[part] ?? 0) + 1
  }
  const isFew = distinct.size <= maxValues && [...distinct].every(Number.isInteger)
  const listed = isFew ? { values: [...distinct].sort((one, other) => one - other) } : {}
  return { min, max, spread, histogram, ...listed }
}
