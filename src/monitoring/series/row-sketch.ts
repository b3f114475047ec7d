import { hasQuantiles, idsWhere } from '../metrics/metrics.ts'
import { OtherSketch } from './other-sketch.ts'
import { QuantileSketch } from './quantile-sketch.ts'

/** Sketch of a row of a metric with quantiles, or of `(other)`. */
export type RowSketch = QuantileSketch | OtherSketch

const withQuantiles = idsWhere(hasQuantiles)

export function decodeSketch(metricId: number, bytes: Uint8Array): RowSketch {
  return withQuantiles.has(metricId) ? QuantileSketch.decode(bytes) : OtherSketch.decode(bytes)
}

/** Merges another sketch of the same metric. */
export function mergeSketch(sketch: RowSketch, other: RowSketch): void {
  if (sketch instanceof QuantileSketch && other instanceof QuantileSketch) sketch.merge(other)
  if (sketch instanceof OtherSketch && other instanceof OtherSketch) sketch.merge(other)
}
