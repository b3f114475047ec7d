import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'

/** Number of tiles along each side of a metatile. */
const usualSide = 4
/** Width of a tile in pixels. */
const tileCells = 256
/** Pixels around the tiles for marks that extend into them. */
const buffer = 64

/** Tiles that are drawn in one image. */
export interface Metatile {
  z: number
  /** Address of the north-western tile. */
  x: number
  y: number
  columns: number
  rows: number
  srs: string
  /** Extent of the image. */
  box: Envelope
  width: number
  height: number
  /** Offset of the first tile in the image, and its side in pixels. */
  left: number
  top: number
  size: number
  /** Width of the margin without labels, in pixels. */
  margin: number
}

/** Returns the metatile of a tile, with a buffer around it that ends at the edge of the world. */
export function metatileOf(
  set: TileMatrixSetId,
  { z, x, y }: TileAddress,
  { side = usualSide, scale }: { side?: number | undefined; scale: 1 | 2 },
): Metatile {
  const matrix = getTileMatrixSet(set)
  const { srs, bounds } = matrix
  const [across, down] = [matrix.columns * 2 ** z, matrix.rows * 2 ** z]
  const [first, top] = [x - (x % side), y - (y % side)]
  const [columns, rows] = [Math.min(side, across - first), Math.min(side, down - top)]
  const size = tileCells * scale
  const cell = (bounds.maxX - bounds.minX) / (across * size)
  const margin = buffer * scale
  const beside = {
    west: first === 0 ? 0 : margin,
    east: first + columns === across ? 0 : margin,
    north: top === 0 ? 0 : margin,
    south: top + rows === down ? 0 : margin,
  }
  const upper = tileEnvelope(matrix, { z, x: first, y: top })
  const lower = tileEnvelope(matrix, { z, x: first + columns - 1, y: top + rows - 1 })
  return {
    z,
    x: first,
    y: top,
    columns,
    rows,
    srs,
    size,
    margin,
    left: beside.west,
    top: beside.north,
    width: columns * size + beside.west + beside.east,
    height: rows * size + beside.north + beside.south,
    box: {
      minX: upper.minX - beside.west * cell,
      minY: lower.minY - beside.south * cell,
      maxX: lower.maxX + beside.east * cell,
      maxY: upper.maxY + beside.north * cell,
    },
  }
}

/** Returns the tiles of a metatile, row by row. */
export function tilesOf({ z, x, y, columns, rows }: Metatile): TileAddress[] {
  return Array.from({ length: columns * rows }, (_, at) => ({
    z,
    x: x + (at % columns),
    y: y + Math.floor(at / columns),
  }))
}
