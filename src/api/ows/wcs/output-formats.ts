import { ownValue } from '../../../core/values/record-keys.ts'
import type { RasterBand } from '../../../formats/worker.ts'
import type { CoverageFileRequest, CutFormat } from '../../../render/index.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { CoverageRequest } from './wcs-request.ts'

/** Media types of responses, the native one first. */
export const offeredFormats = ['image/tiff', 'image/png', 'image/jpeg']

const formats: Record<string, CutFormat> = {
  'image/tiff': 'tif',
  'image/geotiff': 'tif',
  geotiff: 'tif',
  tiff: 'tif',
  gtiff: 'tif',
  'image/tiff;application=geotiff': 'tif',
  'image/tiff;subtype="geotiff"': 'tif',
  'image/png': 'png',
  png: 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  jpeg: 'jpeg',
}

/** Cells that a format has a place for. */
const cellTypes: Record<Exclude<CutFormat, 'tif'>, readonly string[]> = {
  png: ['Byte', 'UInt16'],
  jpeg: ['Byte'],
}

/** Returns the output format of a response with these bands, and its options. Throws `OwsFailure`. */
export function readCoverageFormat(
  { format: requested, mediaType, geotiff }: Pick<CoverageRequest, 'format' | 'mediaType' | 'geotiff'>,
  bands: readonly (RasterBand | undefined)[],
): Pick<CoverageFileRequest, 'format' | 'options'> {
  if (mediaType !== undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `mediaType "${mediaType.slice(0, 100)}" is not supported: leave it out to get the file alone`,
      'mediaType',
    )
  const format = formatNamed(requested)
  requirePlace(format, bands)
  return { format, options: format === 'tif' ? tiffOptions(geotiff, bands) : [] }
}

function formatNamed(text: string | undefined): CutFormat {
  if (text === undefined) return 'tif'
  const found = ownValue(formats, text.toLowerCase().replaceAll(/\s/g, ''))
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `Format "${text.slice(0, 100)}" is not available: request ${offeredFormats.join(', ')}`,
    'format',
  )
}

function requirePlace(format: CutFormat, bands: readonly (RasterBand | undefined)[]): void {
  if (format === 'tif') return
  const counts = format === 'png' ? [1, 2, 3, 4] : [1, 3]
  const isFit =
    counts.includes(bands.length) &&
    bands.every((band) => band !== undefined && cellTypes[format].includes(band.dataType))
  if (isFit) return
  throw new OwsFailure(
    'InvalidParameterValue',
    `A picture as ${format.toUpperCase()} has ${counts.join(' or ')} bands of ${cellTypes[format].join(' or ')}, which these are not: ask for image/tiff or for some of the bands`,
    'format',
  )
}

/** Compression of a GeoTIFF (OGC 12-100r1, section 7), by GDAL's names. */
const compressions: Record<string, string> = {
  none: 'NONE',
  packbits: 'PACKBITS',
  deflate: 'DEFLATE',
  lzw: 'LZW',
  jpeg: 'JPEG',
}
const predictors: Record<string, string> = { none: '1', horizontal: '2', floatingpoint: '3' }
const interleavings: Record<string, string> = { pixel: 'PIXEL', band: 'BAND' }
const maxTileCells = 4096

function tiffOptions(
  requested: ReadonlyMap<string, string>,
  bands: readonly (RasterBand | undefined)[],
): string[] {
  const chosen = (name: string, values: Record<string, string>): string | undefined => {
    const text = requested.get(name)
    if (text === undefined) return undefined
    const value = ownValue(values, text.toLowerCase())
    if (value !== undefined) return value
    throw wrongOption(name, text, `is not supported: use ${Object.keys(values).join(', ')}`)
  }
  const compression = chosen('compression', compressions) ?? 'NONE'
  const isPacked = compression === 'DEFLATE' || compression === 'LZW'
  const predictor = chosen('predictor', predictors)
  const interleave = chosen('interleave', interleavings)
  if (predictor === '3' && !bands.every((band) => band?.dataType.startsWith('Float') === true))
    throw wrongOption('predictor', 'FloatingPoint', 'needs floating-point cells')
  if (compression === 'JPEG' && !bands.every((band) => band?.dataType === 'Byte'))
    throw wrongOption('compression', 'JPEG', 'needs cells of one byte')
  return [
    `COMPRESS=${compression}`,
    'BIGTIFF=IF_SAFER',
    ...(isPacked && predictor !== undefined ? [`PREDICTOR=${predictor}`] : []),
    ...(interleave === undefined ? [] : [`INTERLEAVE=${interleave}`]),
    ...qualityOption(requested, compression),
    ...tilingOptions(requested),
  ]
}

function qualityOption(requested: ReadonlyMap<string, string>, compression: string): string[] {
  const text = requested.get('jpeg_quality')
  if (text === undefined) return []
  const quality = Number(text)
  if (!(Number.isInteger(quality) && quality >= 1 && quality <= 100))
    throw wrongOption('jpeg_quality', text, 'is not a whole number from 1 to 100')
  return compression === 'JPEG' ? [`JPEG_QUALITY=${quality}`] : []
}

function tilingOptions(requested: ReadonlyMap<string, string>): string[] {
  const tiling = requested.get('tiling')
  const isTiled = /^(?:true|1)$/i.test(tiling ?? '')
  if (tiling !== undefined && !isTiled && !/^(?:false|0)$/i.test(tiling))
    throw wrongOption('tiling', tiling, 'is neither true nor false')
  if (!isTiled) return []
  const side = (name: string): number => {
    const text = requested.get(name) ?? '256'
    const cells = Number(text)
    if (Number.isInteger(cells) && cells % 16 === 0 && cells >= 16 && cells <= maxTileCells) return cells
    throw wrongOption(name, text, `is not a multiple of 16 up to ${maxTileCells}`)
  }
  return ['TILED=YES', `BLOCKXSIZE=${side('tilewidth')}`, `BLOCKYSIZE=${side('tileheight')}`]
}

function wrongOption(name: string, text: string, reason: string): OwsFailure {
  const codes: Record<string, string> = {
    compression: 'CompressionNotSupported',
    jpeg_quality: 'JpegQualityInvalid',
    predictor: 'PredictorNotSupported',
    interleave: 'InterleavingNotSupported',
  }
  return new OwsFailure(
    codes[name] ?? 'TilingInvalid',
    `geotiff:${name} "${text.slice(0, 60)}" ${reason}`,
    `geotiff:${name}`,
    404,
  )
}
