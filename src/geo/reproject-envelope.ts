import type { Reprojector } from './crs-projector.ts'
import type { Envelope } from './envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from './envelope.ts'

/** Points on each edge, enough to approximate its curved image for an extent. */
const steps = 24
const side = steps + 1
/** Number of bisections towards the limit of a CRS, such as a pole in web mercator. */
const halvings = 24

function gridPoints(envelope: Envelope): Float64Array {
  const coordinates = new Float64Array(side ** 2 * 3)
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

/**
 * Splits a box of longitudes in degrees at the 180th meridian: clients whose map shows the world twice
 * request 170 to 190, and layers whose geometries overshoot have such an extent.
 */
export function betweenMeridians(box: Envelope): Envelope[] {
  const { minX, maxX } = box
  if (minX >= -180 && maxX <= 180) return [box]
  if (maxX - minX >= 360) return [{ ...box, minX: -180, maxX: 180 }]
  const turns = Math.floor((minX + 180) / 360) * 360
  const [west, east] = [minX - turns, maxX - turns]
  if (east <= 180) return [{ ...box, minX: west, maxX: east }]
  return [
    { ...box, minX: west, maxX: 180 },
    { ...box, minX: -180, maxX: east - 360 },
  ]
}

/** Returns the envelope of an envelope's image; undefined if no point of it exists in the target CRS. */
export async function reprojectEnvelope(
  reprojector: Reprojector,
  envelope: Envelope,
): Promise<Envelope | undefined> {
  if (reprojector.isIdentity) return envelope
  const images = gridPoints(envelope)
  await moveAll(reprojector, images)
  return around(images)
}

/**
 * Returns an envelope that contains every point of the image, for spatial queries: it extends to the limit of
 * the CRS, and includes edges that bend between grid points.
 */
export async function coverEnvelope(
  reprojector: Reprojector,
  envelope: Envelope,
): Promise<Envelope | undefined> {
  if (reprojector.isIdentity) return envelope
  const places = gridPoints(envelope)
  const images = places.slice()
  await moveAll(reprojector, images)
  const image = around(images)
  if (image === undefined) return undefined
  for (const part of [bulges(images), ...(await edgesOf(reprojector, places, images))]) {
    image.minX = Math.min(image.minX, part.minX)
    image.minY = Math.min(image.minY, part.minY)
    image.maxX = Math.max(image.maxX, part.maxX)
    image.maxY = Math.max(image.maxY, part.maxY)
  }
  return image
}

async function moveAll(reprojector: Reprojector, coordinates: Float64Array): Promise<void> {
  const { transformPlace } = reprojector
  if (transformPlace === undefined) return reprojector.transform(coordinates)
  const place = { x: 0, y: 0 }
  for (let at = 0; at < coordinates.length; at += 3) {
    place.x = coordinates[at] as number
    place.y = coordinates[at + 1] as number
    transformPlace(place, 0)
    coordinates[at] = place.x
    coordinates[at + 1] = place.y
  }
}

function isPlace(coordinates: Float64Array, at: number): boolean {
  return Number.isFinite(coordinates[at]) && Number.isFinite(coordinates[at + 1])
}

function around(coordinates: Float64Array): Envelope | undefined {
  const image = emptyEnvelope()
  for (let at = 0; at < coordinates.length; at += 3) {
    if (!isPlace(coordinates, at)) continue
    const [x, y] = [coordinates[at] as number, coordinates[at + 1] as number]
    image.minX = Math.min(image.minX, x)
    image.minY = Math.min(image.minY, y)
    image.maxX = Math.max(image.maxX, x)
    image.maxY = Math.max(image.maxY, y)
  }
  return isEmptyEnvelope(image) ? undefined : image
}

/** Yields index pairs of adjacent grid points: horizontal and vertical neighbours. */
function* neighbours(): Generator<[number, number]> {
  for (let i = 0; i <= steps; i += 1)
    for (let j = 0; j <= steps; j += 1) {
      const at = i * side + j
      if (i < steps) yield [at, at + side]
      if (j < steps) yield [at, at + 1]
    }
}

/** Returns how far grid lines may extend where they turn between grid points. */
function bulges(images: Float64Array): Envelope {
  const found = emptyEnvelope()
  for (const step of [1, side])
    for (let at = step; at < side ** 2 - step; at += 1) {
      const isEnd = step === 1 && (at % side === 0 || at % side === steps)
      if (isEnd || !isPlace(images, at * 3)) continue
      const [x, y] = [turned(images, at, step, 0), turned(images, at, step, 1)]
      found.minX = Math.min(found.minX, x)
      found.maxX = Math.max(found.maxX, x)
      found.minY = Math.min(found.minY, y)
      found.maxY = Math.max(found.maxY, y)
    }
  return found
}

/**
 * Returns the ordinate at a turning point, plus twice the overshoot of a parabola through it and its
 * neighbours.
 */
function turned(images: Float64Array, at: number, step: number, ordinate: 0 | 1): number {
  const of = (point: number): number => images[point * 3 + ordinate] as number
  const [before, here, behind] = [of(at - step), of(at), of(at + step)]
  const second = before - 2 * here + behind
  const isTurn = (here - before) * (behind - here) <= 0
  return isTurn && Number.isFinite(second) ? here - second / 4 : here
}

/** Returns envelopes of the areas between points with an image and neighbours without one. */
async function edgesOf(
  reprojector: Reprojector,
  places: Float64Array,
  images: Float64Array,
): Promise<Envelope[]> {
  const inner: number[] = []
  const outer: number[] = []
  for (const [one, other] of neighbours()) {
    const [isIn, isOther] = [isPlace(images, one * 3), isPlace(images, other * 3)]
    if (isIn === isOther) continue
    const [from, to] = isIn ? [one, other] : [other, one]
    inner.push(...places.subarray(from * 3, from * 3 + 3))
    outer.push(...places.subarray(to * 3, to * 3 + 3))
  }
  const found: Envelope[] = []
  for (let round = 0; round < halvings && inner.length > 0; round += 1) {
    const middle = Float64Array.from(inner, (value, at) => (value + (outer[at] as number)) / 2)
    const moved = middle.slice()
    await moveAll(reprojector, moved)
    for (let at = 0; at < moved.length; at += 3) {
      const half = isPlace(moved, at) ? inner : outer
      half.splice(at, 2, middle[at] as number, middle[at + 1] as number)
    }
    const image = around(moved)
    if (image !== undefined) found.push(image)
  }
  return found
}
