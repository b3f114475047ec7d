import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayerRecord } from '../../catalog/index.ts'
import { Failure, invalid } from '../../core/errors/errors.ts'
import { withRasterSource } from '../../formats/index.ts'
import { detectFormat } from '../../formats/registry.ts'
import { rasterDrivers } from '../../formats/worker.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { coverEnvelope } from '../../geo/reproject-envelope.ts'
import { type RequestBox, withSidecars } from '../../stores/index.ts'
import { findReprojector } from '../../stores/worker.ts'
import { runGdalStep } from './gdal-step.ts'
import { namedTerms, termsOf } from './terms.ts'

/** The part of a raster to write to a file. */
interface RasterCut {
  layer: LayerRecord
  /** Its file. */
  source: string
  box?: RequestBox
  /** Code of another CRS. */
  srs?: string
  /** Does not exist yet. */
  workPath: string
  path: string
  roomBytes: number
}

const timeoutMs = 60 * 60_000
const cog = ['-q', '-of', 'COG', '-co', 'COMPRESS=DEFLATE', '-co', 'BIGTIFF=IF_SAFER']

/**
 * Writes a coverage, or the part in a box, as a cloud optimized GeoTIFF. Throws `Failure` and `FormatError`.
 */
export async function cutRaster(cut: RasterCut, signal: AbortSignal): Promise<void> {
  const { source, workPath, path, roomBytes } = cut
  const file = await withSidecars(source)
  const format = await detectFormat(file, signal)
  const driver = rasterDrivers.find(({ name }) => name === format?.name)
  if (driver === undefined)
    throw new Failure('unavailable', 'store-file', 'The file of the coverage cannot be read')
  await mkdir(workPath, { recursive: true, mode: 0o750 })
  await withRasterSource(file, driver, async (linked) => {
    const step = { linked, folder: workPath, roomBytes, timeoutMs, signal }
    const view = join(workPath, 'view.vrt')
    const input = linked.drivers.flatMap((name) => ['-if', name])
    await runGdalStep(
      'gdal_translate',
      ['-q', ...input, '-of', 'VRT', ...placeOf(cut.layer), ...tagsOf(cut.layer), linked.path, view],
      step,
    )
    const output = join(workPath, 'cut.tif')
    const [program, args] = await cutArguments(cut)
    await runGdalStep(program, [...cog, ...args, view, output], step)
    await rename(output, path)
  })
}

/** Returns the metadata of the layer as TIFF tags (TIFF 6.0, section 8) and as GDAL metadata. */
function tagsOf(layer: LayerRecord): string[] {
  const terms = termsOf(layer)
  const { abstract, attribution, licence } = terms
  const named = namedTerms(terms)
  if (named.length === 0) return []
  const rights = [attribution, licence].filter((text) => text !== undefined)
  const items: [string, string][] = [
    ...named.map(([name, text]): [string, string] => [name.toUpperCase(), text]),
    ['TIFFTAG_IMAGEDESCRIPTION', [terms.title, abstract].filter(Boolean).join('\n')],
    ...(rights.length === 0 ? [] : [['TIFFTAG_COPYRIGHT', rights.join(', ')] satisfies [string, string]]),
  ]
  return items.flatMap(([name, text]) => ['-mo', `${name}=${text}`])
}

/** Returns the georeferencing of the cells according to the catalogue, whether or not the file has any. */
function placeOf({ details: { srs, raster } }: LayerRecord): string[] {
  const [x0 = 0, ax = 0, bx = 0, y0 = 0, ay = 0, by = 0] = raster?.geoTransform ?? []
  const isUpright = raster?.geoTransform !== undefined && bx === 0 && ay === 0
  const corners = [x0, y0, x0 + (raster?.width ?? 0) * ax, y0 + (raster?.height ?? 0) * by]
  return [
    ...(srs === undefined ? [] : ['-a_srs', srs]),
    ...(isUpright ? ['-a_ullr', ...corners.map(String)] : []),
  ]
}

/** Copies cells unchanged within their own CRS; otherwise uses the nearest cell. */
async function cutArguments({ layer, box, srs }: RasterCut): Promise<[program: string, args: string[]]> {
  const own = layer.details.srs ?? layer.details.crs
  if (srs === undefined || srs === layer.details.srs) {
    const edges = box === undefined ? undefined : within(await boxIn(box, own), extentOf(layer))
    const window = edges && ['-projwin', edges.minX, edges.maxY, edges.maxX, edges.minY].map(String)
    return ['gdal_translate', window ?? []]
  }
  if (own === undefined)
    throw invalid('unsupported-crs', 'The CRS of the coverage is not known: leave crs out')
  const whole = extentOf(layer)
  const extent = whole && (await envelopeIn(own, srs, whole))
  const edges = box === undefined ? undefined : within(await boxIn(box, srs), extent)
  const corners = edges && ['-te', edges.minX, edges.minY, edges.maxX, edges.maxY].map(String)
  return ['gdalwarp', ['-t_srs', srs, '-r', 'near', ...(corners ?? [])]]
}

/** Returns the envelope of the cells; undefined for a rotated raster. */
function extentOf({ details: { raster } }: LayerRecord): Envelope | undefined {
  const [x = 0, ax = 0, bx = 0, y = 0, ay = 0, by = 0] = raster?.geoTransform ?? []
  if (raster?.geoTransform === undefined || bx !== 0 || ay !== 0) return undefined
  const [otherX, otherY] = [x + raster.width * ax, y + raster.height * by]
  return {
    minX: Math.min(x, otherX),
    maxX: Math.max(x, otherX),
    minY: Math.min(y, otherY),
    maxY: Math.max(y, otherY),
  }
}

/** Returns the part of a box that contains cells: empty surroundings would only enlarge the file. */
function within(box: Envelope, extent: Envelope | undefined): Envelope {
  if (extent === undefined) return box
  const part = {
    minX: Math.max(box.minX, extent.minX),
    maxX: Math.min(box.maxX, extent.maxX),
    minY: Math.max(box.minY, extent.minY),
    maxY: Math.min(box.maxY, extent.maxY),
  }
  if (part.minX < part.maxX && part.minY < part.maxY) return part
  throw invalid('invalid-bbox', 'The box lies outside of the coverage')
}

async function boxIn(
  { boxes, srs }: RequestBox,
  crs: CrsDeclaration | string | undefined,
): Promise<Envelope> {
  const [box, ...others] = boxes
  if (box === undefined || others.length > 0)
    throw invalid('invalid-bbox', 'A coverage is not cut by a box across the antimeridian: ask for two')
  const image = crs === undefined ? box : await envelopeIn(srs, crs, box)
  if (image !== undefined) return image
  throw invalid('invalid-bbox', 'The box has no place in the CRS of the file')
}

async function envelopeIn(
  from: CrsDeclaration | string,
  to: CrsDeclaration | string,
  envelope: Envelope,
): Promise<Envelope | undefined> {
  const reprojector = await findReprojector(from, to)
  try {
    return await coverEnvelope(reprojector, envelope)
  } finally {
    await reprojector.close()
  }
}
