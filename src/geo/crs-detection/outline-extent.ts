import type { Projector } from '../crs-projector.ts'
import type { Envelope } from '../envelope.ts'
import type { Country, CountryBox } from './countries.ts'

const radians = Math.PI / 180
/** Share of its box that data and a part of a country must have in common before its outline is transformed. */
const minShared = 0.4

/**
 * Returns the largest share that the envelope of data has in common with the envelope of a country, or of a part of it, in the
 * coordinates of a system: near 1 for data of the whole country in that system, less in systems of other projections.
 */
export function outlineShare(
  envelope: Envelope,
  falls: CountryBox,
  { rings }: Country,
  { projector, primeMeridian }: { projector: Projector; primeMeridian: number },
): number {
  const large = rings.filter(({ box }) => shared(falls, box) >= minShared)
  let most = 0
  for (const { points } of large) {
    const { minX, minY, maxX, maxY } = projectedEnvelope(points, projector, primeMeridian)
    const { minX: west, minY: south, maxX: east, maxY: north } = envelope
    most = Math.max(most, shared([west, south, east, north], [minX, minY, maxX, maxY]))
  }
  return most
}

function projectedEnvelope(points: Float64Array, projector: Projector, primeMeridian: number): Envelope {
  const found = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity }
  for (let at = 0; at < points.length; at += 2) {
    const place = { x: ((points[at] ?? 0) - primeMeridian) * radians, y: (points[at + 1] ?? 0) * radians }
    projector.fromRadians(place)
    found.minX = Math.min(found.minX, place.x)
    found.minY = Math.min(found.minY, place.y)
    found.maxX = Math.max(found.maxX, place.x)
    found.maxY = Math.max(found.maxY, place.y)
  }
  return found
}

/** Returns the share of two boxes that they have in common: 1 where they are the same. */
export function shared(one: CountryBox, other: CountryBox): number {
  const width = Math.min(one[2], other[2]) - Math.max(one[0], other[0])
  const height = Math.min(one[3], other[3]) - Math.max(one[1], other[1])
  if (!(width > 0 && height > 0)) return 0
  return (width * height) / (sizeOf(one) + sizeOf(other) - width * height)
}

/** Returns the area of a box in square degrees. */
export function sizeOf([west, south, east, north]: CountryBox): number {
  return (east - west) * (north - south)
}
