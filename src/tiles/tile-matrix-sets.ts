import type { Envelope } from '../geo/envelope.ts'

/** Identifiers of the supported tile matrix sets (OGC 17-083r4, annex D). */
const tileMatrixSetIds = ['WebMercatorQuad', 'WorldCRS84Quad'] as const
export type TileMatrixSetId = (typeof tileMatrixSetIds)[number]

/** One tile: zoom level (the tile matrix), column from the west, row from the north. */
export interface TileAddress {
  z: number
  x: number
  y: number
}

/** A tile matrix set. Plain data: it is passed between threads. */
export interface TileMatrixSet {
  id: TileMatrixSetId
  /** CRS of its coordinates, x before y. */
  srs: string
  /** Bounds of the row of tiles at zoom level 0, in units of the CRS. */
  bounds: Envelope
  /** Number of tiles in a row and in a column at zoom level 0; doubles with each level. */
  columns: number
  rows: number
}

/** Deepest zoom level of every set. */
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

/** True if the set contains the tile. */
export function isTileOf({ columns, rows }: TileMatrixSet, { z, x, y }: TileAddress): boolean {
  const isWhole = Number.isInteger(z) && Number.isInteger(x) && Number.isInteger(y)
  if (!isWhole || z < 0 || z > maxZoom || x < 0 || y < 0) return false
  return x < columns * 2 ** z && y < rows * 2 ** z
}

/** Returns the envelope of a tile, in the CRS of its set. */
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
