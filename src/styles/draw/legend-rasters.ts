import type { ContrastStretch, RasterSymbolizer } from '../model.ts'
import type { LegendEntry, LegendRamp } from './legend-model.ts'

/** Properties of a layer's rasters. */
export interface LegendRasters {
  bands: { name: string; unit?: string; stretch?: ContrastStretch }[]
  /** Red, green and blue of values, from the file itself. */
  palette?: { value: number; color: string; opacity: number }[]
  /** True if three bands are drawn as RGB unless the style says otherwise. */
  isColored: boolean
}

const black = '#000000'
const white = '#ffffff'

function entry(title: string, more: Partial<LegendEntry>): LegendEntry {
  return { title, symbols: [], dimension: 2, ...more }
}

function bandName({ bands }: LegendRasters, band: number): string {
  return bands[band - 1]?.name ?? `band ${band}`
}

function threeBands(rasters: LegendRasters, title: string, chosen: [number, number, number]): LegendEntry[] {
  const [red, green, blue] = chosen.map((band) => bandName(rasters, band))
  const heading = title === '' ? [] : [entry(title, {})]
  return [
    ...heading,
    entry(`Red: ${red}`, { color: { color: '#ff0000', opacity: 1 } }),
    entry(`Green: ${green}`, { color: { color: '#00ff00', opacity: 1 } }),
    entry(`Blue: ${blue}`, { color: { color: '#0000ff', opacity: 1 } }),
  ]
}

function grayRamp({ bands }: LegendRasters, band: number, own: ContrastStretch | undefined): LegendRamp {
  const { unit, stretch } = bands[band - 1] ?? {}
  const { min, max } = own ?? stretch ?? { min: 0, max: 255 }
  return {
    stops: [
      { value: min, color: black, opacity: 1 },
      { value: max, color: white, opacity: 1 },
    ],
    unit,
  }
}

function listed(
  entries: { value: number; color: string; opacity: number; label?: string }[],
  isUpperBound: boolean,
  unit: string | undefined,
): LegendEntry[] {
  const output = (value: number): string =>
    `${Number(value.toPrecision(10))}${unit === undefined ? '' : ` ${unit}`}`
  return entries.map(({ value, color, opacity, label }, index) => {
    const before = entries[index - 1]
    const bound =
      value === Number.POSITIVE_INFINITY ? `≥ ${output(before?.value ?? 0)}` : `< ${output(value)}`
    const between =
      before === undefined || value === Number.POSITIVE_INFINITY
        ? bound
        : `${Number(before.value.toPrecision(10))} – ${output(value)}`
    return entry(label ?? (isUpperBound ? between : output(value)), { color: { color, opacity } })
  })
}

/** Returns the legend lines of one raster symbolizer. */
export function rasterEntries(
  symbol: RasterSymbolizer,
  title: string,
  rasters: LegendRasters = { bands: [], isColored: false },
): LegendEntry[] {
  const { bands, colors } = symbol
  if (bands !== undefined && 'red' in bands)
    return threeBands(rasters, title, [bands.red.band, bands.green.band, bands.blue.band])
  const gray = bands !== undefined && 'gray' in bands ? bands.gray : undefined
  const band = gray?.band ?? 1
  const unit = rasters.bands[band - 1]?.unit
  const heading = title === '' ? [] : [entry(title, {})]
  if (colors !== undefined && colors.entries.length > 0) {
    if (colors.type === 'ramp') return [entry(title, { ramp: { stops: colors.entries, unit } })]
    return [...heading, ...listed(colors.entries, colors.type === 'intervals', unit)]
  }
  if (gray === undefined && rasters.palette !== undefined)
    return [...heading, ...listed(rasters.palette, false, undefined)]
  if (gray === undefined && rasters.isColored) return threeBands(rasters, title, [1, 2, 3])
  return [
    entry(title === '' ? bandName(rasters, band) : title, { ramp: grayRamp(rasters, band, gray?.stretch) }),
  ]
}
