import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ProgramError, runProgram } from '../../core/process/process.ts'
import {
  type RasterSource as LinkedRaster,
  limitedProgram,
  outgrown,
  spaceFor,
  withDiskWatch,
  withRasterSource,
} from '../../formats/index.ts'
import { detectFormat } from '../../formats/registry.ts'
import { rasterDrivers } from '../../formats/worker.ts'
import { withSidecars } from '../../stores/index.ts'
import type { MercatorPart } from './mercator-extent.ts'
import { mercatorParts } from './mercator-extent.ts'
import { noTiles, toolTrouble } from './no-tiles.ts'
import type { DrawnRasterSource } from './raster-source.ts'
import { isMixed } from './raster-source.ts'
import { cellSize, mercatorHalf } from './tiff/tiff-pyramid.ts'

/** GDAL's limits for one copy. */
export interface CopyLimits {
  toolSeconds: number
  /** Total size of the folder. */
  rasterBytes: number
}

const maxOutputBytes = 1 << 20
const cacheMegabytes = '256'
/** Maximum number of copied bands, which is sufficient for styles. */
export const maxBands = 8
/** Maximum number of overviews in a file; coarser zoom levels are computed from the last one. */
const maxOverviews = 8
const smallSide = 256

interface Step {
  folder: string
  linked: LinkedRaster
  limits: CopyLimits
  signal: AbortSignal
}

async function run(name: string, args: string[], { folder, linked, limits, signal }: Step): Promise<string> {
  const limit = { folder, maxBytes: limits.rasterBytes }
  const maxFileBytes = await spaceFor(limit)
  const [program, limitedArgs] = await limitedProgram(name, args, { maxFileBytes })
  // The input of the copy is a VRT written by the server, in its own folder.
  const skipped = (linked.env.GDAL_SKIP ?? '').split(',').filter((driver) => driver !== 'VRT')
  const env = {
    ...linked.env,
    GDAL_SKIP: skipped.join(','),
    GDAL_CACHEMAX: cacheMegabytes,
    CPL_TMPDIR: folder,
  }
  const options = { cwd: folder, env, clockLimitMs: limits.toolSeconds * 1000, maxOutputBytes }
  try {
    const { stdout } = await withDiskWatch(limit, signal, (watched) =>
      runProgram(program, limitedArgs, { ...options, signal: watched }),
    )
    return stdout.toString('utf8')
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProgramError)) throw error
    throw (await outgrown(limit, maxFileBytes)) ?? toolTrouble(error, [folder, linked.folder])
  }
}

/** Writes a VRT of the source if the file alone has too little or too much metadata. */
async function viewOf(
  source: DrawnRasterSource,
  { path, drivers }: LinkedRaster,
  step: Step,
): Promise<string[]> {
  const { bands, geoTransform, isPlacedByClient, srs, width, height } = source
  const isCut = bands.length > maxBands
  const input = drivers.flatMap((name) => ['-if', name])
  const [x0 = 0, ax = 0, , y0 = 0, , by = 0] = geoTransform ?? []
  const place = isPlacedByClient ? ['-a_ullr', x0, y0, x0 + width * ax, y0 + height * by].map(String) : []
  const chosen = isCut ? Array.from({ length: maxBands }, (_, index) => ['-b', String(index + 1)]).flat() : []
  const crs = srs === undefined ? [] : ['-a_srs', srs]
  if (place.length === 0 && chosen.length === 0)
    return [...input, ...(srs === undefined ? [] : ['-s_srs', srs]), path]
  const view = join(step.folder, 'view.vrt')
  await run('gdal_translate', [...input, '-of', 'VRT', ...crs, ...place, ...chosen, path, view], step)
  return [view]
}

const wideTypes = new Set(['Int64', 'UInt64', 'UInt32', 'Int32'])

function warpArguments(
  source: DrawnRasterSource,
  { zoom, column, row, width, height }: MercatorPart,
): string[] {
  const size = cellSize(zoom)
  const [minX, maxY] = [column * size - mercatorHalf, mercatorHalf - row * size]
  const box = [minX, maxY - height * size, minX + width * size, maxY].map(String)
  const isFloat = source.bands.some(({ dataType }) => dataType.startsWith('Float'))
  const isWide = source.bands.some(({ dataType }) => wideTypes.has(dataType))
  const hasAlpha = source.bands.some(({ color }) => color === 'Alpha')
  return [
    '-q',
    '-overwrite',
    '-t_srs',
    'EPSG:3857',
    '-te',
    ...box,
    '-ts',
    String(width),
    String(height),
    '-r',
    isMixed(source) ? 'bilinear' : 'near',
    '-wm',
    '256',
    '-et',
    '0.125',
    '-dstalpha',
    ...(isWide ? ['-ot', 'Float64'] : []),
    '-dstnodata',
    'None',
    ...(hasAlpha ? [] : ['-nosrcalpha']),
    '-of',
    'GTiff',
    '-co',
    'TILED=YES',
    '-co',
    'COMPRESS=DEFLATE',
    '-co',
    'ZLEVEL=1',
    '-co',
    'SPARSE_OK=TRUE',
    '-co',
    'INTERLEAVE=PIXEL',

    '-co',
    'BIGTIFF=IF_SAFER',
    '-co',
    `PREDICTOR=${isFloat || isWide ? 3 : 2}`,
    '-co',
    'PHOTOMETRIC=MINISBLACK',
  ]
}

