import { isDriven } from './driven.ts'
import type { Value } from './model.ts'

/** Scale denominator of MapLibre's zoom level 0 (512 pixel tiles) by OGC's pixel of 0.28 mm. */
const scaleOfZoom0 = 279_541_132.014_358_9

/** Metres of a pixel at a scale of 1:1. */
export const metresOfPixel = 0.000_28

/** Returns MapLibre's zoom at a scale denominator, rounded to a hundredth. */
export function zoomOfScale(denominator: number): number {
  return Math.round(Math.log2(scaleOfZoom0 / denominator) * 100) / 100
}

/** Returns MapLibre's zoom at a scale denominator, without rounding. */
export function exactZoomOfScale(denominator: number): number {
  return Math.log2(scaleOfZoom0 / denominator)
}

/** Returns the scale denominator of a MapLibre zoom, to seven digits. */
export function scaleOfZoom(zoom: number): number {
  return Number((scaleOfZoom0 / 2 ** zoom).toPrecision(7))
}

/** Zooms between which a ground length is expressed, by its pixels at both: it doubles with each zoom. */
const [first, last] = [0, 24]

const pixelsOfMetre = 1 / (scaleOfZoom(first) * metresOfPixel)

/**
 * Returns an expression by zoom for a length in metres on the ground. `expression` returns the value for a
 * factor.
 */
export function groundExpression(expression: (factor: number) => unknown): unknown[] {
  const ends = [first, expression(pixelsOfMetre), last, expression(pixelsOfMetre * 2 ** (last - first))]
  return ['interpolate', ['exponential', 2], ['zoom'], ...ends]
}

/** Returns the metres of an expression of that form; undefined for others. */
export function groundMetres(value: Value<number>): number | undefined {
  if (!isDriven(value) || value.by !== 'interpolation' || value.input !== 'zoom' || value.base !== 2)
    return undefined
  const [low, high, ...more] = value.stops
  if (low?.at !== first || high?.at !== last || more.length > 0) return undefined
  // A length of 0 is 0 on the ground, too, such as the radius of a circle that is only an outline.
  if (low.value === 0 && high.value === 0) return 0
  const isGround = Math.abs(high.value / (low.value * 2 ** (last - first)) - 1) < 1e-9
  return isGround ? Number((low.value / pixelsOfMetre).toPrecision(9)) : undefined
}
