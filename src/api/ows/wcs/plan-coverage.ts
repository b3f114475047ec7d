import type { LayerRecord } from '../../../catalog/index.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { coverEnvelope } from '../../../geo/reproject-envelope.ts'
import {
  type AxisScale,
  type CoverageFileRequest,
  type CoverageGrid,
  envelopeOf,
  parseTime,
  type Resampling,
  type TimeSelection,
  windowOf,
} from '../../../render/index.ts'
import { findReprojector } from '../../../stores/worker.ts'
import { readCrs } from '../named-crs.ts'
import { OwsFailure } from '../ows-failure.ts'
import { readAxis } from './axes.ts'
import { readBands } from './bands.ts'
import { readCoverageFormat } from './output-formats.ts'
import type { AxisScaling, AxisSubset, CoverageRequest } from './wcs-request.ts'

/** Converts a WCS 2.0 request for a coverage to the work to be done. */
export async function planCoverage(
  request: CoverageRequest,
  layer: LayerRecord,
  grid: CoverageGrid,
): Promise<CoverageFileRequest> {
  const subsettingSrs = readSrs(subsetCrs(request), 'subsettingCrs') ?? grid.srs
  const srs = readSrs(request.outputCrs, 'outputCrs') ?? subsettingSrs
  const ends = readEnds(request.subsets.filter(({ axis }) => wayOf(axis) !== 'time'))
  const bands = layer.details.raster?.bands ?? []
  const chosen = readBands(request.range, bands)
  return {
    place: await placeInGrid(grid, ends, subsettingSrs, srs),
    scale: readScale(request.scales),
    resampling: readInterpolation(request.interpolation),
    bands: chosen,
    times: readSubsetTimes(
      request.subsets.filter(({ axis }) => wayOf(axis) === 'time'),
      layer,
    ),
    ...readCoverageFormat(request, chosen?.map((band) => bands[band - 1]) ?? bands),
  }
}

function wayOf(axis: string) {
  return readAxis(axis, 'InvalidAxisLabel')
}

/** Each subset may name a CRS; all in one request must be equal. */
function subsetCrs({ subsets, subsettingCrs }: CoverageRequest): string | undefined {
  const named = new Set([subsettingCrs, ...subsets.map(({ crs }) => crs)].filter((one) => one !== undefined))
  if (named.size <= 1) return [...named][0]
  throw new OwsFailure('InvalidSubsetting', 'The subsets of a request are in one CRS', 'subsettingCrs', 404)
}

function readSrs(text: string | undefined, locator: 'subsettingCrs' | 'outputCrs'): string | undefined {
  if (text === undefined) return undefined
  try {
    return readCrs(text, locator).srs
  } catch (error) {
    if (!(error instanceof OwsFailure)) throw error
    const code = locator === 'outputCrs' ? 'OutputCrs-NotSupported' : 'SubsettingCrs-NotSupported'
    throw new OwsFailure(code, error.message, locator, 404)
  }
}

/** The box of a request; an absent end is that of the coverage. */
type Ends = Partial<Envelope>

function readEnds(subsets: readonly AxisSubset[]): Ends | undefined {
  const ends: Ends = {}
  for (const { axis, low, high, point } of subsets) {
    const way = wayOf(axis) === 'x' ? 'X' : 'Y'
    if (ends[`min${way}`] !== undefined || ends[`max${way}`] !== undefined)
      throw new OwsFailure(
        'InvalidAxisLabel',
        `Axis "${axis.slice(0, 100)}" has more than one subset`,
        axis.slice(0, 100),
        404,
      )
    const [from, to] = [readNumber(axis, point ?? low), readNumber(axis, point ?? high)]
    if (from !== undefined) ends[`min${way}`] = from
    if (to !== undefined) ends[`max${way}`] = to
    if (from !== undefined && to !== undefined && from > to)
      throw new OwsFailure(
        'InvalidSubsetting',
        `The subset of axis "${axis.slice(0, 100)}" has its low end beyond its high one`,
        axis.slice(0, 100),
        404,
      )
  }
  return Object.keys(ends).length === 0 ? undefined : ends
}

function readNumber(axis: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && Math.abs(value) < 1e12) return value
  throw new OwsFailure(
    'InvalidSubsetting',
    `"${text.slice(0, 100)}" is not a coordinate of axis "${axis.slice(0, 100)}"`,
    axis.slice(0, 100),
    404,
  )
}

/** Cells of the coverage itself, or those of another CRS; ends that are absent are those of the coverage. */
export async function placeInGrid(
  grid: CoverageGrid,
  ends: Ends | undefined,
  subsettingSrs: string,
  srs: string,
): Promise<CoverageFileRequest['place']> {
  const whole = envelopeOf(grid)
  if (isSameCrs(srs, grid.srs)) {
    if (ends === undefined) return { column: 0, row: 0, columns: grid.width, rows: grid.height }
    const all = subsettingSrs === srs ? whole : await imageOf(whole, srs, subsettingSrs)
    const box = { ...all, ...ends }
    const own = subsettingSrs === srs ? box : await imageOf(box, subsettingSrs, srs)
    const window = windowOf(grid, own)
    if (window === undefined) throw outside()
    return window
  }
  if (ends === undefined) return { srs, box: undefined }
  const all = await imageOf(whole, grid.srs, subsettingSrs)
  const envelope = within({ ...all, ...ends }, all)
  const box = subsettingSrs === srs ? envelope : await imageOf(envelope, subsettingSrs, srs)
  if (!(box.minX < box.maxX && box.minY < box.maxY))
    throw new OwsFailure(
      'InvalidSubsetting',
      'A slice at a point needs the CRS of the coverage: give a low and a high end in other CRSs',
      'subset',
      404,
    )
  return { srs, box }
}

