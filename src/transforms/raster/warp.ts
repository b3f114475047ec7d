import { Type } from 'typebox'
import {
  band,
  cellType,
  count,
  crs,
  noDataList,
  number,
  oneOf,
  overviewLevel,
  pattern,
  plainNumber,
  rasterFormat,
  setting,
} from './option-values.ts'
import type { OptionTable } from './options.ts'
import { lastValue, optionTexts, readOptions, stepArguments, takes, toArguments } from './options.ts'
import type { RasterTransform } from './raster-transform.ts'
import { creationSettings, transformerSettings, warpSettings } from './settings-tables.ts'
import { rasterTranslate } from './translate.ts'

const methods = 'near bilinear cubic cubicspline lanczos average rms mode max min med Q1 Q3 sum q1 q3'
const cutline = 'it reads a cutline from another dataset'
const points = pattern('a whole number from 1', /^[1-9]\d{0,5}$/)
/** Megabytes; the memory limit of the program itself is higher. */
const megabytes = pattern('a number of megabytes from 1 to 2048', /^(?:[1-9]\d{0,2}|1\d{3}|20[0-4]\d)$/)
const conflictValue = pattern('at most 64 letters, digits, blanks and signs', /^[\w *.,;:!?()]{1,64}$/)

const table: OptionTable = {
  program: 'gdalwarp',
  allowed: {
    '-b': takes(band),
    '-srcband': takes(band),
    '-dstband': takes(band),
    '-s_srs': takes(crs),
    '-t_srs': takes(crs),
    '-to': takes(setting(transformerSettings)),
    '-vshift': takes(),
    '-novshift': takes(),
    '-s_coord_epoch': takes(number),
    '-t_coord_epoch': takes(number),
    '-order': takes(oneOf('1', '2', '3')),
    '-tps': takes(),
    '-rpc': takes(),
    '-et': takes(number),
    '-refine_gcps': { values: [plainNumber, points], counts: [1, 2] },
    '-te': takes(number, number, number, number),
    '-te_srs': takes(crs),
    '-tr': takes(number, number),
    '-tap': takes(),
    '-ts': takes(count, count),
    '-ovr': takes(overviewLevel),
    '-wo': takes(setting(warpSettings)),
    '-ot': takes(cellType),
    '-wt': takes(cellType),
    '-srcnodata': takes(noDataList),
    '-dstnodata': takes(noDataList),
    '-srcalpha': takes(),
    '-nosrcalpha': takes(),
    '-dstalpha': takes(),
    '-r': takes(oneOf(...methods.split(' '))),
    '-wm': takes(megabytes),
    '-multi': takes(),
    '-q': takes(),
    '-of': takes(rasterFormat),
    '-co': takes(setting(creationSettings)),
    '-overwrite': takes(),
    '-nomd': takes(),
    '-cvmd': takes(conflictValue),
    '-setci': takes(),
  },
  refused: {
    '-cutline': cutline,
    '-cl': cutline,
    '-cwhere': cutline,
    '-csql': cutline,
    '-cblend': cutline,
    '-crop_to_cutline': cutline,
    '-ct': 'a coordinate operation could name grid files; give the two CRS',
    '-geoloc': 'geolocation arrays are in other files',
    '-if': 'the format is that of the data',
    '-oo': 'options of the reader could refer to other files',
    '-doo': 'options of the reader could refer to other files',
  },
}

/**
 * Reprojects, resamples and crops with `gdalwarp`. A COG is written in a separate run, since the warper would
 * write it via a virtual dataset, whose driver reads any file that an untrusted raster names.
 */
export const rasterWarp: RasterTransform = {
  type: 'RasterWarpTransform',
  kind: 'raster',
  program: 'gdalwarp',
  writesOutput: true,
  example: { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] },
  parameters: Type.Object({ options: optionTexts }),
  show: ({ options }) => ({ options }),
  check: (spec) => void readOptions(table, spec),
  runs: (spec) => {
    const options = readOptions(table, spec)
    if (lastValue(options, '-of')?.toUpperCase() !== 'COG') return [spec]
    const ofOutput = options.filter(({ name }) => name === '-of' || name === '-co')
    return [
      { ...spec, options: toArguments(options.filter((option) => !ofOutput.includes(option))) },
      { type: rasterTranslate.type, options: toArguments(ofOutput) },
    ]
  },
  arguments: (spec, step) => {
    const options = readOptions(table, spec)
    return stepArguments(options, step, '-s_srs')
  },
  placement: ({ srs, hasExtent, hasControlPoints }, spec) => {
    const options = readOptions(table, spec)
    const from = lastValue(options, '-s_srs') ?? srs
    const to = lastValue(options, '-t_srs')
    const canReproject = from !== undefined || hasControlPoints
    const after = to !== undefined && canReproject ? to : from
    return { srs: after, hasExtent: hasExtent || hasControlPoints, hasControlPoints: false }
  },
}
