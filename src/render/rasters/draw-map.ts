import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Background, MapFrame } from './map-frame.ts'
import { mercatorOfDegrees } from './map-frame.ts'
import { cellSize, mercatorHalf, tileCells } from './tiff/tiff-pyramid.ts'

/**
 * Paints a square of cells of the frame's zoom level as red, green, blue and alpha; undefined if it has no
 * data.
 */
type PaintSquare = (square: {
  zoom: number
  column: number
  row: number
  size: number
}) => Promise<Uint8Array | undefined>

/** Converts x and y of a row of pixels to Web Mercator, three numbers per point, in place. */
type ToMercator = (points: Float64Array) => void | Promise<void>

/** Number of rows between two checks of the abort signal. */
const rowsPerLook = 64

/**
 * Draws an image in any CRS from cells in Web Mercator. Each pixel has the colour at its center, interpolated
 * from the four surrounding cells if shades may be interpolated.
 */
export async function drawMap(
  frame: MapFrame,
  { isMixed, background }: { isMixed: boolean; background: Background },
  paintSquare: PaintSquare,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const cells = await paintCellsOf(frame, paintSquare, signal)
  const { srs, box, width, height, zoom } = frame
  const picture = new Uint8Array(width * height * 4)
  const size = cellSize(zoom)
  const world = tileCells * 2 ** zoom
  const sample = isMixed ? mixedSample : nearestSample
  const points = new Float64Array(width * 3)
  const toMercator = await toMercatorFrom(srs)
  try {
    for (let row = 0; row < height; row += 1) {
      if (row % rowsPerLook === 0) await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      const y = box.maxY - ((row + 0.5) * (box.maxY - box.minY)) / height
      for (let column = 0; column < width; column += 1)
        points.set([box.minX + ((column + 0.5) * (box.maxX - box.minX)) / width, y, 0], column * 3)
      await toMercator.run(points)
      for (let column = 0; column < width; column += 1) {
        const across = ((points[column * 3] ?? Number.NaN) + mercatorHalf) / size - frame.cells.column
        // The transformation to Web Mercator wraps at its edge, but the frame may extend beyond it.
        const x =
          across >= 0 && across < frame.cells.columns ? across : across - Math.floor(across / world) * world
        const down = (mercatorHalf - (points[column * 3 + 1] ?? Number.NaN)) / size - frame.cells.row
        sample(cells, frame.cells, { x, y: down }, picture, (row * width + column) * 4)
      }
    }
  } finally {
    await toMercator.close()
  }
  return withBackground(picture, background)
}

async function toMercatorFrom(srs: string): Promise<{ run: ToMercator; close(): Promise<void> }> {
  const close = async (): Promise<void> => undefined
  if (srs === 'EPSG:3857') return { run: () => undefined, close }
  if (srs === 'EPSG:4326') return { run: degreesToMercator, close }
  const reprojector = await createReprojector(srs, 'EPSG:3857')
  return { run: (points) => reprojector.transform(points), close: () => reprojector.close() }
}

/** Converts degrees to Web Mercator, also for longitudes beyond 180 degrees. */
function degreesToMercator(points: Float64Array): void {
  for (let at = 0; at < points.length; at += 3) {
    const [x, y] = mercatorOfDegrees(points[at] ?? 0, points[at + 1] ?? 0)
    points[at] = x
    points[at + 1] = y
  }
}

/** Paints all cells of a frame, square by square; squares never cross the edge of the world. */
async function paintCellsOf(
  { zoom, cells }: MapFrame,
  paintSquare: PaintSquare,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { column, row, columns, rows } = cells
  const painted = new Uint8Array(columns * rows * 4)
  const side = tileCells * 2 ** zoom
  const size = Math.min(side, 2 * tileCells)
  for (let top = Math.floor(row / size) * size; top < row + rows; top += size)
    for (let left = Math.floor(column / size) * size; left < column + columns; left += size) {
      signal.throwIfAborted()
      const turned = ((left % side) + side) % side
      const square = await paintSquare({ zoom, column: turned, row: top, size })
      if (square !== undefined)
        copySquare(square, { left: left - column, top: top - row, size }, painted, cells)
    }
  return painted
}

function copySquare(
  square: Uint8Array,
  { left, top, size }: { left: number; top: number; size: number },
  painted: Uint8Array,
  { columns, rows }: Pick<MapFrame['cells'], 'columns' | 'rows'>,
): void {
  const [from, to] = [Math.max(0, left), Math.min(columns, left + size)]
  for (let y = Math.max(0, top); y < Math.min(rows, top + size); y += 1) {
    const start = ((y - top) * size + from - left) * 4
    painted.set(square.subarray(start, start + (to - from) * 4), (y * columns + from) * 4)
  }
}

type Sample = (
  cells: Uint8Array,
  size: Pick<MapFrame['cells'], 'columns' | 'rows'>,
  position: { x: number; y: number },
  picture: Uint8Array,
  at: number,
) => void

const nearestSample: Sample = (cells, { columns, rows }, { x, y }, picture, at) => {
  const [column, row] = [Math.floor(x), Math.floor(y)]
  if (!(column >= 0 && row >= 0 && column < columns && row < rows)) return
  const from = (row * columns + column) * 4
  for (let part = 0; part < 4; part += 1) picture[at + part] = cells[from + part] ?? 0
}

/** Excludes cells without data from the interpolation, so that edges look like in tiles. */
const mixedSample: Sample = (cells, size, position, picture, at) => {
  nearestSample(cells, size, position, picture, at)
  if ((picture[at + 3] ?? 0) === 0) return
  const { columns, rows } = size
  const [x, y] = [position.x - 0.5, position.y - 0.5]
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [across, down] = [x - left, y - top]
  let whole = 0
  const sums = [0, 0, 0, 0]
  for (let corner = 0; corner < 4; corner += 1) {
    const [column, row] = [left + (corner & 1), top + (corner >> 1)]
    if (column < 0 || row < 0 || column >= columns || row >= rows) continue
    const from = (row * columns + column) * 4
    const alpha = cells[from + 3] ?? 0
    if (alpha === 0) continue
    const share = (corner & 1 ? across : 1 - across) * (corner >> 1 ? down : 1 - down)
    whole += share
    for (let part = 0; part < 3; part += 1)
      sums[part] = (sums[part] ?? 0) + share * alpha * (cells[from + part] ?? 0)
    sums[3] = (sums[3] ?? 0) + share * alpha
  }
  const alphas = sums[3] ?? 0
  if (whole === 0 || alphas === 0) return
  for (let part = 0; part < 3; part += 1) picture[at + part] = Math.round((sums[part] ?? 0) / alphas)
  picture[at + 3] = Math.round(alphas / whole)
}

function withBackground(picture: Uint8Array, background: Background): Uint8Array {
  const below = background[3] / 255
  if (below === 0) return picture
  for (let at = 0; at < picture.length; at += 4) {
    const above = (picture[at + 3] ?? 0) / 255
    if (above === 1) continue
    const whole = above + below * (1 - above)
    for (let part = 0; part < 3; part += 1)
      picture[at + part] = Math.round(
        ((picture[at + part] ?? 0) * above + (background[part] ?? 0) * below * (1 - above)) / whole,
      )
    picture[at + 3] = Math.round(whole * 255)
  }
  return picture
}
