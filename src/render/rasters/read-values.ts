import { ProgramError, runProgram } from '../../core/process/process.ts'
import { limitedProgram, withRasterSource } from '../../formats/index.ts'
import { detectFormat } from '../../formats/registry.ts'
import { type RasterBand, rasterDrivers } from '../../formats/worker.ts'
import { findCrs } from '../../geo/crs-database.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { withSidecars } from '../../stores/index.ts'
import { noTiles, toolTrouble } from './no-tiles.ts'
import type { DrawnRasterSource } from './raster-source.ts'
import { mercatorHalf } from './tiff/tiff-pyramid.ts'

/** Location of the query. */
export interface RasterPosition {
  /** Authority code. */
  srs: string
  /** Easting or longitude; longitudes may exceed 180 degrees. */
  x: number
  y: number
}

/** Value of one band at a location. */
export interface BandValue {
  name: string
  /** Null if the band has no data at the location. */
  value: number | null
  unit?: string
}

/** A cell of a raster. */
interface Cell {
  column: number
  row: number
}

const readMs = 10_000
const maxOutputBytes = 1 << 20
/** Maximum number of rasters that are read, the topmost first. */
const maxLooks = 8

/**
 * Returns the values of the topmost raster with data at a location, read from its own file without
 * resampling. Undefined if none has data. The last source is on top.
 */
export async function readValues(
  sources: readonly DrawnRasterSource[],
  position: RasterPosition,
  signal: AbortSignal,
): Promise<BandValue[] | undefined> {
  const cells = await cellsAt(sources, position)
  for (const { source, cell } of cells.toReversed().slice(0, maxLooks)) {
    const values = valuesOf(source.bands, await readCell(source, cell, signal))
    if (values !== undefined) return values
  }
  return undefined
}

/** All rasters of a layer have the same CRS. */
async function cellsAt(
  sources: readonly DrawnRasterSource[],
  { srs, x, y }: RasterPosition,
): Promise<{ source: DrawnRasterSource; cell: Cell }[]> {
  const [first] = sources
  if (first === undefined) return []
  const turns = [0, 1, -1]
  const points = Float64Array.from(turns.flatMap((turn) => [x + turn * roundOf(srs), y, 0]))
  const crs = first.srs ?? first.crs
  const reprojector = await createReprojector(srs, crs)
  try {
    await reprojector.transform(points)
  } finally {
    await reprojector.close()
  }
  const around = roundOf(crs)
  const places = turns.flatMap((_, at) =>
    turns.map((turn) => ({
      x: (points[at * 3] ?? Number.NaN) + turn * around,
      y: points[at * 3 + 1] ?? Number.NaN,
    })),
  )
  return sources.flatMap((source) => {
    const cell = places.map((one) => cellOf(source, one)).find((one) => one !== undefined)
    return cell === undefined ? [] : [{ source, cell }]
  })
}

/** Returns the distance in x after which locations of a CRS repeat; 0 if they do not. */
function roundOf(crs: DrawnRasterSource['crs']): number {
  if (crs === 'EPSG:3857') return 2 * mercatorHalf
  return typeof crs === 'string' && findCrs(crs)?.kind === 'geographic' ? 360 : 0
}

function cellOf(
  { geoTransform, width, height }: DrawnRasterSource,
  { x, y }: { x: number; y: number },
): Cell | undefined {
  if (geoTransform === undefined)
    throw noTiles('control points alone say where its cells lie, so that no cell can be told')
  const [left = 0, ax = 0, bx = 0, top = 0, ay = 0, by = 0] = geoTransform
  const whole = ax * by - bx * ay
  const column = Math.floor(((x - left) * by - (y - top) * bx) / whole)
  const row = Math.floor(((y - top) * ax - (x - left) * ay) / whole)
  return column >= 0 && row >= 0 && column < width && row < height ? { column, row } : undefined
}

async function readCell(
  { file }: DrawnRasterSource,
  { column, row }: Cell,
  signal: AbortSignal,
): Promise<string[]> {
  const data = await withSidecars(file.path)
  const format = await detectFormat(data, signal)
  const driver = rasterDrivers.find(({ name }) => name === format?.name)
  if (driver === undefined) throw noTiles('its file is not a raster of a known format')
  return withRasterSource(data, driver, async ({ path, folder, env }) => {
    const requested = ['-valonly', path, String(column), String(row)]
    const [program, args] = await limitedProgram('gdallocationinfo', requested)
    try {
      const options = { cwd: folder, env, timeoutMs: readMs, maxOutputBytes, signal }
      const { stdout } = await runProgram(program, args, options)
      return stdout.toString('utf8').trim().split('\n')
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProgramError)) throw error
      throw toolTrouble(error, [folder])
    }
  })
}

/** Returns the values of the bands; undefined if no band has data. */
function valuesOf(bands: readonly RasterBand[], texts: readonly string[]): BandValue[] | undefined {
  const reported = bands.map((band, at) => ({ band, value: numberOf(texts[at]) }))
  const isClear = reported.some(({ band, value }) => band.color === 'Alpha' && value === 0)
  const values = reported
    .filter(({ band }) => band.color !== 'Alpha')
    .map(({ band, value }, at) => ({
      name: band.description ?? `band ${at + 1}`,
      value: isNoData(band, value) ? null : value,
      unit: band.unit,
    }))
  return isClear || values.every(({ value }) => value === null) ? undefined : values
}

function numberOf(text: string | undefined): number {
  return text === undefined || text.trim() === '' ? Number.NaN : Number(text)
}

/** No-data values may have more digits than single-precision cells. */
function isNoData({ noData, dataType }: RasterBand, value: number): boolean {
  if (!Number.isFinite(value) || noData === value) return true
  return dataType === 'Float32' && typeof noData === 'number' && Math.fround(noData) === Math.fround(value)
}
