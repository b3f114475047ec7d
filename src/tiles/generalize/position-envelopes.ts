import type { CrsDeclaration } from '../../geo/crs.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { ceilFloat32, floorFloat32 } from '../../geo/envelope.ts'
import { getTileMatrixSet } from '../tile-matrix-sets.ts'
import { worldOf } from '../world.ts'
import type { FeaturePositions } from './feature-positions.ts'
import { emptyPositions, toUnits, worldExponent, worldUnits, worldX, worldY } from './feature-positions.ts'
import { firstExponent, noExponent } from './sample-points.ts'

/** Options for computing positions. */
interface PlaceOptions {
  /** True if rows may be polygons, which need `FeaturePositions.first`. */
  hasAreas?: boolean
}

/** Computes positions from envelopes: minX, minY, maxX, maxY of each in the CRS of the table. */
export type PositionEnvelopes = (envelopes: Float64Array, options?: PlaceOptions) => FeaturePositions

/** Transforms a point of the table to longitude and latitude, in place; NaN if not possible. */
type ToDegrees = (position: { x: number; y: number }, height: number) => void

const maxKept = 50
const kept = new Map<string, PositionEnvelopes>()

/** Share of a side's length that may result from rounding envelopes to 32-bit floats. */
const floatNoise = 2 ** -22
/**
 * Factor by which a projected box may exceed its diagonal on the map, since projections do not preserve
 * angles everywhere.
 */
const turnedReach = 1.05

/**
 * Returns a function that computes the positions of rows of a table in this CRS. Throws `CrsError` for a CRS
 * that is unknown or needs an external program: such layers are read from a copy.
 */
export async function positionEnvelopesOf(crs: CrsDeclaration | string): Promise<PositionEnvelopes> {
  const key = JSON.stringify(crs)
  const known = kept.get(key)
  if (known !== undefined) return known
  const found = await findPlaceEnvelopes(crs)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, found)
  return found
}

async function findPlaceEnvelopes(crs: CrsDeclaration | string): Promise<PositionEnvelopes> {
  const reprojector = await createReprojector(crs, 'EPSG:4326', { canUsePrograms: false })
  const toDegrees = reprojector.isIdentity ? undefined : reprojector.transformPlace
  const isTurned = worldOf(crs, getTileMatrixSet('WebMercatorQuad')).kind === 'projected'
  return (envelopes, { hasAreas = false } = {}) => {
    const positions = placeAll(envelopes, toDegrees)
    return hasAreas
      ? { ...positions, first: findFirst(envelopes, positions, { toDegrees, isTurned }) }
      : positions
  }
}

/**
 * Transformation of table coordinates to Web Mercator; `isTurned` is true if the axes of the table are
 * rotated against the map.
 */
interface Way {
  toDegrees: ToDegrees | undefined
  isTurned: boolean
}

/** See `FeaturePositions.first`. */
function findFirst(envelopes: Float64Array, { count, size }: FeaturePositions, way: Way): Uint8Array {
  const first = new Uint8Array(count)
  const table: Box = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const box: Box = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  for (let row = 0; row < count; row += 1) {
    roundBox(envelopes, row * 4, table)
    if (Number.isNaN(size[row] as number)) first[row] = noExponent
    // Rows that count as huge are always read.
    if (!Number.isFinite(size[row] as number) || !findUnitBox(table, way, box)) continue
    const side = Math.max(box.maxX - box.minX, box.maxY - box.minY)
    const bySize = worldExponent - Math.floor(Math.log2(side))
    first[row] = Math.max(0, Math.min(bySize, firstExponent(box, bySize)))
  }
  return first
}

const low = { x: 0, y: 0 }
const high = { x: 0, y: 0 }

/**
 * Computes the box in the units of `FeaturePositions` that contains the image of a box of the table; false if unknown.
 * If the axes of the table are rotated against those of the map, the diagonal limits the extent.
 */
