import type { Envelope } from './envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from './envelope.ts'
import type { Reprojector } from './reprojector.ts'

/** Points on each edge: curved images of straight edges are met well enough for a filter or an extent. */
const steps = 24

function gridPoints(envelope: Envelope): Float64Array {
  const coordinates = new Float64Array((steps + 1) ** 2 * 3)
  let at = 0
  for (let i = 0; i <= steps; i += 1) {
    for (let j = 0; j <= steps; j += 1) {
      coordinates[at] = envelope.minX + ((envelope.maxX - envelope.minX) * i) / steps
      coordinates[at + 1] = envelope.minY + ((envelope.maxY - envelope.minY) * j) / steps
      at += 3
    }
  }
  return coordinates
}

/** The envelope around the image of an envelope; undefined where no point of it has a place in the target CRS. */
export async function reprojectEnvelope(
  reprojector: Reprojector,
  envelope: Envelope,
): Promise<Envelope | undefined> {
  if (reprojector.isIdentity) return envelope
  const coordinates = gridPoints(envelope)
  const place = { x: 0, y: 0 }
  const image = emptyEnvelope()
  if (reprojector.transformPlace === undefined) await reprojector.transform(coordinates)
  for (let point = 0; point < coordinates.length / 3; point += 1) {
    place.x = coordinates[point * 3] as number
    place.y = coordinates[point * 3 + 1] as number
    reprojector.transformPlace?.(place, 0)
    if (!(Number.isFinite(place.x) && Number.isFinite(place.y))) continue
    image.minX = Math.min(image.minX, place.x)
    image.minY = Math.min(image.minY, place.y)
    image.maxX = Math.max(image.maxX, place.x)
    image.maxY = Math.max(image.maxY, place.y)
  }
  return isEmptyEnvelope(image) ? undefined : image
}
