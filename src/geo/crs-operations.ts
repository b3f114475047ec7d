import type { CrsOperation } from './crs-table.ts'
import { findArea, findOperations, findRow } from './crs-table.ts'

/** One leg of a way between datums: PROJ's candidates, and whether they lead the other way round. */
export interface DatumLeg {
  candidates: CrsOperation[]
  isInverse: boolean
  /** Geographic CRSs at its ends, in the direction of travel. */
  from: string
  to: string
}

const hub = 'EPSG:4326'

function leg(from: string, to: string): DatumLeg | undefined {
  const forward = findOperations(from, to)
  if (forward !== undefined) return { candidates: forward, isInverse: false, from, to }
  const backward = findOperations(to, from)
  return backward === undefined ? undefined : { candidates: backward, isInverse: true, from, to }
}

/**
 * The legs between two geographic CRSs: none when they share their datum, one when PROJ's database has operations
 * between them, else two by way of WGS 84. Undefined when it has no way.
 */
export function datumLegs(from: string, to: string): DatumLeg[] | undefined {
  if (from === to || sameDatum(from, to)) return []
  const direct = leg(from, to)
  if (direct !== undefined) return [direct]
  const first = leg(from, hub)
  const second = leg(hub, to)
  return first === undefined || second === undefined ? undefined : [first, second]
}

function sameDatum(from: string, to: string): boolean {
  const a = findRow(from)
  const b = findRow(to)
  return a !== undefined && b !== undefined && a.datum === b.datum
}

/** West, south, east, north in degrees; west above east across the antimeridian. */
export type Bounds = readonly [number, number, number, number]

export function isInBounds([west, south, east, north]: Bounds, longitude: number, latitude: number): boolean {
  if (latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

function overlap(a: Bounds, b: Bounds): boolean {
  if (a[1] > b[3] || b[1] > a[3]) return false
  const spans = ([west, , east]: Bounds): [number, number][] =>
    west <= east
      ? [[west, east]]
      : [
          [west, 180],
          [-180, east],
        ]
  return spans(a).some(([w, e]) => spans(b).some(([w2, e2]) => w <= e2 && w2 <= e))
}

/** Where coordinates going from one CRS to another can be expected: the area of use of the narrower. */
export function expectedArea(from: string | undefined, to: string | undefined): Bounds | undefined {
  const areas = [from, to].flatMap((srs) => {
    const row = srs === undefined ? undefined : findRow(srs)
    const area = row === undefined ? undefined : findArea(row.area)
    return area === undefined ? [] : [area.bounds]
  })
  const size = ([west, south, east, north]: Bounds): number =>
    (east < west ? east + 360 - west : east - west) * (north - south)
  const [first, second] = areas
  if (first === undefined || second === undefined) return first
  if (!overlap(first, second)) return first
  return size(second) < size(first) ? second : first
}

/** Candidates that can be of use in an area, in PROJ's order; ballpark only where nothing else is known. */
export function usableCandidates({ candidates }: DatumLeg, area: Bounds | undefined): CrsOperation[] {
  const known = candidates.filter(({ kind }) => kind !== 'ballpark')
  if (known.length === 0) return candidates
  if (area === undefined) return known
  const near = known.filter((operation) => operation.area === undefined || overlap(operation.area, area))
  return near.length > 0 ? near : known
}
