import type { Envelope } from '../../geo/envelope.ts'
import { cellSize, mercatorHalf } from './tiff/tiff-pyramid.ts'

/** Background: red, green, blue and alpha from 0 to 255. */
export type Background = readonly [number, number, number, number]

/** A picture of a rectangle in some CRS. Plain data. */
export interface MapFrame {
  /** Authority code of the CRS of the image. */
  srs: string
  /**
   * Extent with x before y; the eastern edge may be beyond the edge of the world if the rectangle crosses the
   * antimeridian.
   */
  box: Envelope
  width: number
  height: number
  /** Zoom level of Web Mercator whose cells are read. */
  zoom: number
  /** Cells to read, among those of the whole zoom; columns continue beyond its edge. */
  cells: { column: number; row: number; columns: number; rows: number }
}

/** Maximum number of cells painted for one image, which limits memory and time. */
const maxCells = 4096 * 4096
/** The world is repeated at most three times. */
const farthest = 3 * mercatorHalf
/** Margin around the frame in cells, for interpolating pixels. */
const margin = 2

/**
 * Returns the frame of an image; `mercator` is the enclosing rectangle in Web Mercator. Cells are at least as
 * fine as pixels if the layer has such cells, and coarser if there would be too many.
 */
export function mapFrame(
  picture: Pick<MapFrame, 'srs' | 'box' | 'width' | 'height'>,
  mercator: Envelope,
  maxZoom: number,
): MapFrame {
  const pixel = (mercator.maxX - mercator.minX) / picture.width
  const requested = Math.ceil(Math.log2(cellSize(0) / pixel) - 1e-6)
  let zoom = Math.min(maxZoom, Math.max(0, requested))
  let cells = cellsOf(mercator, zoom)
  while (zoom > 0 && cells.columns * cells.rows > maxCells) {
    zoom -= 1
    cells = cellsOf(mercator, zoom)
  }
  return { ...picture, zoom, cells }
}

function cellsOf({ minX, minY, maxX, maxY }: Envelope, zoom: number): MapFrame['cells'] {
  const size = cellSize(zoom)
  const [west, east] = [Math.max(minX, -farthest), Math.min(maxX, farthest)]
  const side = Math.round((2 * mercatorHalf) / size)
  const column = Math.floor((west + mercatorHalf) / size) - margin
  const row = Math.max(0, Math.floor((mercatorHalf - maxY) / size) - margin)
  const lastColumn = Math.ceil((east + mercatorHalf) / size) + margin
  const lastRow = Math.min(side, Math.ceil((mercatorHalf - minY) / size) + margin)
  return { column, row, columns: Math.max(0, lastColumn - column), rows: Math.max(0, lastRow - row) }
}

/** Converts degrees to Web Mercator, which does not contain the poles. */
export function mercatorOfDegrees(longitude: number, latitude: number): [x: number, y: number] {
  const radians = (latitude * Math.PI) / 180
  return [(longitude / 180) * mercatorHalf, (Math.asinh(Math.tan(radians)) / Math.PI) * mercatorHalf]
}
