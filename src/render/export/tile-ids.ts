import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'

/** Returns the number of tiles of all preceding zoom levels. */
function firstId(z: number): number {
  return (4 ** z - 1) / 3
}

/**
 * Returns the id of a tile of WebMercatorQuad: zoom by zoom, along a Hilbert curve within each zoom level
 * (PMTiles 3, section 4.1).
 */
export function tileIdOf({ z, x, y }: TileAddress): number {
  let along = 0
  let [column, row] = [x, y]
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const isEast = column >= side
    const isSouth = row >= side
    along += side * side * (isSouth ? (isEast ? 2 : 1) : isEast ? 3 : 0)
    column -= isEast ? side : 0
    row -= isSouth ? side : 0
    if (!isSouth) [column, row] = isEast ? [side - 1 - row, side - 1 - column] : [row, column]
  }
  return firstId(z) + along
}

/** Returns the tile at position `along` on the curve of a zoom. */
export function tileAlong(z: number, along: number): TileAddress {
  let x = 0
  let y = 0
  let rest = along
  for (let side = 1; side < 2 ** z; side *= 2) {
    const quarter = rest % 4
    const isEast = quarter >= 2
    const isSouth = quarter === 1 || quarter === 2
    if (!isSouth) [x, y] = isEast ? [side - 1 - y, side - 1 - x] : [y, x]
    x += isEast ? side : 0
    y += isSouth ? side : 0
    rest = Math.floor(rest / 4)
  }
  return { z, x, y }
}
