import type { ContrastStretch, RasterColors, RasterSymbolizer } from '../../styles/index.ts'
import type { Cells } from './cells.ts'
import type { Spread } from './spread-of-values.ts'

/** Properties of a raster that determine its colours if the style does not. */
export interface RasterFacts {
  /** Colour interpretation of each band, by GDAL's names, without alpha. */
  bands: { color?: string; dataType: string }[]
  /** Red, green, blue and alpha of each value of a palette. */
  palette?: [number, number, number, number][]
  /** Range of most values of each band. */
  stretches: (Spread | undefined)[]
}

type Rgba = readonly [number, number, number, number]
/** Writes the colour of a cell to `out`: red, green, blue and alpha from 0 to 255. */
export type Colorize = (values: ArrayLike<number>, at: number, out: Uint8Array) => void

const nothing: Rgba = [0, 0, 0, 0]

function rgbaOf(color: string, opacity: number): Rgba {
  const part = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16)
  return [part(1), part(3), part(5), Math.round(opacity * 255)]
}

/** Returns a function that finds the colour of a value in an ordered list, by binary search. */
function colorOf({ type, entries }: RasterColors): (value: number) => Rgba {
  const at = Float64Array.from(entries, ({ value }) => value)
  const colors = entries.map(({ color, opacity }) => rgbaOf(color, opacity))
  /** Finds the first entry with a value that is not less. */
  const find = (value: number): number => {
    let [low, high] = [0, at.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((at[middle] ?? 0) < value) low = middle + 1
      else high = middle
    }
    return low
  }
  if (type === 'values')
    return (value) => (at[find(value)] === value ? colors[find(value)] : undefined) ?? nothing
  if (type === 'intervals')
    return (value) => colors[value === at[find(value)] ? find(value) + 1 : find(value)] ?? nothing
  return (value) => {
    const next = find(value)
    const [from, to] = [colors[next - 1], colors[next]]
    if (from === undefined || to === undefined) return from ?? to ?? nothing
    const [start, end] = [at[next - 1] ?? 0, at[next] ?? 0]
    const share = (value - start) / (end - start)
    const mix = (index: 0 | 1 | 2 | 3): number => Math.round(from[index] + (to[index] - from[index]) * share)
    return [mix(0), mix(1), mix(2), mix(3)]
  }
}

function shade(stretch: ContrastStretch | undefined, gamma: number): (value: number) => number {
  const { min, max } = stretch ?? { min: 0, max: 255 }
  const span = max - min
  return (value) => {
    const share = span > 0 ? Math.min(1, Math.max(0, (value - min) / span)) : 0.5
    return Math.round((gamma === 1 ? share : share ** (1 / gamma)) * 255)
  }
}

/**
 * Returns the shading of histogram equalization: the share of values that are not greater, 0 for the least
 * value.
 */
function evenShade({ quantiles }: Spread, gamma: number): (value: number) => number {
  const last = quantiles.length - 1
  /**
   * Returns the share of quantiles that are not above the value, plus a fraction of the interval to the next
   * one.
   */
  const shareOf = (value: number): number => {
    let [low, high] = [0, quantiles.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((quantiles[middle] ?? 0) <= value) low = middle + 1
      else high = middle
    }
    if (low === 0) return 0
    if (low > last) return 1
    const [from, to] = [quantiles[low - 1] ?? 0, quantiles[low] ?? 0]
    return (low - 1 + (value - from) / (to - from)) / last
  }
  const least = shareOf(quantiles[0] ?? 0)
  const even = { min: least, max: 1 }
  const toShade = shade(even, gamma)
  return (value) => toShade(shareOf(value))
}

/** Returns the shading of a band: between the values of the style, otherwise by the values of the band. */
function bandShade(
  { stretches }: RasterFacts,
  { band, stretch }: { band: number; stretch?: ContrastStretch },
  { gamma = 1, enhancement }: RasterSymbolizer,
): (value: number) => number {
  const spread = stretches[band]
  if (stretch === undefined && enhancement === 'histogram' && spread !== undefined)
    return evenShade(spread, gamma)
  return shade(stretch ?? spread, gamma)
}

function grayColors(band: number, toShade: (value: number) => number): Colorize {
  return (values, at, out) => {
    const gray = toShade(values[at + band] ?? 0)
    out[0] = gray
    out[1] = gray
    out[2] = gray
    out[3] = 255
  }
}

function mappedColors(band: number, toColor: (value: number) => Rgba): Colorize {
  return (values, at, out) => out.set(toColor(values[at + band] ?? 0))
}