/** Parts outside the coverage would only enlarge the response. */
function within(box: Envelope, whole: Envelope): Envelope {
  const part = {
    minX: Math.max(box.minX, whole.minX),
    maxX: Math.min(box.maxX, whole.maxX),
    minY: Math.max(box.minY, whole.minY),
    maxY: Math.min(box.maxY, whole.maxY),
  }
  if (part.minX <= part.maxX && part.minY <= part.maxY) return part
  throw outside()
}

function outside(): OwsFailure {
  return new OwsFailure('InvalidSubsetting', 'The subset lies outside of the coverage', 'subset', 404)
}

async function imageOf(box: Envelope, from: string, to: string): Promise<Envelope> {
  if (from === to) return box
  const reprojector = await findReprojector(from, to)
  try {
    const image = await coverEnvelope(reprojector, box)
    if (image !== undefined) return image
  } finally {
    await reprojector.close()
  }
  throw new OwsFailure('InvalidSubsetting', `The subset cannot be transformed to ${to}`, 'subset', 404)
}

const unscaled: AxisScale = { factor: 1 }
const maxCells = 100_000
const maxFactor = 1000

function readScale(axisScalings: readonly AxisScaling[]): CoverageFileRequest['scale'] {
  const scale: { x?: AxisScale; y?: AxisScale } = {}
  for (const axisScaling of axisScalings) {
    const way = axisScaling.axis === undefined ? undefined : readAxis(axisScaling.axis, 'ScaleAxisUndefined')
    // A response contains one time.
    if (way === 'time') continue
    const axes = way === undefined ? (['x', 'y'] as const) : ([way] as const)
    if (axes.some((axis) => scale[axis] !== undefined))
      throw new OwsFailure('InvalidScaleFactor', 'An axis is scaled once', 'scale', 404)
    for (const axis of axes) scale[axis] = axisScale(axisScaling)
  }
  return { across: scale.x ?? unscaled, down: scale.y ?? unscaled }
}

function axisScale({ factor, size, extent }: AxisScaling): AxisScale {
  if (factor !== undefined) {
    const value = Number(factor)
    if (factor.trim() !== '' && value > 0 && value <= maxFactor) return { factor: value }
    throw new OwsFailure(
      'InvalidScaleFactor',
      `"${factor.slice(0, 60)}" is not a number above 0 and up to ${maxFactor}`,
      factor.slice(0, 60),
      404,
    )
  }
  const [low, high] = extent === undefined ? [0, Number(size) - 1] : extent.map(Number)
  const cells = Math.round((high ?? Number.NaN) - (low ?? Number.NaN)) + 1
  if (cells >= 1 && cells <= maxCells) return { cells }
  throw new OwsFailure(
    extent === undefined ? 'InvalidScaleFactor' : 'InvalidExtent',
    `An axis is scaled to 1 to ${maxCells} cells`,
    'scale',
    404,
  )
}

const methods: Record<string, Resampling> = {
  nearest: 'nearest',
  'nearest-neighbor': 'nearest',
  'nearest neighbor': 'nearest',
  near: 'nearest',
  linear: 'bilinear',
  bilinear: 'bilinear',
  cubic: 'cubic',
  bicubic: 'cubic',
}

/** By its URI (OGC 12-049), or as older versions call it. Undefined: the nearest cell. */
export function readInterpolation(
  text: string | undefined,
  code = 'InterpolationMethodNotSupported',
): Resampling {
  if (text === undefined) return 'nearest'
  const found = ownValue(methods, text.trim().replace(/^.*\//, '').toLowerCase())
  if (found !== undefined) return found
  throw new OwsFailure(
    code,
    `Interpolation "${text.slice(0, 100)}" is not offered: ask for nearest-neighbor, linear or cubic`,
    'interpolation',
    404,
  )
}

/**
 * Returns the requested times of a mosaic; throws `OwsFailure` (`InvalidSubsetting`) if it has none of them.
 */
function readSubsetTimes(subsets: readonly AxisSubset[], layer: LayerRecord): TimeSelection[] | undefined {
  const [subset, ...others] = subsets
  if (subset === undefined) return undefined
  const { axis, low, high, point } = subset
  const { times } = layer.details
  if (times === undefined || others.length > 0)
    throw new OwsFailure(
      'InvalidAxisLabel',
      times === undefined ? 'The coverage has no time' : 'The axis of time has more than one subset',
      axis.slice(0, 100),
      404,
    )
  const selection = parseTime(point ?? `${low ?? '..'}/${high ?? '..'}`)
  if (selection === undefined) return undefined
  requireTime(selection, times, 'InvalidSubsetting')
  return [selection]
}

/** Throws `OwsFailure` with the code if none of the times matches. */
export function requireTime(
  { fromMs, toMs }: TimeSelection,
  times: NonNullable<LayerRecord['details']['times']>,
  code: string,
): void {
  const isThere =
    times.values.length === 0
      ? fromMs <= Date.parse(times.to) && toMs >= Date.parse(times.from)
      : times.values.some((value) => Date.parse(value) >= fromMs && Date.parse(value) <= toMs)
  if (isThere) return
  throw new OwsFailure(
    code,
    `The coverage has no such time: its times go from ${times.from} to ${times.to}`,
    'time',
    404,
  )
}
