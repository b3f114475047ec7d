import type { XmlElement } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { parseColor } from '../colors.ts'
import type { Losses } from '../losses.ts'
import type {
  ContrastStretch,
  RasterColor,
  RasterColors,
  RasterSymbolizer,
  StyleRasterBand,
} from '../model.ts'
import { childElement, childrenOf, styleText } from '../style-xml.ts'

/** Reads a raster renderer; undefined, with a recorded loss, for unknown renderers. */
export function readRasterRenderer(pipe: XmlElement, losses: Losses): RasterSymbolizer | undefined {
  const renderer = childElement(pipe, 'rasterrenderer')
  if (renderer === undefined) return undefined
  const { type, opacity = '1' } = renderer.attributes
  const adjusted = childElement(pipe, 'brightnesscontrast')?.attributes ?? {}
  if (Number(adjusted.brightness ?? 0) !== 0 || Number(adjusted.contrast ?? 0) !== 0)
    losses.add('the brightness and contrast of a raster')
  const gamma = Number(adjusted.gamma ?? 1)
  const base = {
    kind: 'raster' as const,
    opacity: Number(opacity),
    gamma: Number.isFinite(gamma) && gamma !== 1 ? gamma : undefined,
  }
  switch (type) {
    case 'singlebandpseudocolor':
      return { ...base, bands: grayBand(renderer, 'band'), colors: shaderColors(renderer, losses) }
    case 'paletted':
      return { ...base, bands: grayBand(renderer, 'band'), colors: paletteColors(renderer) }
    case 'singlebandgray':
      return { ...base, ...grayOf(renderer, losses) }
    case 'multibandcolor':
      return { ...base, ...colorBands(renderer, losses) }
    default:
      return losses.add(`a raster renderer of type ${type ?? 'none'}`)
  }
}

function bandOf(renderer: XmlElement, name: string): number {
  const band = Number(renderer.attributes[name])
  return Number.isInteger(band) && band > 0 ? band : 1
}

function grayBand(renderer: XmlElement, name: string): { gray: StyleRasterBand } {
  return { gray: { band: bandOf(renderer, name) } }
}

function stretchOf(element: XmlElement | undefined, losses: Losses): ContrastStretch | undefined {
  const algorithm = styleText(element, 'algorithm') ?? 'NoEnhancement'
  const [min, max] = [Number(styleText(element, 'minValue')), Number(styleText(element, 'maxValue'))]
  if (algorithm === 'NoEnhancement' || !Number.isFinite(min) || !Number.isFinite(max)) return undefined
  if (algorithm !== 'StretchToMinimumMaximum') losses.add(`the contrast ${algorithm}`)
  return { min, max }
}

function grayOf(renderer: XmlElement, losses: Losses): Pick<RasterSymbolizer, 'bands' | 'colors'> {
  const stretch = stretchOf(childElement(renderer, 'contrastEnhancement'), losses)
  const gray = { band: bandOf(renderer, 'grayBand'), stretch }
  if (renderer.attributes.gradient !== 'WhiteToBlack') return { bands: { gray } }
  const { min, max } = stretch ?? { min: 0, max: 255 }
  const entries = [
    { value: min, color: '#ffffff', opacity: 1 },
    { value: max, color: '#000000', opacity: 1 },
  ]
  return { bands: { gray: { band: gray.band } }, colors: { type: 'ramp', entries } }
}

function colorBands(renderer: XmlElement, losses: Losses): Pick<RasterSymbolizer, 'bands'> {
  const band = (color: 'red' | 'green' | 'blue'): StyleRasterBand => ({
    band: bandOf(renderer, `${color}Band`),
    stretch: stretchOf(childElement(renderer, `${color}ContrastEnhancement`), losses),
  })
  return { bands: { red: band('red'), green: band('green'), blue: band('blue') } }
}

const rampTypes: Record<string, RasterColors['type']> = {
  INTERPOLATED: 'ramp',
  DISCRETE: 'intervals',
  EXACT: 'values',
}

function shaderColors(renderer: XmlElement, losses: Losses): RasterColors | undefined {
  const shader = childElement(childElement(renderer, 'rastershader'), 'colorrampshader')
  const type = ownValue(rampTypes, shader?.attributes.colorRampType ?? '')
  const entries = childrenOf(shader, 'item').flatMap((item) => entryOf(item) ?? [])
  if (type === undefined || entries.length === 0) return losses.add('the colours of a raster')
  return { type, entries: entries.sort((one, other) => one.value - other.value) }
}

function paletteColors(renderer: XmlElement): RasterColors {
  const entries = childrenOf(childElement(renderer, 'colorPalette'), 'paletteEntry').flatMap(
    (entry) => entryOf(entry) ?? [],
  )
  return { type: 'values', entries: entries.sort((one, other) => one.value - other.value) }
}

function entryOf({ attributes }: XmlElement): RasterColor | undefined {
  const { value: text = '', color = '', alpha = '255', label } = attributes
  const parsed = parseColor(color)
  const value = /^\+?inf(inity)?$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text)
  if (parsed === undefined || Number.isNaN(value) || text === '') return undefined
  const opacity = Math.round((Number(alpha) / 255) * 100) / 100
  return { value, color: parsed.color, opacity, label: label || undefined }
}