function inkColors([cyan, magenta, yellow, black]: readonly number[]): Colorize {
  const ink = (values: ArrayLike<number>, at: number, band: number | undefined): number =>
    band === undefined ? 0 : (values[at + band] ?? 0)
  return (values, at, out) => {
    const light = (255 - ink(values, at, black)) / 255
    out[0] = Math.round((255 - ink(values, at, cyan)) * light)
    out[1] = Math.round((255 - ink(values, at, magenta)) * light)
    out[2] = Math.round((255 - ink(values, at, yellow)) * light)
    out[3] = 255
  }
}

/** Returns the indexes of bands by colour interpretation; -1 if there is none. */
function bandsNamed({ bands }: RasterFacts, ...names: string[]): number[] {
  return names.map((name) => bands.findIndex(({ color }) => color === name))
}

function isBytes({ bands }: RasterFacts, band: number): boolean {
  return bands[band]?.dataType === 'Byte'
}

function threeColors(
  facts: RasterFacts,
  chosen: { band: number; stretch?: ContrastStretch }[],
  symbol: RasterSymbolizer,
): Colorize {
  const { gamma = 1, enhancement } = symbol
  const shades = chosen.map((one) => {
    const isPlain = one.stretch === undefined && enhancement === undefined && isBytes(facts, one.band)
    return isPlain ? shade(undefined, gamma) : bandShade(facts, one, symbol)
  })
  return (values, at, out) => {
    for (let index = 0; index < 3; index += 1) {
      out[index] = shades[index]?.(values[at + (chosen[index]?.band ?? 0)] ?? 0) ?? 0
    }
    out[3] = 255
  }
}

/**
 * Returns the default colours: by palette, CMYK bands, red, green and blue bands, or the first band in shades
 * of gray.
 */
function usualColors(facts: RasterFacts, symbol: RasterSymbolizer): Colorize {
  const { palette, bands } = facts
  if (palette !== undefined) return mappedColors(0, (value) => palette[value] ?? nothing)
  const inks = bandsNamed(facts, 'Cyan', 'Magenta', 'Yellow', 'Black')
  if (inks.every((band) => band >= 0)) return inkColors(inks)
  const named = bandsNamed(facts, 'Red', 'Green', 'Blue')
  const three = named.every((band) => band >= 0) ? named : bands.length >= 3 ? [0, 1, 2] : undefined
  if (three !== undefined)
    return threeColors(
      facts,
      three.map((band) => ({ band })),
      symbol,
    )
  return grayColors(0, bandShade(facts, { band: 0 }, symbol))
}

/**
 * Converts cells to colours by the style and the properties of the raster. Missing bands of the style are
 * replaced by the first ones.
 */
export function colorizer(facts: RasterFacts, symbol: RasterSymbolizer): Colorize {
  const { bands, colors } = symbol
  const indexOf = (band: number): number => (band >= 1 && band <= facts.bands.length ? band - 1 : 0)
  if (bands !== undefined && 'red' in bands) {
    const chosen = [bands.red, bands.green, bands.blue]
    return threeColors(
      facts,
      chosen.map(({ band, ...rest }) => ({ band: indexOf(band), ...rest })),
      symbol,
    )
  }
  const gray = bands !== undefined && 'gray' in bands ? bands.gray : undefined
  const band = indexOf(gray?.band ?? 1)
  if (colors !== undefined && colors.entries.length > 0) return mappedColors(band, colorOf(colors))
  if (gray === undefined) return usualColors(facts, symbol)
  return grayColors(band, bandShade(facts, { ...gray, band }, symbol))
}

/** Paints cells onto an image of the same size with red, green, blue and alpha. */
export function paintCells(cells: Cells, colorize: Colorize, opacity: number, picture: Uint8Array): void {
  const color = new Uint8Array(4)
  const { bands, values, alpha } = cells
  for (let cell = 0; cell < alpha.length; cell += 1) {
    const there = alpha[cell] ?? 0
    if (there === 0) continue
    colorize(values, cell * bands, color)
    const share = (there * (color[3] ?? 0) * opacity) / 65025
    if (share <= 0) continue
    const at = cell * 4
    const below = ((picture[at + 3] ?? 0) / 255) * (1 - share)
    const whole = share + below
    for (let index = 0; index < 3; index += 1) {
      picture[at + index] = Math.round(
        ((color[index] ?? 0) * share + (picture[at + index] ?? 0) * below) / whole,
      )
    }
    picture[at + 3] = Math.round(whole * 255)
  }
}
