import type { LayerRecord } from '../../../../catalog/index.ts'
import type { Envelope } from '../../../../geo/envelope.ts'
import {
  type AxisScale,
  type CoverageFileRequest,
  type CoverageGrid,
  envelopeOf,
  parseTime,
  type TimeSelection,
} from '../../../../render/index.ts'
import type { KeyValues } from '../../key-values.ts'
import { readCrs } from '../../named-crs.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { readBands } from '../bands.ts'
import { requireCoverages } from '../coverage-names.ts'
import { readCoverageFormat } from '../output-formats.ts'
import { placeInGrid, readInterpolation, requireTime } from '../plan-coverage.ts'
import { sendCoverage } from '../send-coverage.ts'
import type { WcsRequest } from '../wcs-request.ts'

/** Names of formats as GeoServer's WCS 1.0 has them. */
export const olderFormats = ['GeoTIFF', 'TIFF', 'PNG', 'JPEG']

/** Maximum number of cells along a side of a response. */
const maxCells = 100_000
const maxTimes = 200

/** A part of a coverage (OGC 03-065r6, section 9). */
export async function getCoverage10(
  { catalog, coverages }: Pick<OwsDeps, 'catalog' | 'coverages'>,
  wcsRequest: WcsRequest,
): Promise<unknown> {
  const { request, values, workspace, version } = wcsRequest
  const names = [values.find('coverage') ?? values.find('coverageid') ?? values.require('coverage')]
  const [layer] = await requireCoverages(catalog, request, names, { workspace, version })
  return sendCoverage(coverages, wcsRequest, layer, (current, grid) => plan(values, current, grid))
}

async function plan(values: KeyValues, layer: LayerRecord, grid: CoverageGrid): Promise<CoverageFileRequest> {
  const srs = readCrs(values.find('crs') ?? grid.srs, 'crs').srs
  const outputSrs = readCrs(values.find('response_crs') ?? srs, 'response_crs').srs
  const bands = layer.details.raster?.bands ?? []
  const chosen = readBands(bandItems(values), bands)
  const box = readBox(values)
  const times = readTimes(values, layer)
  if (box === undefined && times === undefined)
    throw new OwsFailure(
      'MissingParameterValue',
      'BBOX or TIME is required: one of them selects a part of the coverage',
      'bbox',
    )
  const scale = readScale(values, box ?? envelopeOf(grid))
  return {
    place: await boxPlace(grid, box, { srs, outputSrs }, scale),
    scale,
    resampling: readInterpolation(values.find('interpolation'), 'InvalidParameterValue'),
    bands: chosen,
    times,
    ...readCoverageFormat(
      { format: values.require('format'), mediaType: undefined, geotiff: new Map() },
      chosen?.map((band) => bands[band - 1]) ?? bands,
    ),
  }
}

/**
 * Returns cells of the coverage if the box lies on cell boundaries and no resampling is requested; otherwise
 * a new grid whose edges are the box.
 */
async function boxPlace(
  grid: CoverageGrid,
  box: Envelope | undefined,
  { srs, outputSrs }: { srs: string; outputSrs: string },
  { across, down }: CoverageFileRequest['scale'],
): Promise<CoverageFileRequest['place']> {
  const place = await placeInGrid(grid, box, srs, outputSrs)
  const isSized = 'cells' in across && 'cells' in down
  if ('srs' in place || box === undefined || !isSized || srs !== outputSrs) return place
  const found = envelopeOf(grid, place)
  const [, side = 0, , , , height = 0] = grid.geoTransform
  const slack = { x: Math.abs(side) / 1000, y: Math.abs(height) / 1000 }
  const isAligned =
    Math.abs(found.minX - box.minX) < slack.x &&
    Math.abs(found.maxX - box.maxX) < slack.x &&
    Math.abs(found.minY - box.minY) < slack.y &&
    Math.abs(found.maxY - box.maxY) < slack.y
  return isAligned ? place : { srs: outputSrs, box }
}

/** The axis of bands as clients name it: numbers, `1/3` for an interval. */
function bandItems(values: KeyValues): string[] | undefined {
  const text = values.find('band') ?? values.find('bands')
  return text?.split(',').map((one) => one.replace('/', ':'))
}

/** West, south, east, north, in every CRS x first. */
function readBox(values: KeyValues): Envelope | undefined {
  const text = values.find('bbox')
  if (text === undefined) return undefined
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = numbers
  const isWhole = numbers.every((one) => Number.isFinite(one) && Math.abs(one) < 1e12)
  // Ignores heights, which may follow: coverages here have none.
  if (isWhole && (numbers.length === 4 || numbers.length === 6) && minX < maxX && minY < maxY)
    return { minX, minY, maxX, maxY }
  throw new OwsFailure(
    'InvalidParameterValue',
    `BBOX "${text.slice(0, 200)}" is not four numbers separated by commas, the least corner first`,
    'bbox',
  )
}

/** By numbers of cells, or by the length of their sides. */
function readScale(values: KeyValues, box: Envelope): CoverageFileRequest['scale'] {
  const { minX, minY, maxX, maxY } = box
  const side = (count: string, length: string, span: number): AxisScale | undefined => {
    if (values.find(count) !== undefined) return { cells: values.requireCount(count, maxCells) }
    const text = values.find(length)
    if (text === undefined) return undefined
    const cells = Math.max(1, Math.round(span / Math.abs(Number(text))))
    if (cells <= maxCells) return { cells }
    throw new OwsFailure(
      'InvalidParameterValue',
      `${length.toUpperCase()} "${text.slice(0, 60)}" makes no number of cells up to ${maxCells}`,
      length,
    )
  }
  const across = side('width', 'resx', maxX - minX)
  const down = side('height', 'resy', maxY - minY)
  return { across: across ?? { factor: 1 }, down: down ?? { factor: 1 } }
}

/** Instants and intervals separated by commas; undefined: the newest. */
function readTimes(values: KeyValues, { details: { times } }: LayerRecord): TimeSelection[] | undefined {
  const text = values.find('time')
  if (text === undefined || times === undefined || /^(?:now|current|default)$/i.test(text)) return undefined
  const parts = text.split(',')
  if (parts.length > maxTimes)
    throw new OwsFailure('InvalidParameterValue', `TIME accepts at most ${maxTimes} times`, 'time')
  const selections = parts.flatMap((part) => {
    const [from, to] = part.trim().split('/')
    return parseTime(to === undefined ? from : `${from}/${to}`) ?? []
  })
  for (const selection of selections) requireTime(selection, times, 'InvalidParameterValue')
  return selections
}
