import { ownValue } from '../../core/values/record-keys.ts'
import type { RasterBand, RasterDescription } from '../format.ts'
import { FormatError } from '../format.ts'

const maxBands = 4096
const maxNameLength = 200

/** Output of `gdalinfo -json` about a file. */
export interface GdalInfo {
  raster: RasterDescription
  /** Number of subdatasets, which are opened individually. */
  subdatasetCount: number
  /** A file with overviews that the metadata refer to. */
  overviewFile?: string
}

type Fields = Record<string, unknown>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxNameLength) : undefined
}

/** Reads columns and rows of `[width, height]`. */
function sizeOf(value: unknown): { width: number; height: number } {
  const [width, height] = listOf(value)
  if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height)) {
    throw new FormatError('GDAL tells no size of the raster', { code: 'gdal-failed' })
  }
  return { width: width as number, height: height as number }
}

const noDataWords: Record<string, RasterBand['noData']> = { NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf' }

function noDataOf(value: unknown): RasterBand['noData'] {
  return typeof value === 'number' ? value : ownValue(noDataWords, String(value))
}

function toBand(value: unknown): RasterBand {
  const { type, colorInterpretation, description, noDataValue, unit: words } = fieldsOf(value)
  const noData = noDataOf(noDataValue)
  const color = textOf(colorInterpretation)
  const caption = textOf(description)
  const unit = textOf(words)
  return { dataType: textOf(type) ?? 'Unknown', noData, color, description: caption, unit }
}

/** Returns six finite coefficients that give cells an area; others are ignored. */
function geoTransformOf(value: unknown): number[] | undefined {
  const numbers = listOf(value).filter(
    (one): one is number => typeof one === 'number' && Number.isFinite(one),
  )
  if (numbers.length !== 6) return undefined
  const [, a = 0, b = 0, , c = 0, d = 0] = numbers
  return a * d - b * c === 0 ? undefined : numbers
}

function subdatasetCount(metadata: unknown): number {
  return Object.keys(fieldsOf(fieldsOf(metadata).SUBDATASETS)).filter((key) => key.endsWith('_NAME')).length
}

/**
 * Parses the output of `gdalinfo -json -mdd OVERVIEWS`; throws `FormatError` if it does not describe a
 * raster.
 */
export function parseGdalInfo(text: string): GdalInfo {
  let info: Fields
  try {
    info = fieldsOf(JSON.parse(text))
  } catch (cause) {
    throw new FormatError('What GDAL tells of the raster cannot be read', { code: 'gdal-failed', cause })
  }
  const bands = listOf(info.bands)
  if (bands.length > maxBands) {
    throw new FormatError(`The raster has ${bands.length} bands; at most ${maxBands} are read`, {
      code: 'too-large',
    })
  }
  const geoTransform = geoTransformOf(info.geoTransform)
  const { wkt } = fieldsOf(info.coordinateSystem)
  const controlPoints = listOf(fieldsOf(info.gcps).gcpList).length
  const raster: RasterDescription = {
    ...sizeOf(info.size),
    bands: bands.map(toBand),
    geoTransform,
    crs: typeof wkt === 'string' && wkt !== '' ? { wkt } : undefined,
    overviews: listOf(fieldsOf(bands[0]).overviews).map((one) => sizeOf(fieldsOf(one).size)),
    controlPointCount: controlPoints === 0 ? undefined : controlPoints,
  }
  const overviewFile = textOf(fieldsOf(fieldsOf(info.metadata).OVERVIEWS).OVERVIEW_FILE)
  return { raster, subdatasetCount: subdatasetCount(info.metadata), overviewFile }
}
