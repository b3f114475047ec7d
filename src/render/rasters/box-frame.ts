import type { CrsDeclaration } from '../../geo/crs.ts'
import { findCrs } from '../../geo/crs-database.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import type { MapFrame } from './map-frame.ts'
import { mapFrame, mercatorOfDegrees } from './map-frame.ts'
import { mercatorHalf } from './tiff/tiff-pyramid.ts'

/** Number of sampled points along each side of a box. */
const steps = 24
/** Latitude limit of Web Mercator in degrees. */
const highest = 85.0511287798066

/** Returns the envelope of a reprojected box; undefined if no part of it can be reprojected. */
export async function boxInCrs(
  box: Envelope,
  from: CrsDeclaration | string,
  to: string,
): Promise<Envelope | undefined> {
  if (from === to) return box
  if (from === 'EPSG:4326' && to === 'EPSG:3857') return mercatorOf(box)
  const reprojector = await createReprojector(from, to)
  try {
    return await reprojectEnvelope(reprojector, box)
  } finally {
    await reprojector.close()
  }
}

/** Converts a box in degrees to Web Mercator; longitudes may be beyond the antimeridian. */
function mercatorOf({ minX, minY, maxX, maxY }: Envelope): Envelope {
  const lowest = mercatorOfDegrees(minX, Math.max(-89.99, minY))
  const uppermost = mercatorOfDegrees(maxX, Math.min(89.99, maxY))
  return { minX: lowest[0], minY: lowest[1], maxX: uppermost[0], maxY: uppermost[1] }
}

/** Returns the frame of an image in any CRS; undefined if no part of it can be projected to Web Mercator. */
export async function frameOfBox(
  picture: Pick<MapFrame, 'srs' | 'box' | 'width' | 'height'>,
  maxZoom: number,
): Promise<MapFrame | undefined> {
  const { srs, box } = picture
  const isPlain = srs === 'EPSG:3857' || srs === 'EPSG:4326'
  const mercator = isPlain ? await boxInCrs(box, srs, 'EPSG:3857') : await mercatorAround(srs, box)
  if (mercator === undefined || mercator.maxX <= mercator.minX) return undefined
  return mapFrame(picture, mercator, maxZoom)
}

/** Continues beyond the edge of the world if the box is on both sides of the antimeridian. */
async function mercatorAround(srs: string, whole: Envelope): Promise<Envelope | undefined> {
  const box = findCrs(srs)?.kind === 'geographic' ? betweenPoles(whole) : whole
  const points = new Float64Array((steps + 1) ** 2 * 3)
  for (let at = 0; at < points.length / 3; at += 1) {
    points[at * 3] = box.minX + ((box.maxX - box.minX) * Math.floor(at / (steps + 1))) / steps
    points[at * 3 + 1] = box.minY + ((box.maxY - box.minY) * (at % (steps + 1))) / steps
  }
  const reprojector = await createReprojector(srs, 'EPSG:3857')
  try {
    await reprojector.transform(points)
  } finally {
    await reprojector.close()
  }
  return aroundMiddle(points)
}

/** Returns the part of a box in degrees that Web Mercator can show. */
function betweenPoles(box: Envelope): Envelope {
  return { ...box, minY: Math.max(-highest, box.minY), maxY: Math.min(highest, box.maxY) }
}

/** Returns the envelope of Web Mercator points, each less than half the world away from the middle one. */
function aroundMiddle(points: Float64Array): Envelope | undefined {
  const middle = points[Math.floor(points.length / 6) * 3] ?? Number.NaN
  const image = emptyEnvelope()
  for (let at = 0; at < points.length; at += 3) {
    const [x = Number.NaN, y = Number.NaN] = points.subarray(at, at + 2)
    if (!(Number.isFinite(x) && Number.isFinite(y))) continue
    const turns = Number.isFinite(middle) ? Math.round((middle - x) / (2 * mercatorHalf)) : 0
    const near = x + turns * 2 * mercatorHalf
    image.minX = Math.min(image.minX, near)
    image.maxX = Math.max(image.maxX, near)
    image.minY = Math.min(image.minY, y)
    image.maxY = Math.max(image.maxY, y)
  }
  return isEmptyEnvelope(image) ? undefined : image
}
