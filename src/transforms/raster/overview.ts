import { Type } from 'typebox'
import type { TransformSpec } from '../transform.ts'
import { band, count, oneOf } from './option-values.ts'
import type { OptionTable } from './options.ts'
import { optionTexts, readOptions, takes, toArguments } from './options.ts'
import type { RasterTransform } from './raster-transform.ts'

const methods =
  'nearest average rms gauss bilinear cubic cubicspline lanczos average_mp average_magphase mode none'

const table: OptionTable = {
  program: 'gdaladdo',
  allowed: {
    '-r': takes(oneOf(...methods.split(' '))),
    '-b': takes(band),
    '-minsize': takes(count),
    '-q': takes(),
  },
  refused: {
    '-ro': 'the overviews are in the file itself, not in a sidecar file',
    '-clean': 'it would remove the overviews; a translation without them writes none',
    '-oo': 'options of the reader could refer to other files',
  },
}

/** Ascending without duplicates, since the program builds each level from the previous one. */
function levelsOf(spec: TransformSpec): number[] {
  const levels = Array.isArray(spec.levels) ? spec.levels.map(Number) : []
  return [...new Set(levels)].sort((a, b) => a - b)
}

/** Adds overviews to the file with `gdaladdo`; without levels the program chooses them. */
export const rasterOverview: RasterTransform = {
  type: 'RasterOverviewTransform',
  kind: 'raster',
  program: 'gdaladdo',
  writesOutput: false,
  example: { type: 'RasterOverviewTransform', options: ['-r', 'average'], levels: [2, 4] },
  parameters: Type.Object({
    options: optionTexts,
    levels: Type.Array(Type.Integer({ minimum: 2, maximum: 1_000_000 }), { maxItems: 32 }),
  }),
  show: ({ options, levels }) => ({ options, levels }),
  check: (spec) => void readOptions(table, spec),
  runs: (spec) => [spec],
  arguments: (spec, { input }) => [
    ...toArguments(readOptions(table, spec)),
    input,
    ...levelsOf(spec).map(String),
  ],
  placement: (before) => before,
}
