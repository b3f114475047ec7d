import { createReprojector } from '../../geo/crs-reproject.ts'
import type { DrawnRasterSource } from './raster-source.ts'
import { cellSize, mercatorHalf, tileCells } from './tiff/tiff-pyramid.ts'

/** A part of a raster in cells of a zoom level of Web Mercator, aligned to whole tiles. */
export interface MercatorPart {
  zoom: number
  /** Column of the upper left cell. */
  column: number
  row: number
  width: number
  height: number
}

/** Latitude limit of Web Mercator. */
const maxLatitude = 85.051_128_779_806_59
const deepestZoom = 22
/** Number of sample points in both directions. */
const gridSteps = 24

interface LonLat {
  longitude: number
  latitude: number
}

/** Transforms points (x, y, height) to longitude and latitude, in place. */
async function toLonLat(
  points: Float64Array,
  crs: DrawnRasterSource['crs'],
  signal: AbortSignal,
): Promise<void> {
  const reprojector = await createReprojector(crs, 'EPSG:4326', { signal })
  try {
    await reprojector.transform(points)
  } finally {
    await reprojector.close()
  }
}

/**
 * Returns the positions of a regular grid of points of the raster as longitude and latitude, row by row; NaN
 * if a point cannot be transformed.
 */
async function gridOf(
  { width, height, geoTransform = [], crs }: DrawnRasterSource,
  signal: AbortSignal,
): Promise<LonLat[]> {
  const [x0 = 0, ax = 0, bx = 0, y0 = 0, ay = 0, by = 0] = geoTransform
  const points = new Float64Array((gridSteps + 1) ** 2 * 3)
  for (let row = 0; row <= gridSteps; row += 1) {
    for (let column = 0; column <= gridSteps; column += 1) {
      const [u, v] = [(column / gridSteps) * width, (row / gridSteps) * height]
      points.set([x0 + u * ax + v * bx, y0 + u * ay + v * by, 0], (row * (gridSteps + 1) + column) * 3)
    }
  }
  await toLonLat(points, crs, signal)
  return Array.from({ length: points.length / 3 }, (_, at) => ({
    longitude: points[at * 3] ?? Number.NaN,
    latitude: points[at * 3 + 1] ?? Number.NaN,
  }))
}

/** Adds full turns to longitudes so that each differs by at most half a turn from its neighbour. */
function unwrap(points: LonLat[]): LonLat[] {
  const side = gridSteps + 1
  const seen: LonLat[] = []
  for (const [at, point] of points.entries()) {
    const before = at % side === 0 ? seen[at - side] : seen[at - 1]
    const turns = before === undefined ? 0 : Math.round((before.longitude - point.longitude) / 360)
    seen.push({ ...point, longitude: point.longitude + (Number.isFinite(turns) ? turns * 360 : 0) })
  }
  return seen
}

const northing = (latitude: number): number => {
  const sine = Math.sin((Math.max(-maxLatitude, Math.min(maxLatitude, latitude)) * Math.PI) / 180)
  return (mercatorHalf / Math.PI) * Math.atanh(sine)
}
const easting = (longitude: number): number => (longitude / 180) * mercatorHalf

/** Returns the median width of a cell in Web Mercator. */
function cellLength(points: LonLat[], { width, height }: DrawnRasterSource): number | undefined {
  const side = gridSteps + 1
  const lengths: number[] = []
  for (let at = 0; at < points.length - side; at += 1) {
    const [here, right, below] = [points[at], points[at + 1], points[at + side]]
    if (at % side === gridSteps || !here || !right || !below) continue
    if ([here, right, below].some(({ latitude }) => Math.abs(latitude) > maxLatitude)) continue
    const across = [
      easting(right.longitude - here.longitude),
      northing(right.latitude) - northing(here.latitude),
    ]
    const down = [
      easting(below.longitude - here.longitude),
      northing(below.latitude) - northing(here.latitude),
    ]
    const area = Math.abs((across[0] ?? 0) * (down[1] ?? 0) - (across[1] ?? 0) * (down[0] ?? 0))
    const cells = (width / gridSteps) * (height / gridSteps)
    if (area > 0) lengths.push(Math.sqrt(area / cells))
  }
  return lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)]
}

/**
 * Splits a range of longitudes into ranges within -180 to 180 degrees: two if it crosses the antimeridian.
 */
