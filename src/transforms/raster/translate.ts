import { Type } from 'typebox'
import type { OptionValueRule } from './option-values.ts'
import {
  band,
  cellType,
  crs,
  noData,
  number,
  oneOf,
  overviewLevel,
  pattern,
  plainNumber,
  rasterFormat,
  setting,
} from './option-values.ts'
import type { OptionTable } from './options.ts'
import { hasOption, lastValue, optionTexts, readOptions, stepArguments, takes } from './options.ts'
import type { RasterTransform } from './raster-transform.ts'
import { creationSettings } from './settings-tables.ts'

const size = pattern('a number of cells or a share such as 50%', /^\d{1,9}(?:\.\d{1,9})?%?$/)
const colors = 'red|green|blue|alpha|gray|undefined'
const colorList = pattern(`colours of ${colors}`, new RegExp(`^(?:${colors})(?:,(?:${colors})){0,63}$`))
const maskBand = pattern(
  'none, auto, mask or the number of a band',
  /^(?:none|auto|[1-9]\d{0,4}|mask(?:,[1-9]\d{0,4})?)$/,
)
const tag: OptionValueRule = {
  says: 'NAME=VALUE with a name of letters, digits and _ and at most 1000 characters of value',
  read: (value) => (/^[A-Za-z]\w{0,63}=.{0,1000}$/.test(value) ? value : undefined),
}
const four = [number, number, number, number]

const table: OptionTable = {
  program: 'gdal_translate',
  allowed: {
    '-ot': takes(cellType),
    '-strict': takes(),
    '-of': takes(rasterFormat),
    '-b': takes(band),
    '-mask': takes(maskBand),
    '-expand': takes(oneOf('gray', 'rgb', 'rgba')),
    '-outsize': takes(size, size),
    '-tr': takes(number, number),
    '-ovr': takes(overviewLevel),
    '-r': takes(oneOf('nearest', 'bilinear', 'cubic', 'cubicspline', 'lanczos', 'average', 'rms', 'mode')),
    '-unscale': takes(),
    '-scale': {
      values: [plainNumber, plainNumber, plainNumber, plainNumber],
      counts: [0, 2, 4],
      isPerBand: true,
    },
    '-exponent': { values: [number], isPerBand: true },
    '-srcwin': takes(...four),
    '-epo': takes(),
    '-eco': takes(),
    '-projwin': takes(...four),
    '-projwin_srs': takes(crs),
    '-a_srs': takes(crs),
    '-a_coord_epoch': takes(number),
    '-a_ullr': takes(...four),
    '-a_nodata': takes(noData),
    '-a_scale': takes(number),
    '-a_offset': takes(number),
    '-nogcp': takes(),
    '-gcp': { values: [plainNumber, plainNumber, plainNumber, plainNumber, plainNumber], counts: [4, 5] },
    '-colorinterp': { values: [colorList], isPerBand: true },
    '-mo': takes(tag),
    '-q': takes(),
    '-co': takes(setting(creationSettings)),
    '-stats': takes(),
    '-norat': takes(),
    '-noxmp': takes(),
  },
  refused: {
    '-if': 'the format is that of the data',
    '-oo': 'options of the reader could refer to other files',
    '-sds': 'it writes more than one file',
  },
}

/** Crops, converts and compresses with `gdal_translate`. */
export const rasterTranslate: RasterTransform = {
  type: 'RasterTranslateTransform',
  kind: 'raster',
  program: 'gdal_translate',
  writesOutput: true,
  example: { type: 'RasterTranslateTransform', options: ['-co', 'COMPRESS=DEFLATE'] },
  parameters: Type.Object({ options: optionTexts }),
  show: ({ options }) => ({ options }),
  check: (spec) => void readOptions(table, spec),
  runs: (spec) => [spec],
  arguments: (spec, step) => {
    const options = readOptions(table, spec)
    return stepArguments(options, step, '-a_srs')
  },
  placement: ({ srs, hasExtent, hasControlPoints }, spec) => {
    const options = readOptions(table, spec)
    const crs = lastValue(options, '-a_srs') ?? srs
    const isPlaced = hasOption(options, '-a_ullr')
    const hasNewPoints = hasOption(options, '-gcp')
    return {
      srs: crs,
      hasExtent: isPlaced || (hasExtent && !hasNewPoints),
      hasControlPoints: hasNewPoints || (hasControlPoints && !hasOption(options, '-nogcp')),
    }
  },
}
