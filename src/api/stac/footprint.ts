import type { CrsDeclaration } from '../../geo/crs.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'

/** Longitude and latitude, or x and y. */
export type Position = readonly [number, number]

/** Location of an item as RFC 7946 writes it: in degrees, split at the antimeridian. */
export interface Footprint {
  geometry: { type: 'Polygon' | 'MultiPolygon'; coordinates: unknown[] }
  /** West, south, east, north; west is larger than east across the antimeridian. */
  bbox: number[]
}

/** Parts of each edge: straight edges in another CRS are curves. */
const partsOfEdge = 8
const decimals = 1e9

/**
 * Returns the footprints of rings of corners in a CRS, one transformation for all. Undefined for a ring that has no image in
 * degrees, and for all rings if the CRS is unknown.
 */
export async function footprintsOf(
  rings: readonly (readonly Position[])[],
  crs: CrsDeclaration | string | undefined,
): Promise<(Footprint | undefined)[]> {
  const none = rings.map(() => undefined)
  if (crs === undefined) return none
  const reprojector = await createReprojector(crs, 'EPSG:4326').catch(() => undefined)
  try {
    if (reprojector === undefined) return none
    const dense = rings.map(withEdges)
    const points = new Float64Array(dense.reduce((count, ring) => count + ring.length, 0) * 3)
    for (const [at, [x, y]] of dense.flat().entries()) points.set([x, y], at * 3)
    if (!reprojector.isIdentity) await reprojector.transform(points)
    let from = 0
    return dense.map((ring) => {
      const image = ring.map(
        (_, at): Position => [points[from + at * 3] ?? Number.NaN, points[from + at * 3 + 1] ?? Number.NaN],
      )
      from += ring.length * 3
      return footprintOf(image)
    })
  } finally {
    await reprojector?.close()
  }
}

/** Returns the corners with positions between them; the ring is open. */
function withEdges(corners: readonly Position[]): Position[] {
  return corners.flatMap(([x, y], at) => {
    const [nextX, nextY] = corners[(at + 1) % corners.length] ?? [x, y]
    return Array.from({ length: partsOfEdge }, (_, part): Position => {
      const share = part / partsOfEdge
      return [x + (nextX - x) * share, y + (nextY - y) * share]
    })
  })
}

/** Returns the footprint of an open ring in degrees; undefined without an area, and for positions that are not finite. */
export function footprintOf(ring: readonly Position[]): Footprint | undefined {
  if (ring.length < 3 || !ring.flat().every(Number.isFinite)) return undefined
  const { positions, turns } = unwrapped(ring)
  const latitudes = positions.map(([, y]) => y)
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  if (turns !== 0) return boxOf(-180, north + south > 0 ? south : -90, 180, north + south > 0 ? 90 : north)
  const west = Math.min(...positions.map(([x]) => x))
  const east = Math.max(...positions.map(([x]) => x))
  if (east - west >= 360) return boxOf(-180, south, 180, north)
  if (east === west || north === south) return undefined
  const shift = Math.floor((west + 180) / 360) * -360
  return splitAtAntimeridian(positions.map(([x, y]) => [x + shift, y]))
}

/** Returns the ring without jumps at the antimeridian; `turns`: how often it goes around a pole. */
function unwrapped(ring: readonly Position[]): { positions: Position[]; turns: number } {
  const positions: Position[] = []
  let shift = 0
  let before = ring[0]?.[0] ?? 0
  for (const [x, y] of ring) {
    shift += turnBetween(before, x)
    positions.push([x + shift * 360, y])
    before = x
  }
  return { positions, turns: shift + turnBetween(before, ring[0]?.[0] ?? 0) }
}

function turnBetween(from: number, to: number): number {
  if (to - from > 180) return -1
  return to - from < -180 ? 1 : 0
}

/** The ring begins between -180 and 180 degrees. */
function splitAtAntimeridian(ring: readonly Position[]): Footprint {
  const [west, east] = [Math.min(...ring.map(([x]) => x)), Math.max(...ring.map(([x]) => x))]
  const [south, north] = [Math.min(...ring.map(([, y]) => y)), Math.max(...ring.map(([, y]) => y))]
  if (east <= 180)
    return {
      geometry: { type: 'Polygon', coordinates: [closed(ring)] },
      bbox: [west, south, east, north].map(rounded),
    }
  const parts = [
    cutRing(ring, (x) => 180 - x),
    cutRing(ring, (x) => x - 180).map(([x, y]): Position => [x - 360, y]),
  ]
  return {
    geometry: { type: 'MultiPolygon', coordinates: parts.map((part) => [closed(part)]) },
    bbox: [west, south, east - 360, north].map(rounded),
  }
}

/** Cuts a ring at a meridian (Sutherland and Hodgman); `depth` is negative outside. */
function cutRing(ring: readonly Position[], depth: (x: number) => number): Position[] {
  return ring.flatMap((one, at): Position[] => {
    const next = ring[(at + 1) % ring.length] ?? one
    const [here, there] = [depth(one[0]), depth(next[0])]
    const share = here / (here - there)
    const edge: Position = [one[0] + (next[0] - one[0]) * share, one[1] + (next[1] - one[1]) * share]
    const isCrossing = here * there < 0
    return [...(here >= 0 ? [one] : []), ...(isCrossing ? [edge] : [])]
  })
}

function boxOf(west: number, south: number, east: number, north: number): Footprint {
  const ring: Position[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]
  return {
    geometry: { type: 'Polygon', coordinates: [closed(ring)] },
    bbox: [west, south, east, north].map(rounded),
  }
}

/** Closes a ring, counterclockwise (RFC 7946, section 3.1.6). */
function closed(ring: readonly Position[]): number[][] {
  const ordered = signedArea(ring) < 0 ? ring.toReversed() : ring
  const [first] = ordered
  return [...ordered, ...(first === undefined ? [] : [first])].map((position) => position.map(rounded))
}

function signedArea(ring: readonly Position[]): number {
  return ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length] ?? [x, y]
    return sum + x * nextY - nextX * y
  }, 0)
}

function rounded(value: number): number {
  return Math.round(value * decimals) / decimals
}
