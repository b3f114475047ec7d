import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { type RasterSource as LinkedRaster, withRasterSource } from '../../formats/index.ts'
import { detectFormat } from '../../formats/registry.ts'
import { FormatError, rasterDrivers } from '../../formats/worker.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { withSidecars } from '../../stores/index.ts'
import type { PlacedSource } from '../rasters/rasters.ts'
import type { CellWindow, CoverageGrid } from './coverage-grid.ts'
import { cornerOf, envelopeOf } from './coverage-grid.ts'
import type { GdalStep } from './gdal-step.ts'
import { runGdalStep } from './gdal-step.ts'

/** Resampling methods for cells of another grid. */
export type Resampling = 'nearest' | 'bilinear' | 'cubic'

/** Output formats of coverages. */
export const cutFormats = {
  tif: { driver: 'GTiff', mediaType: 'image/tiff', extension: 'tif' },
  png: { driver: 'PNG', mediaType: 'image/png', extension: 'png' },
  jpeg: { driver: 'JPEG', mediaType: 'image/jpeg', extension: 'jpg' },
} as const
export type CutFormat = keyof typeof cutFormats

/** Scaling of one axis: number of cells, or factor. */
export type AxisScale = { cells: number } | { factor: number }

/** Another grid, in another CRS; without a box the whole coverage. */
interface OtherGrid {
  srs: string
  /** In that CRS. */
  box: Envelope | undefined
}

/** The part of a coverage to write to a file. */
export interface CoverageCut {
  grid: CoverageGrid
  /** Rasters that contribute, the last one on top; at least one. */
  sources: readonly PlacedSource[]
  place: CellWindow | OtherGrid
  scale: { across: AxisScale; down: AxisScale }
  resampling: Resampling
  /** Band numbers from 1, in order; undefined: all. */
  bands: readonly number[] | undefined
  format: CutFormat
  /** Creation options of GDAL's driver, such as `COMPRESS=DEFLATE`. */
  options: readonly string[]
}

interface CutPlace {
  /** An empty folder for temporary files. */
  workPath: string
  path: string
  roomBytes: number
  timeoutMs: number
}

/** Maximum size of uncompressed cells. */
const maxBytes = 2 ** 31
const cellBytes = new Map(
  Object.entries({
    Byte: 1,
    Int8: 1,
    UInt16: 2,
    Int16: 2,
    UInt32: 4,
    Int32: 4,
    Float32: 4,
    CInt16: 4,
    Float64: 8,
    UInt64: 8,
    Int64: 8,
    CInt32: 8,
    CFloat32: 8,
    CFloat64: 16,
  }),
)
const methods: Record<Resampling, string> = { nearest: 'near', bilinear: 'bilinear', cubic: 'cubic' }

/**
 * Writes a part of a coverage. Cells on an unchanged grid preserve their values, types, nodata values,
 * colours and descriptions. Throws `Failure` (`raster-too-large`) and `FormatError`.
 */
export async function cutCoverage(cut: CoverageCut, place: CutPlace, signal: AbortSignal): Promise<void> {
  const { workPath: folder, roomBytes, timeoutMs } = place
  await withSources(cut.sources, signal, async (linked) => {
    const step = { linked: together(linked), folder, roomBytes, timeoutMs, signal }
    const { driver, extension } = cutFormats[cut.format]
    const options = cut.options.flatMap((option) => ['-co', option])
    const { input, cells } = await findCells(cut, linked, step)
    const output = join(folder, `cut.${extension}`)
    await runGdalStep('gdal_translate', ['-q', '-of', driver, ...options, ...cells, input, output], step)
    await rename(output, place.path)
  })
}

/** Returns the input, and the cells to read and their output size. */
async function findCells(
  cut: CoverageCut,
  linked: readonly LinkedRaster[],
  step: GdalStep,
): Promise<{ input: string; cells: string[] }> {
  const { grid, place, sources } = cut
  const [only, ...others] = sources
  const [file] = linked
  const isOne = only !== undefined && others.length === 0 && isWhole(only, grid)
  const bands = (cut.bands ?? []).flatMap((band) => ['-b', String(band)])
  const drivers = file?.drivers.flatMap((name) => ['-if', name]) ?? []
  if (!('srs' in place)) {
    const size = { width: place.columns, height: place.rows, bytesOfCell: bytesOfCell(cut) }
    const cells = [
      '-srcwin',
      ...[place.column, place.row, place.columns, place.rows].map(String),
      ...sizeArguments(cut, size),
    ]
    if (isOne && file !== undefined)
      return { input: file.path, cells: [...drivers, ...bands, ...placeOf(grid, place), ...cells] }
    return { input: await joinSources(grid, linked, bands, step), cells }
  }
  const view = isOne ? join(step.folder, 'view.vrt') : await joinSources(grid, linked, bands, step)
  if (isOne && file !== undefined) {
    const whole = { column: 0, row: 0, columns: grid.width, rows: grid.height }
    const args = ['-q', ...drivers, '-of', 'VRT', ...bands, ...placeOf(grid, whole), file.path, view]
    await runGdalStep('gdal_translate', args, step)
  }
  const input = join(step.folder, 'other.vrt')
  await runGdalStep('gdalwarp', ['-q', '-of', 'VRT', ...warpArguments(cut, place), view, input], step)
  return { input, cells: sizeArguments(cut, await sizeOf(input, step)) }
}

