/** Scale denominator of MapLibre's zoom level 0 (512 pixel tiles) by OGC's pixel of 0.28 mm. */
const scaleOfZoom0 = 279_541_132.014_358_9

/** Metres of a pixel at a scale of 1:1. */
export const metresOfPixel = 0.000_28

/** MapLibre's zoom at a scale denominator, to a hundredth. */
export function zoomOfScale(denominator: number): number {
  return Math.round(Math.log2(scaleOfZoom0 / denominator) * 100) / 100
}

/** MapLibre's zoom at a scale denominator, as exact as numbers are. */
export function exactZoomOfScale(denominator: number): number {
  return Math.log2(scaleOfZoom0 / denominator)
}

/** Returns the scale denominator of a MapLibre zoom, to seven digits. */
export function scaleOfZoom(zoom: number): number {
  return Number((scaleOfZoom0 / 2 ** zoom).toPrecision(7))
}
