import type { Reprojector } from './crs-projector.ts'
import type { Envelope } from './envelope.ts'

/** Maximum distance between the outline and the true image, relative to the size of the image. */
const tolerance = 1e-6
/** An image that needs more vertices is torn, for instance by the meridian at which a projection ends. */
const maxVertices = 1500
const firstPerSide = 8

/**
 * Returns the image of a box in another CRS: `box` if it is a box too, otherwise its outline; undefined if it
 * has none, because the box contains a pole or extends beyond the CRS.
 */
export async function imageOfBox(
  reprojector: Reprojector,
  box: Envelope,
): Promise<number[] | 'box' | undefined> {
  if (reprojector.isIdentity) return 'box'
  let places = outline(box)
  let images = await moved(reprojector, places)
  while (true) {
    const size = sizeOf(images)
    if (size === undefined) return undefined
    const middles = betweenAll(places)
    const found = await moved(reprojector, middles)
    const isBent = bends(images, found, size * tolerance)
    if (!isBent.includes(true)) break
    if (places.length / 3 + isBent.filter(Boolean).length > maxVertices) return undefined
    places = merged(places, middles, isBent)
    images = merged(images, found, isBent)
  }
  if (isBox(images)) return 'box'
  return Math.abs(turns(images)) === 1 ? outlineOf(images) : undefined
}

/** Positions around a box, without repeating the first; three numbers each. */
function outline({ minX, minY, maxX, maxY }: Envelope): Float64Array {
  const corners = [
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
    [minX, maxY],
  ] as const
  const places: number[] = []
  for (const [index, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[(index + 1) % 4] as readonly [number, number]
    for (let step = 0; step < firstPerSide; step += 1) {
      const share = step / firstPerSide
      places.push(x + (nextX - x) * share, y + (nextY - y) * share, 0)
    }
  }
  return Float64Array.from(places)
}

async function moved(reprojector: Reprojector, places: Float64Array): Promise<Float64Array> {
  const images = places.slice()
  await reprojector.transform(images)
  return images
}

/** Returns the larger side of the envelope; undefined if a position has no image. */
function sizeOf(images: Float64Array): number | undefined {
  const [x, y] = [0, 1].map((ordinate) => images.filter((_, at) => at % 3 === ordinate))
  if (x === undefined || y === undefined || !x.every(Number.isFinite) || !y.every(Number.isFinite))
    return undefined
  const span = (values: Float64Array): number =>
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY) -
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  return Math.max(span(x), span(y))
}

/** Returns the midpoints between adjacent positions. */
function betweenAll(places: Float64Array): Float64Array {
  return places.map((value, at) => (value + (places[(at + 3) % places.length] as number)) / 2)
}

/** Returns, for each edge, whether the image of its midpoint deviates from it. */
function bends(images: Float64Array, middles: Float64Array, allowed: number): boolean[] {
  return Array.from({ length: images.length / 3 }, (_, edge) => {
    const at = edge * 3
    const next = (at + 3) % images.length
    const [ax, ay] = [images[at] as number, images[at + 1] as number]
    const [dx, dy] = [(images[next] as number) - ax, (images[next + 1] as number) - ay]
    const [mx, my] = [(middles[at] as number) - ax, (middles[at + 1] as number) - ay]
    const length = Math.hypot(dx, dy)
    const beside = length === 0 ? Math.hypot(mx, my) : Math.abs(dx * my - dy * mx) / length
    // A midpoint beyond the ends of the edge means that the image takes another way round.
    const along = length === 0 ? 0 : (mx * dx + my * dy) / (length * length)
    return !(beside <= allowed && along >= 0 && along <= 1)
  })
}

/** Inserts the midpoints of the given edges. */
function merged(places: Float64Array, middles: Float64Array, isBent: readonly boolean[]): Float64Array {
  const all: number[] = []
  for (const [edge, isOne] of isBent.entries()) {
    all.push(...places.subarray(edge * 3, edge * 3 + 3))
    if (isOne) all.push(...middles.subarray(edge * 3, edge * 3 + 3))
  }
  return Float64Array.from(all)
}

/** True if each vertex is on a side of the common envelope. */
function isBox(images: Float64Array): boolean {
  const sides = [0, 1].map((ordinate) => {
    const values = images.filter((_, at) => at % 3 === ordinate)
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] as const
  })
  const size = Math.max(...sides.map(([least, most]) => most - least))
  for (let at = 0; at < images.length; at += 3) {
    const isOnSide = sides.some(([least, most], ordinate) => {
      const value = images[at + ordinate] as number
      return Math.abs(value - least) <= size * 1e-12 || Math.abs(value - most) <= size * 1e-12
    })
    if (!isOnSide) return false
  }
  return true
}

/** Returns the number of turns of the outline: one if it does not cross itself. */
function turns(images: Float64Array): number {
  const count = images.length / 3
  const direction = (edge: number): number => {
    const [at, next] = [(edge % count) * 3, ((edge + 1) % count) * 3]
    return Math.atan2(
      (images[next + 1] as number) - (images[at + 1] as number),
      (images[next] as number) - (images[at] as number),
    )
  }
  let sum = 0
  for (let edge = 0; edge < count; edge += 1) {
    const turn = direction(edge + 1) - direction(edge)
    sum += turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))
  }
  return Math.round(sum / (2 * Math.PI))
}

/** Returns x and y in sequence, with the first vertex repeated at the end. */
function outlineOf(images: Float64Array): number[] {
  const places: number[] = []
  for (let at = 0; at <= images.length; at += 3)
    places.push(images[at % images.length] as number, images[(at % images.length) + 1] as number)
  return places
}