function sides(west: number, east: number): [number, number][] {
  if (east - west >= 359.999) return [[-180, 180]]
  const shift = Math.floor((west + 180) / 360) * 360
  const [from, to] = [west - shift, east - shift]
  return to <= 180 + 1e-9
    ? [[from, Math.min(to, 180)]]
    : [
        [from, 180],
        [-180, to - 360],
      ]
}

/** Extends an area to whole tiles of the zoom level. */
function toPart(zoom: number, [west, east]: [number, number], south: number, north: number): MercatorPart {
  const size = cellSize(zoom) * tileCells
  const last = 2 ** zoom
  const clamp = (value: number): number => Math.max(0, Math.min(last, value))
  const left = clamp(Math.floor((easting(west) + mercatorHalf) / size + 1e-6))
  const right = clamp(Math.ceil((easting(east) + mercatorHalf) / size - 1e-6))
  const top = clamp(Math.floor((mercatorHalf - northing(north)) / size + 1e-6))
  const bottom = clamp(Math.ceil((mercatorHalf - northing(south)) / size - 1e-6))
  return {
    zoom,
    column: left * tileCells,
    row: top * tileCells,
    width: Math.max(1, right - left) * tileCells,
    height: Math.max(1, bottom - top) * tileCells,
  }
}

/**
 * Returns the position of a raster in Web Mercator, at the zoom level whose cell size is closest to that of
 * the raster: two parts if it crosses the antimeridian, none if it is beyond the latitudes of Web Mercator.
 */
export async function mercatorParts(source: DrawnRasterSource, signal: AbortSignal): Promise<MercatorPart[]> {
  const points = unwrap(await gridOf(source, signal))
  const known = points.filter(
    ({ longitude, latitude }) => Number.isFinite(longitude) && Number.isFinite(latitude),
  )
  const length = cellLength(points, source)
  if (known.length === 0 || length === undefined) return []
  const south = Math.min(...known.map(({ latitude }) => latitude))
  const north = Math.max(...known.map(({ latitude }) => latitude))
  if (south >= maxLatitude || north <= -maxLatitude) return []
  const zoom = Math.max(0, Math.min(deepestZoom, Math.round(Math.log2(cellSize(0) / length))))
  const west = Math.min(...known.map(({ longitude }) => longitude))
  const east = Math.max(...known.map(({ longitude }) => longitude))
  return sides(west, east).map((side) => toPart(zoom, side, south, north))
}

/** Number of sample points along each side of a footprint. */
const sideSteps = 4

/**
 * Returns the positions of footprints in Web Mercator: two boxes each (min x, min y, max x, max y), the
 * second NaN if there is only one.
 */
export async function mercatorBoxes(
  corners: Float64Array,
  crs: DrawnRasterSource['crs'],
  signal: AbortSignal,
): Promise<Float64Array> {
  const count = corners.length / 8
  const each = 4 * sideSteps
  const points = new Float64Array(count * each * 3)
  for (let ring = 0; ring < count; ring += 1) {
    for (let at = 0; at < each; at += 1) {
      const side = Math.floor(at / sideSteps)
      const share = (at % sideSteps) / sideSteps
      for (const axis of [0, 1]) {
        const from = corners[ring * 8 + side * 2 + axis] ?? Number.NaN
        const to = corners[ring * 8 + ((side + 1) % 4) * 2 + axis] ?? Number.NaN
        points[(ring * each + at) * 3 + axis] = from + (to - from) * share
      }
    }
  }
  await toLonLat(points, crs, signal)
  const boxes = new Float64Array(count * 8).fill(Number.NaN)
  for (let ring = 0; ring < count; ring += 1) {
    const seen = points.subarray(ring * each * 3, (ring + 1) * each * 3)
    boxes.set(ringBoxes(seen), ring * 8)
  }
  return boxes
}

function ringBoxes(points: Float64Array): number[] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  let before: number | undefined
  for (let at = 0; at < points.length; at += 3) {
    const [plain = Number.NaN, latitude = Number.NaN] = [points[at], points[at + 1]]
    if (!Number.isFinite(plain) || !Number.isFinite(latitude)) continue
    const longitude = before === undefined ? plain : plain + Math.round((before - plain) / 360) * 360
    before = longitude
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  if (before === undefined) return []
  return sides(west, east).flatMap(([from, to]) => [
    easting(from),
    northing(south),
    easting(to),
    northing(north),
  ])
}
