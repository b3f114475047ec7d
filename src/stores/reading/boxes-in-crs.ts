import type { Reprojector } from '../../geo/crs-projector.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { envelopeOfPlaces } from '../../geo/envelope.ts'
import { imageOfBox } from '../../geo/image-of-box.ts'
import type { Area } from '../../geo/polygon-test.ts'
import { betweenMeridians, coverEnvelope } from '../../geo/reproject-envelope.ts'
import { axisTurnOfCrs, marginOf, turnsBeyond } from './crs-axis-turn.ts'
import type { FeaturePageRequest, RequestBox } from './feature-page-request.ts'
import { findReprojector } from './reprojectors.ts'
import { isInDegrees } from './request-filter.ts'

const maxKept = 200
/** Cached, since a client requests consecutive pages of the same box. */
const kept = new Map<string, Area | null>()

/**
 * Returns the boxes of a query in the CRS of the table, with copies for geometries beyond ±180°; none if no
 * point of them can be transformed.
 */
export async function areasIn(box: RequestBox, crs: FeaturePageRequest['crs']): Promise<Area[]> {
  if (crs === undefined) return box.boxes
  const turn = axisTurnOfCrs(crs)
  const areas = await imagesIn(box, crs)
  return turn === undefined ? areas : [...areas, ...areas.flatMap((area) => copiesBeyond(area, turn))]
}

/** Returns copies of an area for geometries stored beyond ±180°. */
function copiesBeyond(area: Area, turn: number): Area[] {
  const edge = turn / 2 + marginOf(turn)
  return turnsBeyond(turn, area).map((distance) => {
    const { outline } = area
    const moved = { ...area, minX: area.minX + distance, maxX: area.maxX + distance }
    if (outline !== undefined)
      return { ...moved, outline: outline.map((value, at) => (at % 2 === 0 ? value + distance : value)) }
    return distance > 0
      ? { ...moved, minX: Math.max(moved.minX, edge) }
      : { ...moved, maxX: Math.min(moved.maxX, -edge) }
  })
}

async function imagesIn(
  { boxes, srs }: RequestBox,
  crs: NonNullable<FeaturePageRequest['crs']>,
): Promise<Area[]> {
  const reprojector = await findReprojector(srs, crs)
  try {
    const isDegrees = isInDegrees(srs)
    if (reprojector.isIdentity) return isDegrees ? boxes.flatMap(withTurns) : boxes
    const areas: Area[] = []
    for (const box of isDegrees ? boxes.flatMap(betweenMeridians) : boxes) {
      const area = await areaIn(reprojector, box, { isDegrees, key: JSON.stringify([srs, crs, box]) })
      if (area !== null) areas.push(area)
    }
    return areas
  } finally {
    await reprojector.close()
  }
}

/**
 * Returns a box beyond ±180°, since geometries may exceed that range, and its equivalent within the range.
 */
function withTurns(box: Envelope): Envelope[] {
  const isCovered = ({ minX, maxX }: Envelope): boolean => minX >= box.minX && maxX <= box.maxX
  return [box, ...betweenMeridians(box).filter((part) => !isCovered(part))]
}

async function areaIn(
  reprojector: Reprojector,
  box: Envelope,
  { isDegrees, key }: { isDegrees: boolean; key: string },
): Promise<Area | null> {
  const known = kept.get(key)
  if (known !== undefined) return known
  const envelope = await coverEnvelope(reprojector, box)
  // A box that contains a pole, or surrounds the earth, is not a polygon.
  const isLarge = isDegrees && (box.maxX - box.minX > 180 || Math.max(-box.minY, box.maxY) > 89)
  const image = envelope === undefined || isLarge ? undefined : await imageOfBox(reprojector, box)
  const area = Array.isArray(image) ? { ...envelopeOfPlaces(image), outline: image } : (envelope ?? null)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, area)
  return area
}
