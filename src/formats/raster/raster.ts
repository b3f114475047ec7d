import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { openGuarded } from '../../core/files/guarded-files.ts'
import { runProgram } from '../../core/process/process.ts'
import { asciiText } from '../../core/values/decimal.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { matchCrs } from '../../geo/crs-database.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type {
  DataFile,
  Format,
  FormatMessage,
  LayerDescription,
  RasterDescription,
  ReadContext,
} from '../format.ts'
import { FormatError, namesOf } from '../format.ts'
import { limitedProgram, throwUnreadable } from '../gdal/safe-gdal.ts'
import { parseProjection } from '../shapefile/describe-shapefile.ts'
import type { GdalInfo } from './gdalinfo.ts'
import { parseGdalInfo } from './gdalinfo.ts'
import type { RasterDriver } from './raster-drivers.ts'
import { isOfKind, rasterDrivers } from './raster-drivers.ts'
import { withRasterSource } from './raster-programs.ts'
import { checkTiffExtent } from './tiff-extent.ts'

const describeTimeoutMs = 10 * 60_000
const maxOutputBytes = 32 << 20
/** One byte more than the maximum size of a projection file, to detect larger ones. */
const maxProjectionBytes = (1 << 16) + 1

async function readInfo(file: DataFile, driver: RasterDriver, signal: AbortSignal): Promise<GdalInfo> {
  return withRasterSource(file, driver, async ({ path, folder, drivers, env }) => {
    const [program, args] = await limitedProgram('gdalinfo', [
      '-json',
      '-noct',
      '-norat',
      '-nofl',
      '-mdd',
      'OVERVIEWS',
      ...drivers.flatMap((name) => ['-if', name]),
      path,
    ])
    const options = { signal, env, cwd: folder, timeoutMs: describeTimeoutMs, maxOutputBytes }
    return parseGdalInfo(
      (
        await runProgram(program, args, options).catch((error: unknown) => throwUnreadable(error, folder))
      ).stdout.toString('utf8'),
    )
  })
}

/** Returns the envelope of the four corners, which is also correct for a rotated raster. */
function envelopeOf({ width, height, geoTransform }: RasterDescription): Envelope | undefined {
  const [x0, xColumn, xRow, y0, yColumn, yRow] = geoTransform ?? []
  if (x0 === undefined || xColumn === undefined || xRow === undefined) return undefined
  if (y0 === undefined || yColumn === undefined || yRow === undefined) return undefined
  const corners = [0, width].flatMap((column) => [0, height].map((row) => ({ column, row })))
  const xs = corners.map(({ column, row }) => x0 + column * xColumn + row * xRow)
  const ys = corners.map(({ column, row }) => y0 + column * yColumn + row * yRow)
  return { minX: Math.min(...xs), minY: Math.min(...ys), maxX: Math.max(...xs), maxY: Math.max(...ys) }
}

async function sizeBytesOf({ path, sidecars }: DataFile): Promise<number> {
  const sizes = await Promise.all(
    [path, ...Object.values(sidecars)].map(async (one) => (await stat(one)).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await openGuarded(path)
  try {
    const head = new Uint8Array(maxProjectionBytes)
    return head.subarray(0, (await file.read(head)).bytesRead)
  } finally {
    await file.close()
  }
}

/** Returns the CRS declared in the file, otherwise that of its `.prj`. */
async function findCrs(
  declared: CrsDeclaration | undefined,
  { sidecars }: DataFile,
): Promise<{ crs: CrsDeclaration | undefined; messages: FormatMessage[] }> {
  const found =
    declared !== undefined || sidecars.prj === undefined
      ? { crs: declared, messages: [] }
      : parseProjection(await readHead(sidecars.prj))
  const srs = found.crs === undefined ? undefined : matchCrs(found.crs)
  return srs === undefined ? found : { ...found, crs: { ...found.crs, srs } }
}

function refuseReferences({ overviewFile }: GdalInfo): void {
  if (overviewFile === undefined) return
  throw new FormatError(
    'The raster names another file for its overviews, which is not read: write it anew, for example with gdal_translate',
    { code: 'other-files' },
  )
}

function refuseContainer({ raster, subdatasetCount }: GdalInfo): void {
  if (raster.bands.length > 0) return
  throw new FormatError(
    subdatasetCount === 0
      ? 'The raster has no band'
      : `The file is a container of ${subdatasetCount} datasets: take out the one that is wanted, for example with gdal_translate, and import that`,
    { code: 'raster-container' },
  )
}

async function describeRaster(
  file: DataFile,
  driver: RasterDriver,
  signal: AbortSignal,
): Promise<LayerDescription> {
  const info = await readInfo(file, driver, signal)
  if (driver.drivers.includes('GTiff')) await checkTiffExtent(file.path, signal)
  refuseReferences(info)
  refuseContainer(info)
  const { crs: declared, ...rest } = info.raster
  const { crs, messages } = await findCrs(declared, file)
  const raster: RasterDescription = { ...rest, crs, sizeBytes: await sizeBytesOf(file) }
  const envelope = envelopeOf(raster)
  return {
    name: basename(file.path, extname(file.path)),
    schema: { attributes: [], geometry: undefined },
    envelope,
    messages,
    raster,
  }
}

function toFormat(driver: RasterDriver): Format {
  const { name } = driver
  return {
    name,
    kind: 'raster',
    ...namesOf(driver),
    canServeDirectly: true,
    detect: (file, head) =>
      isOfKind(driver, extname(file.path).slice(1).toLowerCase(), asciiText(head, 0, head.length)),
    describe: async (file: DataFile, { signal }: ReadContext) => [await describeRaster(file, driver, signal)],
    read: () => {
      throw new FormatError(`A ${name} file holds no features`, { code: 'no-features' })
    },
  }
}

/**
 * Formats read by GDAL's raster drivers, one per format; the registry lists them after the vector formats.
 */
export const rasterFormats: readonly Format[] = rasterDrivers.map(toFormat)
