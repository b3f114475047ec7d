import type { PlacedSource } from '../rasters/rasters.ts'

/** The cells of a coverage: of one raster, or of a grid that covers a whole mosaic. */
export interface CoverageGrid {
  /** Authority code. */
  srs: string
  /** Columns and rows. */
  width: number
  height: number
  /** Affine coefficients from cells to the CRS, in GDAL's order. */
  geoTransform: readonly number[]
}

/** A part of a grid. */
export interface CellWindow {
  column: number
  row: number
  columns: number
  rows: number
}

/** Undefined if the CRS has no code, or if no regular grid fits the cells. */
export function gridOf(sources: readonly PlacedSource[]): CoverageGrid | undefined {
  const [first, ...others] = sources
  if (first?.srs === undefined || first.geoTransform === undefined) return undefined
  const { srs, width, height, geoTransform } = first
  if (others.length === 0) return { srs, width, height, geoTransform }
  return commonGrid(srs, sources)
}

/** Returns a grid with the resolution of the finest raster. Undefined with rotated or flipped granules. */
function commonGrid(srs: string, sources: readonly PlacedSource[]): CoverageGrid | undefined {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  let [across, down] = [Infinity, Infinity]
  for (const { geoTransform, width, height } of sources) {
    const [x = 0, ax = 0, bx = 0, y = 0, ay = 0, by = 0] = geoTransform ?? []
    if (!(ax > 0 && by < 0) || bx !== 0 || ay !== 0) return undefined
    across = Math.min(across, ax)
    down = Math.min(down, -by)
    minX = Math.min(minX, x)
    maxX = Math.max(maxX, x + width * ax)
    minY = Math.min(minY, y + height * by)
    maxY = Math.max(maxY, y)
  }
  return {
    srs,
    width: Math.max(1, Math.round((maxX - minX) / across)),
    height: Math.max(1, Math.round((maxY - minY) / down)),
    geoTransform: [minX, across, 0, maxY, 0, -down],
  }
}

/** Returns the coordinates of the corner of a cell: x and y. */
export function cornerOf(
  { geoTransform }: Pick<CoverageGrid, 'geoTransform'>,
  column: number,
  row: number,
): [x: number, y: number] {
  const [x = 0, ax = 0, bx = 0, y = 0, ay = 0, by = 0] = geoTransform
  return [x + column * ax + row * bx, y + column * ay + row * by]
}

/** Returns the grid coordinates of a location: columns and rows from the corner of the first cell. */
function cellOf(
  { geoTransform }: Pick<CoverageGrid, 'geoTransform'>,
  [x, y]: readonly [x: number, y: number],
): [column: number, row: number] {
  const [left = 0, ax = 0, bx = 0, top = 0, ay = 0, by = 0] = geoTransform
  const whole = ax * by - bx * ay
  return [((x - left) * by - (y - top) * bx) / whole, ((y - top) * ax - (x - left) * ay) / whole]
}

/** Returns the envelope of the cells; for a rotated grid that of the enclosing rectangle. */
export function envelopeOf(
  grid: CoverageGrid,
  { column, row, columns, rows }: CellWindow = { column: 0, row: 0, columns: grid.width, rows: grid.height },
): { minX: number; minY: number; maxX: number; maxY: number } {
  const corners = [
    cornerOf(grid, column, row),
    cornerOf(grid, column + columns, row),
    cornerOf(grid, column, row + rows),
    cornerOf(grid, column + columns, row + rows),
  ]
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) }
}

/**
 * Tolerance of edges as a share of a cell: coordinates are texts with fewer digits than in the calculation.
 */
const slack = 1e-3

/**
 * Returns the cells whose centers are in a box (edges included); for a rotated grid the enclosing rectangle
 * of cells. If the box contains no center, returns the cells that contain the box. Undefined outside of the
 * grid.
 */
export function windowOf(
  grid: CoverageGrid,
  { minX, minY, maxX, maxY }: { minX: number; minY: number; maxX: number; maxY: number },
): CellWindow | undefined {
  const corners = [
    cellOf(grid, [minX, minY]),
    cellOf(grid, [minX, maxY]),
    cellOf(grid, [maxX, minY]),
    cellOf(grid, [maxX, maxY]),
  ]
  const across = spanOf(
    corners.map(([column]) => column),
    grid.width,
  )
  const down = spanOf(
    corners.map(([, row]) => row),
    grid.height,
  )
  if (across === undefined || down === undefined) return undefined
  return { column: across.first, columns: across.count, row: down.first, rows: down.count }
}

/** For one direction; the center of cell n is at n + 0.5. */
function spanOf(ends: readonly number[], size: number): { first: number; count: number } | undefined {
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  if (!(high > slack && low < size - slack) && !(low === high && low >= 0 && low <= size)) return undefined
  let first = Math.ceil(low - 0.5 - slack)
  let last = Math.floor(high - 0.5 + slack)
  if (first > last) {
    first = Math.floor(low)
    last = Math.max(first, Math.ceil(high) - 1)
  }
  first = Math.min(size - 1, Math.max(0, first))
  last = Math.min(size - 1, Math.max(first, last))
  return { first, count: last - first + 1 }
}