function findUnitBox(table: Box, { toDegrees, isTurned }: Way, box: Box): boolean {
  low.x = table.minX
  low.y = table.minY
  high.x = table.maxX
  high.y = table.maxY
  toDegrees?.(low, 0)
  toDegrees?.(high, 0)
  if (!hasPlace(low) || !hasPlace(high)) return false
  const x0 = worldX(low.x)
  const y0 = worldY(low.y)
  const y1 = worldY(high.y)
  let x1 = worldX(high.x)
  if (x0 - x1 > 0.5) x1 += 1
  let halfX = Math.abs(x1 - x0) / 2
  let halfY = Math.abs(y1 - y0) / 2
  if (isTurned) {
    const width = table.maxX - table.minX
    const height = table.maxY - table.minY
    const right = x1 - x0
    const up = y0 - y1
    const squared = width * width + height * height
    if (!(squared > 0)) return false
    const along = (Math.abs(right * width + up * height) / squared) * turnedReach
    const across = (Math.abs(up * width - right * height) / squared) * turnedReach
    halfX = (along * width + across * height) / 2
    halfY = (across * width + along * height) / 2
  }
  const x = (inWorld((x0 + x1) / 2) + 1) * worldUnits
  const y = ((y0 + y1) / 2 + 1) * worldUnits
  box.minX = x - halfX * worldUnits
  box.minY = y - halfY * worldUnits
  box.maxX = x + halfX * worldUnits
  box.maxY = y + halfY * worldUnits
  return true
}

/**
 * Computes the position of each envelope. Stores return envelopes as doubles or as 32-bit floats rounded
 * outwards. Both give the same result, since all are rounded first, and sides no longer than the rounding of
 * a point count as zero.
 */
function placeAll(envelopes: Float64Array, toDegrees: ToDegrees | undefined): FeaturePositions {
  const positions = emptyPositions(envelopes.length / 4)
  const box: Box = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const low = { x: 0, y: 0 }
  const high = { x: 0, y: 0 }
  for (let row = 0; row < positions.count; row += 1) {
    readBox(envelopes, row * 4, box)
    low.x = box.minX
    low.y = box.minY
    toDegrees?.(low, 0)
    const isPoint = box.minX === box.maxX && box.minY === box.maxY
    high.x = isPoint ? low.x : box.maxX
    high.y = isPoint ? low.y : box.maxY
    if (!isPoint) toDegrees?.(high, 0)
    if (hasPlace(low) && hasPlace(high)) setPlace(positions, row, low, high)
    else setHugePlace(positions, row, box, toDegrees)
  }
  return positions
}

interface Box {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

function roundBox(envelopes: Float64Array, at: number, box: Box): void {
  box.minX = floorFloat32(envelopes[at] as number)
  box.minY = floorFloat32(envelopes[at + 1] as number)
  box.maxX = ceilFloat32(envelopes[at + 2] as number)
  box.maxY = ceilFloat32(envelopes[at + 3] as number)
}

function readBox(envelopes: Float64Array, at: number, box: Box): void {
  roundBox(envelopes, at, box)
  if (isNoise(box.minX, box.maxX)) box.minX = box.maxX = (box.minX + box.maxX) / 2
  if (isNoise(box.minY, box.maxY)) box.minY = box.maxY = (box.minY + box.maxY) / 2
}

function isNoise(min: number, max: number): boolean {
  return max - min <= Math.max(Math.abs(min), Math.abs(max)) * floatNoise
}

function hasPlace({ x, y }: { x: number; y: number }): boolean {
  return Number.isFinite(x) && Number.isFinite(y)
}

/** Computes a position from the projected lower left and upper right corners of an envelope. */
function setPlace(
  positions: FeaturePositions,
  row: number,
  low: { x: number; y: number },
  high: { x: number; y: number },
): void {
  const x0 = worldX(low.x)
  const y0 = worldY(low.y)
  let x1 = low.x === high.x ? x0 : worldX(high.x)
  const y1 = low.y === high.y ? y0 : worldY(high.y)
  // A CRS across the antimeridian: its right edge was transformed to the left.
  if (x0 - x1 > 0.5) x1 += 1
  positions.x[row] = toUnits(inWorld((x0 + x1) / 2))
  positions.y[row] = toUnits((y0 + y1) / 2)
  positions.size[row] = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))
}

/**
 * Returns the x position, in worlds, at which features beyond the antimeridian are drawn; longitudes may be
 * up to 360 degrees beyond it.
 */
function inWorld(x: number): number {
  return x >= -0.5 && x <= 1.5 ? x - Math.floor(x) : x
}

/**
 * An envelope with corners outside of the map counts as huge if its center is on the map, and otherwise has
 * no position.
 */
function setHugePlace(
  positions: FeaturePositions,
  row: number,
  box: Box,
  toDegrees: ToDegrees | undefined,
): void {
  const middle = { x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2 }
  const isPoint = box.minX === box.maxX && box.minY === box.maxY
  toDegrees?.(middle, 0)
  if (isPoint || !hasPlace(middle)) {
    positions.size[row] = Number.NaN
    return
  }
  positions.x[row] = toUnits(inWorld(worldX(middle.x)))
  positions.y[row] = toUnits(worldY(middle.y))
  positions.size[row] = Number.POSITIVE_INFINITY
}
