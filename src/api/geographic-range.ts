import type { LayerDetails } from '../catalog/index.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Reprojector } from '../geo/crs-projector.ts'
import { createReprojector } from '../geo/crs-reproject.ts'
import type { Envelope } from '../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../geo/envelope.ts'

/** Sample points on each edge of the grid. */
const steps = 24

/** Properties that determine the location of a layer. */
export interface RangedLayer {
  details: Pick<LayerDetails, 'envelope' | 'srs' | 'crs'>
}

/**
 * Returns the extent of a layer in longitude and latitude; undefined if it is unknown. Across the
 * antimeridian the extent continues beyond 180 degrees; around a pole it is the full circle, and reaches the
 * pole.
 */
export async function geographicRange({ details }: RangedLayer): Promise<Envelope | undefined> {
  const { envelope, srs, crs } = details
  const from = srs ?? crs
  if (envelope === undefined || isEmptyEnvelope(envelope) || from === undefined) return undefined
  const reprojector = await createReprojector(from, 'EPSG:4326').catch(() => undefined)
  try {
    if (reprojector === undefined || reprojector.isIdentity) return reprojector && envelope
    const range = rangeOf(await imagesOf(reprojector, envelope))
    return isEmptyEnvelope(range) ? undefined : withPoles(range, await polesIn(from, envelope))
  } finally {
    await reprojector?.close()
  }
}

/** A grid over the envelope, row by row; x, y and height of each point. */
async function imagesOf(
  reprojector: Reprojector,
  { minX, minY, maxX, maxY }: Envelope,
): Promise<Float64Array> {
  const points = new Float64Array((steps + 1) ** 2 * 3)
  for (let row = 0; row <= steps; row += 1)
    for (let column = 0; column <= steps; column += 1)
      points.set(
        [minX + ((maxX - minX) * column) / steps, minY + ((maxY - minY) * row) / steps],
        (row * (steps + 1) + column) * 3,
      )
  await reprojector.transform(points)
  return points
}

/** Neighbours more than half way round apart have the antimeridian between them. */
function rangeOf(points: Float64Array): Envelope {
  const range = emptyEnvelope()
  const shifted = emptyEnvelope()
  let isAcross = false
  for (let at = 0; at < points.length; at += 3) {
    const [x, y] = [points[at] ?? Number.NaN, points[at + 1] ?? Number.NaN]
    if (!(Number.isFinite(x) && Number.isFinite(y))) continue
    const left = at % ((steps + 1) * 3) === 0 ? Number.NaN : (points[at - 3] ?? Number.NaN)
    const below = points[at - (steps + 1) * 3] ?? Number.NaN
    isAcross ||= Math.abs(x - left) > 180 || Math.abs(x - below) > 180
    widen(range, x, y)
    widen(shifted, x < 0 ? x + 360 : x, y)
  }
  return isAcross ? shifted : range
}

function widen(range: Envelope, x: number, y: number): void {
  range.minX = Math.min(range.minX, x)
  range.minY = Math.min(range.minY, y)
  range.maxX = Math.max(range.maxX, x)
  range.maxY = Math.max(range.maxY, y)
}

/** Latitudes of the poles that have an image in the envelope. */
async function polesIn(
  crs: CrsDeclaration | string,
  { minX, minY, maxX, maxY }: Envelope,
): Promise<number[]> {
  const reprojector = await createReprojector('EPSG:4326', crs).catch(() => undefined)
  try {
    const points = Float64Array.of(0, 90, 0, 0, -90, 0)
    await reprojector?.transform(points)
    const isIn = (at: number): boolean => {
      const [x, y] = [points[at] ?? Number.NaN, points[at + 1] ?? Number.NaN]
      return reprojector !== undefined && x >= minX && x <= maxX && y >= minY && y <= maxY
    }
    return [...(isIn(0) ? [90] : []), ...(isIn(3) ? [-90] : [])]
  } finally {
    await reprojector?.close()
  }
}

function withPoles(range: Envelope, poles: readonly number[]): Envelope {
  if (poles.length === 0) return range
  return { minX: -180, maxX: 180, minY: Math.min(range.minY, ...poles), maxY: Math.max(range.maxY, ...poles) }
}
