import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import { PromiseCache } from '../../../core/concurrency/promise-cache.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { Reprojector } from '../../../geo/crs-reproject.ts'
import { createReprojector } from '../../../geo/crs-reproject.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { betweenMeridians } from '../../../geo/reproject-envelope.ts'
import { wideArea } from '../../series/usage-counts.ts'
import type { AreaParameters } from './area-parameters.ts'
import type { RequestedTile } from './requested-tile.ts'

/** Cells are the tiles of zoom 8 of the web mercator grid. */
const cellZoom = 8
const cellsAcross = 2 ** cellZoom
/** A request for more cells indicates no particular place. */
const maxCells = 16
const worldMetres = 20_037_508.342_789_244
/** Latitude limit of the web mercator grid. */
const mercatorDegrees = 85.051_128_779_806_6
const degreesPerRadian = 180 / Math.PI
/** Tolerance for an envelope edge that coincides with a cell boundary. */
const edge = 1e-9

/** Columns and rows of cells, both ends included. */
interface CellRange {
  minColumn: number
  maxColumn: number
  minRow: number
  maxRow: number
}

/** Returns the cells that a tile touches, in the form of `RequestEvent.area`. */
export function areaOfTile({ grid, z, x, y }: RequestedTile): string | undefined {
  if (grid === 'geographic') {
    const size = 180 / 2 ** z
    const [minX, maxY] = [-180 + x * size, 90 - y * size]
    return areaOfDegrees({ minX, minY: maxY - size, maxX: minX + size, maxY })
  }
  if (x >= 2 ** z || y >= 2 ** z) return undefined
  const scale = 2 ** (cellZoom - z)
  const [column, row] = [Math.floor(x * scale), Math.floor(y * scale)]
  const span = Math.max(1, scale) - 1
  return areaOf([{ minColumn: column, maxColumn: column + span, minRow: row, maxRow: row + span }])
}

/** Returns the cells that a box in longitude and latitude touches. */
export function areaOfDegrees(box: Envelope): string | undefined {
  if (![box.minX, box.minY, box.maxX, box.maxY].every(Number.isFinite)) return undefined
  if (box.maxX < box.minX || box.maxY < box.minY || box.minY > 90 || box.maxY < -90) return undefined
  return areaOf(
    betweenMeridians(box).map(({ minX, minY, maxX, maxY }) => ({
      minColumn: firstCell((minX + 180) / 360),
      maxColumn: lastCell((maxX + 180) / 360, (minX + 180) / 360),
      minRow: firstCell(rowShare(maxY)),
      maxRow: lastCell(rowShare(minY), rowShare(maxY)),
    })),
  )
}

/** Returns the share of the height of the web mercator grid north of a latitude. */
function rowShare(latitude: number): number {
  const radians = Math.max(-mercatorDegrees, Math.min(mercatorDegrees, latitude)) / degreesPerRadian
  return 0.5 - Math.asinh(Math.tan(radians)) / (2 * Math.PI)
}

function firstCell(share: number): number {
  return Math.max(0, Math.min(cellsAcross - 1, Math.floor(share * cellsAcross + edge)))
}

function lastCell(share: number, first: number): number {
  const last = Math.ceil(share * cellsAcross - edge) - 1
  return Math.min(cellsAcross - 1, Math.max(firstCell(first), last))
}

function areaOf(ranges: readonly CellRange[]): string | undefined {
  const cells: number[] = []
  for (const { minColumn, maxColumn, minRow, maxRow } of ranges) {
    if ((maxColumn - minColumn + 1) * (maxRow - minRow + 1) + cells.length > maxCells) return wideArea
    for (let row = minRow; row <= maxRow; row += 1)
      for (let column = minColumn; column <= maxColumn; column += 1) cells.push(row * cellsAcross + column)
  }
  return cells.join(',')
}

const records = new BoundedCache<string, NonNullable<ReturnType<typeof findCrs>> | null>(200)
const reprojectors = new PromiseCache<string, Reprojector | undefined>({ limit: 200 })

/**
 * Returns the cells that the requested box intersects; undefined if there is no box, or if its CRS is unknown
 * or cannot be transformed without PROJ's programs. Returns a promise for a CRS other than EPSG:4326 and EPSG:3857.
 */
export function areaOfBox({
  numbers,
  srs,
  isAuthorityOrder,
}: AreaParameters): string | undefined | Promise<string | undefined> {
  const crs = records.get(srs, (name) => findCrs(name) ?? null)
  if (crs === null) return undefined
  const isNorthFirst = isAuthorityOrder && crs.axisOrder === 'yx'
  const [a, b, c, d] = numbers
  const box = isNorthFirst ? { minX: b, minY: a, maxX: d, maxY: c } : { minX: a, minY: b, maxX: c, maxY: d }
  if (crs.srs === 'EPSG:4326') return areaOfDegrees(box)
  if (crs.srs === 'EPSG:3857') return areaOfDegrees(fromWebMercator(box))
  return toDegrees(crs.srs, box).then((degrees) =>
    degrees === undefined ? undefined : areaOfDegrees(degrees),
  )
}

function fromWebMercator({ minX, minY, maxX, maxY }: Envelope): Envelope {
  const longitude = (x: number): number => (x / worldMetres) * 180
  const latitude = (y: number): number => Math.atan(Math.sinh((y / worldMetres) * Math.PI)) * degreesPerRadian
  return { minX: longitude(minX), minY: latitude(minY), maxX: longitude(maxX), maxY: latitude(maxY) }
}

/** Transforms only corners and midpoints of edges, which is sufficient for such large cells. */
async function toDegrees(srs: string, { minX, minY, maxX, maxY }: Envelope): Promise<Envelope | undefined> {
  const reprojector = await findReprojector(srs)
  const transform = reprojector?.transformPlace
  if (transform === undefined) return undefined
  const [midX, midY] = [(minX + maxX) / 2, (minY + maxY) / 2]
  const degrees = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity }
  for (const x of [minX, midX, maxX]) {
    for (const y of [minY, midY, maxY]) {
      const place = { x, y }
      transform(place, 0)
      if (!Number.isFinite(place.x) || !Number.isFinite(place.y)) continue
      degrees.minX = Math.min(degrees.minX, place.x)
      degrees.minY = Math.min(degrees.minY, place.y)
      degrees.maxX = Math.max(degrees.maxX, place.x)
      degrees.maxY = Math.max(degrees.maxY, place.y)
    }
  }
  return degrees.minX > degrees.maxX ? undefined : degrees
}

function findReprojector(srs: string): Promise<Reprojector | undefined> {
  return reprojectors.get(srs, () =>
    createReprojector(srs, 'EPSG:4326', { canUsePrograms: false }).catch(() => undefined),
  )
}