/** Calls `work` with all rasters, in their order. */
async function withSources(
  sources: readonly PlacedSource[],
  signal: AbortSignal,
  work: (linked: LinkedRaster[]) => Promise<void>,
  linked: LinkedRaster[] = [],
): Promise<void> {
  const source = sources[linked.length]
  if (source === undefined) return work(linked)
  signal.throwIfAborted()
  const file = await withSidecars(source.file.path)
  const format = await detectFormat(file, signal)
  const driver = rasterDrivers.find(({ name }) => name === format?.name)
  if (driver === undefined)
    throw new FormatError('A file of the coverage is not a raster of a known format', { code: 'gdal-failed' })
  await withRasterSource(file, driver, (one) => withSources(sources, signal, work, [...linked, one]))
}

/** Permits GDAL the drivers of all rasters. */
function together(linked: readonly LinkedRaster[]): GdalStep['linked'] {
  const [first] = linked
  if (first === undefined) throw new TypeError('A coverage is cut of one raster at least')
  const drivers = new Set(linked.flatMap((one) => one.drivers))
  const skipped = (first.env['GDAL_SKIP'] ?? '').split(',').filter((driver) => !drivers.has(driver))
  return { folder: first.folder, env: { ...first.env, GDAL_SKIP: skipped.join(',') } }
}

function isWhole({ width, height, geoTransform }: PlacedSource, grid: CoverageGrid): boolean {
  const isThere = geoTransform?.every((value, at) => value === grid.geoTransform[at]) === true
  return isThere && width === grid.width && height === grid.height
}

/** Returns the georeferencing of these cells according to the catalogue, whether or not the file has any. */
function placeOf(grid: CoverageGrid, { column, row, columns, rows }: CellWindow): string[] {
  const [, , bx = 0, , ay = 0] = grid.geoTransform
  const corners = [...cornerOf(grid, column, row), ...cornerOf(grid, column + columns, row + rows)]
  const isUpright = bx === 0 && ay === 0
  return ['-a_srs', grid.srs, ...(isUpright ? ['-a_ullr', ...corners.map(String)] : [])]
}

/** Fails if the sources cannot be joined without omitting a granule. */
async function joinSources(
  grid: CoverageGrid,
  linked: readonly LinkedRaster[],
  bands: string[],
  step: GdalStep,
): Promise<string> {
  const { minX, minY, maxX, maxY } = envelopeOf(grid)
  const [, across = 0, , , , down = 0] = grid.geoTransform
  const [list, view] = [join(step.folder, 'granules.txt'), join(step.folder, 'view.vrt')]
  await writeFile(list, linked.map(({ path }) => `${path}\n`).join(''))
  const extent = ['-te', ...[minX, minY, maxX, maxY].map(String)]
  const cells = ['-resolution', 'user', '-tr', String(across), String(-down)]
  const srs = ['-a_srs', grid.srs, '-allow_projection_difference']
  const args = ['-q', '-strict', ...srs, ...extent, ...cells, ...bands, '-input_file_list', list, view]
  await runGdalStep('gdalbuildvrt', args, step)
  return view
}

/** Exact at every cell, so that a part of a coverage equals the same part of the whole. */
function warpArguments({ scale, resampling }: CoverageCut, { srs, box }: OtherGrid): string[] {
  const edges = box && ['-te', ...[box.minX, box.minY, box.maxX, box.maxY].map(String)]
  const { across, down } = scale
  const isSized = 'cells' in across && 'cells' in down
  const size = isSized ? ['-ts', String(across.cells), String(down.cells)] : []
  return ['-t_srs', srs, '-r', methods[resampling], '-et', '0', ...(edges ?? []), ...size]
}

interface CutSize {
  width: number
  height: number
  bytesOfCell: number
}

/** Returns the number of output cells. Throws `Failure` (`raster-too-large`). */
function sizeArguments({ scale, resampling }: CoverageCut, known: CutSize): string[] {
  const [width, height] = [cellsOf(scale.across, known.width), cellsOf(scale.down, known.height)]
  if (width * height * known.bytesOfCell > maxBytes)
    throw new Failure(
      'tooLarge',
      'raster-too-large',
      `${width} × ${height} cells of ${known.bytesOfCell} bytes are more than the ${maxBytes} bytes that one answer may have: ask for a part, for fewer bands, or for fewer cells`,
    )
  if (width === known.width && height === known.height) return []
  return ['-outsize', String(width), String(height), '-r', methods[resampling]]
}

function bytesOfCell({ sources, bands: chosen }: CoverageCut): number {
  const bands = sources[0]?.bands ?? []
  const rasterBands = chosen?.map((band) => bands[band - 1]) ?? bands
  return rasterBands.reduce((sum, band) => sum + (cellBytes.get(band?.dataType ?? '') ?? 16), 0)
}

function cellsOf(scale: AxisScale, cells: number): number {
  return 'cells' in scale ? scale.cells : Math.max(1, Math.round(cells * scale.factor))
}

interface GdalInfo {
  size: [width: number, height: number]
  bands: { type: string }[]
}

async function sizeOf(view: string, step: GdalStep): Promise<CutSize> {
  const { stdout } = await runGdalStep('gdalinfo', ['-json', '-nomd', '-norat', '-noct', view], step)
  const { size, bands } = JSON.parse(stdout.toString('utf8')) as GdalInfo
  const bytes = bands.reduce((sum, { type }) => sum + (cellBytes.get(type) ?? 16), 0)
  return { width: size[0], height: size[1], bytesOfCell: bytes }
}
