import type { GeometryType } from '../../geo/schema.ts'
import { worldExponent } from './feature-positions.ts'

/**
 * Share of polygons in a layer: all features, or some in a layer of several types. Such layers are thinned by
 * sample points.
 */
export type AreaRule = 'all' | 'mixed'

/** Returns undefined for layers with only points or lines. */
export function areaRuleOf(type: GeometryType | undefined): AreaRule | undefined {
  switch (type) {
    case 'Polygon':
    case 'MultiPolygon':
      return 'all'
    case 'Geometry':
    case 'GeometryCollection':
      return 'mixed'
    default:
      return undefined
  }
}

/** Exponent that means no cell: the box contains no sample point of any cell. */
export const noExponent = worldExponent + 1
const maxUnits = 2 ** 32 - 1
/** Units by which boxes may be inexact that were computed from the coordinates of a tile. */
const slack = 1
/** Units in the side of a cell, by its exponent. */
const sides = Float64Array.from(
  { length: worldExponent + 1 },
  (_, exponent) => 2 ** (worldExponent - exponent),
)
/** The coordinates of positions cover the width of four worlds: see `FeaturePositions`. */
const worldHalvings = 2

/** A box in the units of `FeaturePositions`. */
export interface UnitBox {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/**
 * Returns which quarter of a cell contains its sample point: bit 0 is set for the right half, bit 1 for the
 * lower half. Chosen by a hash of the cell, so that sample points do not align with the rows and columns of a
 * regular layer. Columns and rows repeat after one world.
 */
function quarterOf(column: number, row: number, exponent: number): number {
  const mask = (1 << exponent) - 1
  let hash = Math.imul(column & mask, 0x9e3779b1) ^ Math.imul(row & mask, 0x85ebca6b)
  hash ^= Math.imul(exponent + 1, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) & 3
}

/**
 * Finds the sample point of a cell where it lies in a box, or at most `slack` outside; returns false otherwise. Point and box count in cells
 * of `worldExponent`. The point is also that of one of the four cells within: a feature with the sample point of a large cell has that
 * of a smaller one.
 */
export function samplePointWithin(
  column: number,
  row: number,
  exponent: number,
  box: UnitBox,
  target: { x: number; y: number },
): boolean {
  const minX = box.minX - slack
  const minY = box.minY - slack
  const maxX = box.maxX + slack
  const maxY = box.maxY + slack
  let x = column
  let y = row
  let at = exponent
  for (let isAcross = true; isAcross && at < worldExponent; at += 1) {
    const quarter = quarterOf(x, y, at)
    x = x * 2 + (quarter & 1)
    y = y * 2 + (quarter >> 1)
    const side = sides[at + 1] as number
    const left = x * side
    const top = y * side
    const right = left + side
    const bottom = top + side
    if (left > maxX || right < minX || top > maxY || bottom < minY) return false
    isAcross = left < minX || right > maxX || top < minY || bottom > maxY
  }
  for (; at < worldExponent; at += 1) {
    const quarter = quarterOf(x, y, at)
    x = x * 2 + (quarter & 1)
    y = y * 2 + (quarter >> 1)
  }
  target.x = x + 0.5
  target.y = y + 0.5
  return true
}

/** Number of cells in the width of a square of cells whose sample points are cached: a usual tile has 64 or 128. */
const cachedWidth = 128
const cachedColumns = new Float64Array(cachedWidth ** 2)
const cachedRows = new Float64Array(cachedWidth ** 2)
const cachedExponents = new Int8Array(cachedWidth ** 2).fill(-1)
/** NaN for a cell that was requested once: its point is computed at the second request. */
const cachedX = new Float64Array(cachedWidth ** 2)
const cachedY = new Float64Array(cachedWidth ** 2)

/**
 * Like `samplePointWithin`, with a cache for cells that several polygons of a gapless layer overlap. Cells of
 * other tiles replace earlier cache entries.
 */
export function cachedPointWithin(
  column: number,
  row: number,
  exponent: number,
  box: UnitBox,
  target: { x: number; y: number },
): boolean {
  const at = (column & (cachedWidth - 1)) + (row & (cachedWidth - 1)) * cachedWidth
  if (cachedColumns[at] !== column || cachedRows[at] !== row || cachedExponents[at] !== exponent) {
    cachedColumns[at] = column
    cachedRows[at] = row
    cachedExponents[at] = exponent
    cachedX[at] = Number.NaN
    return samplePointWithin(column, row, exponent, box, target)
  }
  let x = cachedX[at] as number
  if (Number.isNaN(x)) {
    findSamplePoint(column, row, exponent, target)
    cachedX[at] = x = target.x
    cachedY[at] = target.y
  }
  const y = cachedY[at] as number
  // The unit around the point overlaps the box.
  if (x - 0.5 > box.maxX + slack || x + 0.5 < box.minX - slack) return false
  if (y - 0.5 > box.maxY + slack || y + 0.5 < box.minY - slack) return false
  target.x = x
  target.y = y
  return true
}

function findSamplePoint(
  column: number,
  row: number,
  exponent: number,
  target: { x: number; y: number },
): void {
  let x = column
  let y = row
  for (let at = exponent; at < worldExponent; at += 1) {
    const quarter = quarterOf(x, y, at)
    x = x * 2 + (quarter & 1)
    y = y * 2 + (quarter >> 1)
  }
  target.x = x + 0.5
  target.y = y + 0.5
}

/** Returns true if the sample point of a cell is also that of the larger cell around it, whose exponent is `outer`. */
export function isSamplePointOf(column: number, row: number, exponent: number, outer: number): boolean {
  let [x, y] = [column, row]
  for (let at = exponent; at > outer; at -= 1) {
    if (!isChosen(x, y, at)) return false
    x = Math.floor(x / 2)
    y = Math.floor(y / 2)
  }
  return true
}

/**
 * Returns the largest cells, as the smallest exponent, of which the box contains a sample point; `noExponent`
 * if there are none.
 */
export function firstExponent(box: UnitBox, end: number): number {
  const { minX, minY, maxX, maxY } = box
  if (!(minX >= 0 && minY >= 0 && maxX <= maxUnits && maxY <= maxUnits)) return 0
  const apart = (Math.floor(minX) ^ Math.floor(maxX)) | (Math.floor(minY) ^ Math.floor(maxY))
  const shared = Math.min(Math.clz32(apart) - worldHalvings, worldExponent)
  let exponent = Math.max(0, shared)
  if (shared >= 0 && holdsPointOf(box, cellAt(minX, shared), cellAt(minY, shared), shared)) {
    // Larger cells have the same sample point as long as each chooses the quarter that contains the box.
    while (exponent > 0 && isChosen(cellAt(minX, exponent), cellAt(minY, exponent), exponent)) exponent -= 1
    return exponent
  }
  if (shared >= 0) exponent += 1
  for (; exponent < end && exponent <= worldExponent; exponent += 1)
    if (holdsAny(box, exponent)) return exponent
  return noExponent
}

function cellAt(units: number, exponent: number): number {
  return Math.floor(units / (sides[exponent] as number))
}

function isChosen(column: number, row: number, exponent: number): boolean {
  const quarter = quarterOf(Math.floor(column / 2), Math.floor(row / 2), exponent - 1)
  return quarter === (column & 1) + (row & 1) * 2
}

function holdsAny(box: UnitBox, exponent: number): boolean {
  const left = cellAt(box.minX, exponent)
  const right = cellAt(box.maxX, exponent)
  const bottom = cellAt(box.maxY, exponent)
  for (let row = cellAt(box.minY, exponent); row <= bottom; row += 1)
    for (let column = left; column <= right; column += 1)
      if (holdsPointOf(box, column, row, exponent)) return true
  return false
}

/** Follows the sample point of a cell while it may be in the box. */
function holdsPointOf(box: UnitBox, column: number, row: number, exponent: number): boolean {
  let x = column
  let y = row
  for (let at = exponent; at < worldExponent; at += 1) {
    const quarter = quarterOf(x, y, at)
    x = x * 2 + (quarter & 1)
    y = y * 2 + (quarter >> 1)
    const side = sides[at + 1] as number
    const left = x * side
    const top = y * side
    if (left > box.maxX || left + side < box.minX || top > box.maxY || top + side < box.minY) return false
    if (left >= box.minX && left + side <= box.maxX && top >= box.minY && top + side <= box.maxY) return true
  }
  return x + 0.5 >= box.minX && x + 0.5 <= box.maxX && y + 0.5 >= box.minY && y + 0.5 <= box.maxY
}
