import type { Calls } from '../../../wire/openapi.d.ts'

/** What the bands of a layer hold, as the server tells it. */
export type Bands = Calls['GET /tiles/{layer}/bands.json']['answer']
export type Band = Bands['bands'][number]

/** `plain`: as the file itself says; `shades`: one band in gray. */
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
  /** Where the colour is pure, up to where it goes, or whose it is; that of the last interval is not asked. */
  value: number
  color: string
  /** 0 to 1. */
  opacity: number
  /** For the legend, where it is not told by the value. */
  title?: string
}

/** A style of rasters as the editor has it. */
export interface EditedRaster {
  mode: RasterMode
  opacity: number
  /** Of shades and three bands; 1: as they are. */
  gamma: number
  /** Of shades and of what is coloured. */
  one: ChosenBand
  /** Red, green, blue. */
  three: [ChosenBand, ChosenBand, ChosenBand]
  entries: RasterEntry[]
}

export const plainRaster: EditedRaster = {
  ...{ mode: 'plain', opacity: 1, gamma: 1, one: { band: 1 }, entries: [] },
  three: [{ band: 1 }, { band: 2 }, { band: 3 }],
}

export function isColored(mode: RasterMode): mode is ColoredMode {
  return mode === 'ramp' || mode === 'intervals' || mode === 'values'
}

/** Where a band's values lie: most of them, or all. */
export function spreadOf(
  { low = 0, high = 255, min = low, max = high }: Partial<Band>,
  isAll: boolean,
): Stretch {
  const [from, to] = isAll || low >= high ? [min, max] : [low, high]
  return from < to ? { min: from, max: to } : { min: from, max: from + 1 }
}

/** So many colours from one value to another. */
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
    ...{ value, opacity: 1 },
    color: named.get(value) ?? colors[at % colors.length] ?? '#000000',
  }))
}