function overviewFactors({ width, height }: MercatorPart): string[] {
  const factors: string[] = []
  for (let factor = 2; factor <= 2 ** maxOverviews; factor *= 2) {
    factors.push(String(factor))
    if (Math.max(width, height) / factor <= smallSide) break
  }
  return factors
}

/** Reads the colours of a palette with `gdalinfo`. */
async function readPalette(linked: LinkedRaster, step: Step): Promise<number[][] | undefined> {
  const output = await run('gdalinfo', ['-json', '-norat', '-nofl', '-nomd', linked.path], step)
  const { bands } = JSON.parse(output) as { bands?: { colorTable?: { entries?: number[][] } }[] }
  return bands?.[0]?.colorTable?.entries
}

/** Metadata stored next to the files of a copy. */
export interface CopyNotes {
  /** Names of the files. */
  files: string[]
  palette?: number[][]
}

export const notesFile = 'copy.json'

/**
 * Creates copies of a raster aligned to the cells of Web Mercator in an empty folder, and writes their
 * metadata. The source is only read. Throws `Failure` with the reason if that is not possible.
 */
export async function makeCopy(
  source: DrawnRasterSource,
  folder: string,
  { limits, signal }: { limits: CopyLimits; signal: AbortSignal },
): Promise<void> {
  if (source.bands.some(({ dataType }) => dataType.startsWith('C')))
    throw noTiles('its cells are complex numbers')
  const parts = source.geoTransform === undefined ? undefined : await mercatorParts(source, signal)
  const file = await withSidecars(source.file.path)
  const format = await detectFormat(file, signal)
  const driver = rasterDrivers.find(({ name }) => name === format?.name)
  if (driver === undefined) throw noTiles('its file is not a raster of a known format')
  await withRasterSource(file, driver, async (linked) => {
    const step = { folder, linked, limits, signal }
    const input = await viewOf(source, linked, step)
    const places = parts ?? [await suggestedPart(input, step)]
    if (places.length === 0) throw noTiles('it lies outside of what web mercator shows')
    const files: string[] = []
    for (const [index, part] of places.entries()) {
      const output = join(folder, `${index}.tif`)
      await run('gdalwarp', [...warpArguments(source, part), ...input, output], step)
      const resampling = isMixed(source) ? 'average' : 'nearest'
      const settings = ['--config', 'COMPRESS_OVERVIEW', 'DEFLATE', '--config', 'SPARSE_OK_OVERVIEW', 'YES']
      await run('gdaladdo', ['-q', ...settings, '-r', resampling, output, ...overviewFactors(part)], step)
      files.push(`${index}.tif`)
    }
    const hasPalette = source.bands[0]?.color === 'Palette'
    const palette = hasPalette ? await readPalette(linked, step) : undefined
    const notes: CopyNotes = { files, palette }
    await writeFile(join(folder, notesFile), JSON.stringify(notes))
  })
}

/** Returns GDAL's suggested extent of a raster that only has ground control points. */
async function suggestedPart(input: string[], step: Step): Promise<MercatorPart> {
  const view = join(step.folder, 'suggested.vrt')
  await run('gdalwarp', ['-q', '-of', 'VRT', '-t_srs', 'EPSG:3857', ...input, view], step)
  const output = JSON.parse(await run('gdalinfo', ['-json', view], step)) as {
    size: [number, number]
    geoTransform: number[]
  }
  const [x = 0, cell = 1, , y = 0] = output.geoTransform
  const zoom = Math.max(0, Math.min(22, Math.round(Math.log2(cellSize(0) / cell))))
  const size = cellSize(zoom) * smallSide
  const [left, top] = [Math.floor((x + mercatorHalf) / size), Math.floor((mercatorHalf - y) / size)]
  const right = Math.ceil((x + output.size[0] * cell + mercatorHalf) / size)
  const bottom = Math.ceil((mercatorHalf - (y - output.size[1] * cell)) / size)
  return {
    zoom,
    column: left * smallSide,
    row: top * smallSide,
    width: Math.max(1, right - left) * smallSide,
    height: Math.max(1, bottom - top) * smallSide,
  }
}
