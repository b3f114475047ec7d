import type { CrsDeclaration } from '../../geo/crs.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { ceilFloat32, floorFloat32 } from '../../geo/float32.ts'
import type { Places } from './places.ts'
import { emptyPlaces, toUnits, worldX, worldY } from './places.ts'

/** Gives rows their places from their envelopes: minX, minY, maxX, maxY of each in the CRS of the table. */
export type PlaceEnvelopes = (envelopes: Float64Array) => Places

/** Changes a point of the table to longitude and latitude, in place; NaN where it has none. */
type ToDegrees = (place: { x: number; y: number }, height: number) => void

const mostKept = 50
const kept = new Map<string, PlaceEnvelopes>()

/** What of a side's length may come from the rounding of envelopes to 32-bit floats. */
const floatNoise = 2 ** -22

/**
 * How rows of a table in this CRS get their places. Throws `CrsError` for a CRS that is unknown or needs a program: such
 * layers are read from a copy.
 */
export async function placeEnvelopesOf(crs: CrsDeclaration | string): Promise<PlaceEnvelopes> {
  const key = JSON.stringify(crs)
  const known = kept.get(key)
  if (known !== undefined) return known
  const found = await findPlaceEnvelopes(crs)
  if (kept.size >= mostKept) kept.clear()
  kept.set(key, found)
  return found
}

async function findPlaceEnvelopes(crs: CrsDeclaration | string): Promise<PlaceEnvelopes> {
  const reprojector = await createReprojector(crs, 'EPSG:4326', { canUsePrograms: false })
  const toDegrees = reprojector.isIdentity ? undefined : reprojector.transformPlace
  return (envelopes) => placeAll(envelopes, toDegrees)
}

/**
 * The place of each envelope. Stores hold envelopes as doubles or as 32-bit floats rounded outwards; both come to the
 * same, since all are rounded so first, and sides that are no longer than what rounding makes of a point count as none.
 */
function placeAll(envelopes: Float64Array, toDegrees: ToDegrees | undefined): Places {
  const places = emptyPlaces(envelopes.length / 4)
  const box: Box = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const low = { x: 0, y: 0 }
  const high = { x: 0, y: 0 }
  for (let row = 0; row < places.count; row += 1) {
    readBox(envelopes, row * 4, box)
    low.x = box.minX
    low.y = box.minY
    toDegrees?.(low, 0)
    const isPoint = box.minX === box.maxX && box.minY === box.maxY
    high.x = isPoint ? low.x : box.maxX
    high.y = isPoint ? low.y : box.maxY
    if (!isPoint) toDegrees?.(high, 0)
    if (hasPlace(low) && hasPlace(high)) setPlace(places, row, low, high)
    else setHugePlace(places, row, box, toDegrees)
  }
  return places
}

interface Box {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

function readBox(envelopes: Float64Array, at: number, box: Box): void {
  box.minX = floorFloat32(envelopes[at] as number)
  box.minY = floorFloat32(envelopes[at + 1] as number)
  box.maxX = ceilFloat32(envelopes[at + 2] as number)
  box.maxY = ceilFloat32(envelopes[at + 3] as number)
  if (isNoise(box.minX, box.maxX)) box.minX = box.maxX = (box.minX + box.maxX) / 2
  if (isNoise(box.minY, box.maxY)) box.minY = box.maxY = (box.minY + box.maxY) / 2
}

function isNoise(min: number, max: number): boolean {
  return max - min <= Math.max(Math.abs(min), Math.abs(max)) * floatNoise
}

function hasPlace({ x, y }: { x: number; y: number }): boolean {
  return Number.isFinite(x) && Number.isFinite(y)
}

/** From the images of an envelope's lower left and upper right corner. */
function setPlace(
  places: Places,
  row: number,
  low: { x: number; y: number },
  high: { x: number; y: number },
): void {
  const x0 = worldX(low.x)
  const y0 = worldY(low.y)
  let x1 = low.x === high.x ? x0 : worldX(high.x)
  const y1 = low.y === high.y ? y0 : worldY(high.y)
  // A CRS across the antimeridian: its right edge has come out on the left.
  if (x0 - x1 > 0.5) x1 += 1
  places.x[row] = toUnits(inWorld((x0 + x1) / 2))
  places.y[row] = toUnits((y0 + y1) / 2)
  places.size[row] = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))
}

/** The place in the world that features beyond the antimeridian are drawn at, as far as longitudes go: to 360 on each side. */
function inWorld(x: number): number {
  return x >= -0.5 && x <= 1.5 ? x - Math.floor(x) : x
}

/** An envelope with corners off the map is taken for huge where its middle is on it, and has no place otherwise. */
function setHugePlace(places: Places, row: number, box: Box, toDegrees: ToDegrees | undefined): void {
  const middle = { x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2 }
  const isPoint = box.minX === box.maxX && box.minY === box.maxY
  toDegrees?.(middle, 0)
  if (isPoint || !hasPlace(middle)) {
    places.size[row] = Number.NaN
    return
  }
  places.x[row] = toUnits(inWorld(worldX(middle.x)))
  places.y[row] = toUnits(worldY(middle.y))
  places.size[row] = Number.POSITIVE_INFINITY
}
