import type { FeaturePositions } from './feature-positions.ts'
import { worldExponent } from './feature-positions.ts'
import { comesBefore } from './layer-generalization.ts'
import type { AreaRule } from './sample-points.ts'
import type { TileRange } from './tile-cells.ts'

/** The rows that a tile shows. */
export interface Selection {
  /** Shown rows, ascending. */
  rows: Uint32Array
  /**
   * Omitted features: those whose reference point is in the tile and that others in their cell represent, and
   * those beyond the maximum of a tile.
   */
  thinned: number
}

/** Selects the rows of a tile, out of all that touch the box of `widenToCells`, in key order. */
export interface RowSelectionOptions {
  positions: FeaturePositions
  /** True if the envelope of the row touches the tile including its buffer. */
  isTouching(row: number): boolean
  /** Result of `cellOf`; undefined if the zoom level is not thinned. */
  cell: number | undefined
  /** For a layer whose positions have `first`. */
  areas?: AreaRule | undefined
  range: TileRange
  /** Maximum number of features per tile. */
  most?: number
}

/**
 * Maximum number of features drawn in one tile: the largest; of equally large ones those with the lowest
 * keys.
 */
export const maxDrawn = 20_000

export function selectTileRows({
  positions,
  isTouching,
  cell,
  areas,
  range,
  most = maxDrawn,
}: RowSelectionOptions): Selection {
  const isFirst = cell === undefined ? undefined : firstOfCells(positions, cell, areas)
  const found: number[] = []
  let hidden = 0
  for (let row = 0; row < positions.count; row += 1) {
    if (isFirst !== undefined && isFirst[row] === 0) {
      if (isInRange(positions, row, range)) hidden += 1
    } else if (isTouching(row)) found.push(row)
  }
  const rows = found.length > most ? preferredRows(positions, found, most) : Uint32Array.from(found)
  return { rows, thinned: hidden + found.length - rows.length }
}

function isInRange({ x, y, size }: FeaturePositions, row: number, range: TileRange): boolean {
  const right = x[row] as number
  const down = y[row] as number
  if (Number.isNaN(size[row] as number)) return false
  return right >= range.minX && right < range.maxX && down >= range.minY && down < range.maxY
}

/** Returns the first rows by preference, in key order. */
function preferredRows({ size }: FeaturePositions, found: number[], most: number): Uint32Array {
  const isBefore = (row: number, other: number): boolean =>
    comesBefore(sizeAt(size, row), row, sizeAt(size, other), other)
  const preferred = found.toSorted((row, other) => (isBefore(row, other) ? -1 : 1))
  return Uint32Array.from(preferred.slice(0, most)).sort()
}

/** Rows without a location come last. */
function sizeAt(size: Float32Array, row: number): number {
  const value = size[row] as number
  return Number.isNaN(value) ? -1 : value
}

/**
 * Returns 1 for each shown row: at least as large as the cell, or the first of the smaller ones in its cell.
 * For polygons, those that contain a sample point.
 */
function firstOfCells(
  { count, x, y, size, first }: FeaturePositions,
  cell: number,
  areas: AreaRule | undefined,
): Uint8Array {
  const shown = new Uint8Array(count)
  if (areas !== undefined && first !== undefined)
    for (let row = 0; row < count; row += 1) if ((first[row] as number) <= cell) shown[row] = 1
  if (areas === 'all') return shown
  const shift = worldExponent - cell
  const side = 2 ** -cell
  const bits = Math.max(4, 33 - Math.clz32(count))
  const slots = new Int32Array(2 ** bits).fill(-1)
  for (let row = 0; row < count; row += 1) {
    const own = size[row] as number
    if (own >= side) shown[row] = 1
    if (!(own < side) || shown[row] === 1) continue
    const right = (x[row] as number) >>> shift
    const down = (y[row] as number) >>> shift
    let slot = (Math.imul(right, 0x9e3779b1) ^ Math.imul(down, 0x85ebca6b)) >>> (32 - bits)
    for (;;) {
      const other = slots[slot] as number
      if (other < 0) {
        slots[slot] = row
        shown[row] = 1
        break
      }
      if ((x[other] as number) >>> shift === right && (y[other] as number) >>> shift === down) {
        if (comesBefore(own, row, size[other] as number, other)) {
          slots[slot] = row
          shown[row] = 1
          shown[other] = 0
        }
        break
      }
      slot = (slot + 1) & (slots.length - 1)
    }
  }
  return shown
}
