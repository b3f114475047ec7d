import { comesBefore } from './layer-thinning.ts'
import type { Places } from './places.ts'
import { worldExponent } from './places.ts'
import type { AreaRule } from './sample-points.ts'
import type { TileRange } from './tile-cells.ts'

/** What a tile shows of the rows around it. */
export interface Selection {
  /** Rows that are shown, ascending. */
  rows: Uint32Array
  /**
   * Features left out: those whose reference point stands in the tile and that others in their cell stand for, and those
   * beyond the most that a tile shows.
   */
  thinned: number
}

/** Which rows a tile shows, out of all that touch the box of `widenToCells`, in the order of their keys. */
export interface SelectionWish {
  places: Places
  /** Whether the row's envelope touches the tile with its buffer. */
  isTouching(row: number): boolean
  /** Of `cellOf`; undefined where the zoom is not thinned. */
  cell: number | undefined
  /** Of a layer whose places have `first`. */
  areas?: AreaRule | undefined
  range: TileRange
  /** The most that one tile shows. */
  most?: number
}

/** More features than this are never drawn in one tile: the largest are, of equal ones those with the lowest keys. */
export const mostDrawn = 20_000

export function selectRows({
  places,
  isTouching,
  cell,
  areas,
  range,
  most = mostDrawn,
}: SelectionWish): Selection {
  const isFirst = cell === undefined ? undefined : firstOfCells(places, cell, areas)
  const found: number[] = []
  let hidden = 0
  for (let row = 0; row < places.count; row += 1) {
    if (isFirst !== undefined && isFirst[row] === 0) {
      if (isInRange(places, row, range)) hidden += 1
    } else if (isTouching(row)) found.push(row)
  }
  const rows = found.length > most ? preferredRows(places, found, most) : Uint32Array.from(found)
  return { rows, thinned: hidden + found.length - rows.length }
}

function isInRange({ x, y, size }: Places, row: number, range: TileRange): boolean {
  const right = x[row] as number
  const down = y[row] as number
  if (Number.isNaN(size[row] as number)) return false
  return right >= range.minX && right < range.maxX && down >= range.minY && down < range.maxY
}

/** The first of them in the order of preference, in the order of their keys. */
function preferredRows({ size }: Places, found: number[], most: number): Uint32Array {
  const isBefore = (row: number, other: number): boolean =>
    comesBefore(sizeAt(size, row), row, sizeAt(size, other), other)
  const preferred = found.toSorted((row, other) => (isBefore(row, other) ? -1 : 1))
  return Uint32Array.from(preferred.slice(0, most)).sort()
}

/** What has no place comes last. */
function sizeAt(size: Float32Array, row: number): number {
  const value = size[row] as number
  return Number.isNaN(value) ? -1 : value
}

/**
 * Of each row 1 where it is shown: as large as the cell at least, or the first of the smaller ones in its cell. Of polygons those that
 * hold a sample point.
 */
function firstOfCells(
  { count, x, y, size, first }: Places,
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
