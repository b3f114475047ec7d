import type { Envelope } from '../geo/envelope.ts'

/** Identifiers of the tile matrix sets that tiles are cut by (OGC 17-083r4, annex D). */
const tileMatrixSetIds = ['WebMercatorQuad', 'WorldCRS84Quad'] as const
/** One of `tileMatrixSetIds`. */
export type TileMatrixSetId = (typeof tileMatrixSetIds)[number]

/** One tile: zoom (the tile matrix), column from the west, row from the north. */
export interface TileAddress {
  z: number
  x: number
  y: number
}

/** How the earth is cut into tiles. Plain data: it crosses threads. */
export interface TileMatrixSet {
  id: TileMatrixSetId
  /** What its coordinates are in, x before y. */
  srs: string
  /** Of the one row of tiles at zoom 0, in the units of the CRS. */
  bounds: Envelope
  /** Tiles in a row and in a column at zoom 0; each zoom has twice as many. */
  columns: number
  rows: number
}

/** Deepest zoom of every set. */
export const maxZoom = 22

/** Half the circumference of the sphere of EPSG:3857. */
const mercatorHalf = 20037508.342789244

const sets: Record<TileMatrixSetId, TileMatrixSet> = {
  WebMercatorQuad: {
    id: 'WebMercatorQuad',
    srs: 'EPSG:3857',
    bounds: { minX: -mercatorHalf, minY: -mercatorHalf, maxX: mercatorHalf, maxY: mercatorHalf },
    columns: 1,
    rows: 1,
  },
  WorldCRS84Quad: {
    id: 'WorldCRS84Quad',
    srs: 'EPSG:4326',
    bounds: { minX: -180, minY: -90, maxX: 180, maxY: 90 },
    columns: 2,
    rows: 1,
  },
}

export function getTileMatrixSet(id: TileMatrixSetId): TileMatrixSet {
  return sets[id]
}

/** Whether the set has such a tile. */
export function isTileOf({ columns, rows }: TileMatrixSet, { z, x, y }: TileAddress): boolean {
  const isWhole = Number.isInteger(z) && Number.isInteger(x) && Number.isInteger(y)
  if (!isWhole || z < 0 || z > maxZoom || x < 0 || y < 0) return false
  return x < columns * 2 ** z && y < rows * 2 ** z
}

/** What a tile covers, in the CRS of its set. */
export function tileEnvelope({ bounds, columns, rows }: TileMatrixSet, { z, x, y }: TileAddress): Envelope {
  const width = (bounds.maxX - bounds.minX) / (columns * 2 ** z)
  const height = (bounds.maxY - bounds.minY) / (rows * 2 ** z)
  return {
    minX: bounds.minX + x * width,
    minY: bounds.maxY - (y + 1) * height,
    maxX: bounds.minX + (x + 1) * width,
    maxY: bounds.maxY - y * height,
  }
}
