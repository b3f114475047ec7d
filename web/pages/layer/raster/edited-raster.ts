import type { Calls } from '../../../api/openapi.d.ts'

/** Statistics of a layer's bands, from the server. */
export type Bands = Calls['GET /tiles/{layer}/bands.json']['answer']
export type Band = Bands['bands'][number]

/** `plain`: as in the file; `shades`: one band in gray. */
export const rasterModes = ['plain', 'three', 'shades', 'ramp', 'intervals', 'values'] as const
export type RasterMode = (typeof rasterModes)[number]
type ColoredMode = Extract<RasterMode, 'ramp' | 'intervals' | 'values'>

/** Values between these are spread over all shades. */
interface Stretch {
  min: number
  max: number
}

interface ChosenBand {
  /** From 1 on. */
  band: number
  /** Absent: as the server finds it. */
  stretch?: Stretch
}

/** A colour of values. */
export interface RasterEntry {
  /** Value of the colour, upper limit, or category; unused for the last interval. */
  value: number
  color: string
  /** 0 to 1. */
  opacity: number
  /** Text of the legend, if it is not derived from the value. */
  title?: string
}

/** A style of rasters as the editor has it. */
export interface EditedRaster {
  mode: RasterMode
  opacity: number
  /** For shades and three bands; 1: unchanged. */
  gamma: number
  /** For shades and coloured bands. */
  one: ChosenBand
  /** Red, green, blue. */
  three: [ChosenBand, ChosenBand, ChosenBand]
  entries: RasterEntry[]
}

export const plainRaster: EditedRaster = {
  mode: 'plain',
  opacity: 1,
  gamma: 1,
  one: { band: 1 },
  entries: [],
  three: [{ band: 1 }, { band: 2 }, { band: 3 }],
}

export function isColored(mode: RasterMode): mode is ColoredMode {
  return mode === 'ramp' || mode === 'intervals' || mode === 'values'
}

/** Returns the range of a band's values: most of them, or all. */
export function spreadOf(
  { low = 0, high = 255, min = low, max = high }: Partial<Band>,
  isAll: boolean,
): Stretch {
  const [from, to] = isAll || low >= high ? [min, max] : [low, high]
  return from < to ? { min: from, max: to } : { min: from, max: from + 1 }
}

/** Returns evenly distributed colours between two values. */
export function entriesBetween(
  mode: 'ramp' | 'intervals',
  { min, max }: Stretch,
  colors: readonly string[],
): RasterEntry[] {
  const parts = mode === 'ramp' ? Math.max(1, colors.length - 1) : colors.length
  return colors.map((color, at) => {
    const isLast = mode === 'intervals' && at === colors.length - 1
    const value = min + ((max - min) * (mode === 'ramp' ? at : at + 1)) / parts
    return { value: isLast ? Number.POSITIVE_INFINITY : Number(value.toPrecision(7)), color, opacity: 1 }
  })
}

/** A colour for each value, those of the file where it names them. */
export function entriesOfValues(
  values: readonly number[],
  colors: readonly string[],
  own: Bands['palette'] = [],
): RasterEntry[] {
  const named = new Map(own.map(({ value, color }) => [value, color]))
  return values.map((value, at) => ({
    value,
    opacity: 1,
    color: named.get(value) ?? colors[at % colors.length] ?? '#000000',
  }))
}
