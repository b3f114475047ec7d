import type { Envelope } from '../../../geo/envelope.ts'
import type { TileAddress, TileMatrixSet } from '../../../tiles/tile-matrix-sets.ts'
import { maxZoom } from '../../../tiles/tile-matrix-sets.ts'

/** Columns and rows of a tile matrix that a tileset has (OGC 17-083r4, section 7.4). */
export interface TileMatrixLimits {
  tileMatrix: string
  minTileRow: number
  maxTileRow: number
  minTileCol: number
  maxTileCol: number
}

const nowhere = { minTileRow: 0, maxTileRow: -1, minTileCol: 0, maxTileCol: -1 }
const mercatorRadius = 6378137

/** Converts longitude and latitude to the CRS of a set; positions beyond the set move to its edge. */
function inSet({ id, bounds }: TileMatrixSet, [longitude, latitude]: [number, number]): [number, number] {
  if (id === 'WorldCRS84Quad') return [longitude, latitude]
  const radians = (latitude * Math.PI) / 180
  const y = mercatorRadius * Math.asinh(Math.tan(radians))
  const x = (longitude * mercatorRadius * Math.PI) / 180
  return [x, Math.min(bounds.maxY, Math.max(bounds.minY, y))]
}

/** Returns the tile index of a share of the whole extent. */
function tileAt(share: number, tiles: number): number {
  return Math.min(tiles - 1, Math.max(0, Math.floor(share * tiles)))
}

/**
 * Returns the tiles of each zoom that intersect a range of longitudes and latitudes; all if the range is
 * unknown. A range beyond 180 degrees continues at the other edge, so that it covers all columns.
 */
export function tilesetLimits(set: TileMatrixSet, range: Envelope | undefined): TileMatrixLimits[] {
  const { bounds, columns, rows } = set
  const whole = { minX: -180, minY: -90, maxX: 180, maxY: 90 }
  const known = range ?? whole
  const isAcross = known.minX < -180 || known.maxX > 180
  const { minX, minY, maxX, maxY } = isAcross ? { ...known, minX: -180, maxX: 180 } : known
  const [west, south] = inSet(set, [minX, minY])
  const [east, north] = inSet(set, [maxX, maxY])
  const shareX = (x: number): number => (x - bounds.minX) / (bounds.maxX - bounds.minX)
  const shareY = (y: number): number => (bounds.maxY - y) / (bounds.maxY - bounds.minY)
  return Array.from({ length: maxZoom + 1 }, (_, z) => {
    const [across, down] = [columns * 2 ** z, rows * 2 ** z]
    return {
      tileMatrix: String(z),
      minTileRow: tileAt(shareY(north), down),
      maxTileRow: tileAt(shareY(south), down),
      minTileCol: tileAt(shareX(west), across),
      maxTileCol: tileAt(shareX(east), across),
    }
  })
}

/** True if a tile is within the limits of its zoom. */
export function isWithinLimits(limits: readonly TileMatrixLimits[], { z, x, y }: TileAddress): boolean {
  const { minTileRow, maxTileRow, minTileCol, maxTileCol } = limits[z] ?? nowhere
  return x >= minTileCol && x <= maxTileCol && y >= minTileRow && y <= maxTileRow
}
