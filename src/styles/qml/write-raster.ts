import type { Losses } from '../losses.ts'
import type { RasterColors, RasterSymbolizer, StyleRasterBand } from '../model.ts'
import { attributes, styleElement, styleTextElement } from '../style-xml.ts'

/** Writes the pipe of a raster. */
export function writePipe(symbol: RasterSymbolizer, losses: Losses): string {
  if (symbol.enhancement !== undefined) losses.add('a contrast by what the data hold')
  if (symbol.bands === undefined) losses.add('a raster as usual, drawn by its first band')
  const contrast = `<brightnesscontrast brightness="0" contrast="0" gamma="${symbol.gamma ?? 1}"/>`
  return styleElement('pipe', renderer(symbol), contrast)
}

function renderer({ bands, colors, opacity }: RasterSymbolizer): string {
  if (bands !== undefined && 'red' in bands) {
    const { red, green, blue } = bands
    const names = attributes({ redBand: red.band, greenBand: green.band, blueBand: blue.band })
    const content =
      contrast('redContrastEnhancement', red) +
      contrast('greenContrastEnhancement', green) +
      contrast('blueContrastEnhancement', blue)
    return `<rasterrenderer type="multibandcolor" opacity="${opacity}" alphaBand="-1"${names}>${content}</rasterrenderer>`
  }
  const gray = bands?.gray ?? { band: 1 }
  const frame = ` opacity="${opacity}" alphaBand="-1"`
  if (colors === undefined)
    return `<rasterrenderer type="singlebandgray"${frame} gradient="BlackToWhite" grayBand="${gray.band}">${contrast('contrastEnhancement', gray)}</rasterrenderer>`
  if (colors.type === 'values')
    return `<rasterrenderer type="paletted"${frame} band="${gray.band}">${styleElement('colorPalette', ...entries(colors, 'paletteEntry'))}</rasterrenderer>`
  return `<rasterrenderer type="singlebandpseudocolor"${frame} band="${gray.band}">${shader(colors)}</rasterrenderer>`
}

function shader(colors: RasterColors): string {
  const numbers = colors.entries.map(({ value }) => value).filter(Number.isFinite)
  const bounds = attributes({ minimumValue: Math.min(...numbers), maximumValue: Math.max(...numbers) })
  const type = colors.type === 'ramp' ? 'INTERPOLATED' : 'DISCRETE'
  const content = entries(colors, 'item').join('')
  return `<rastershader><colorrampshader colorRampType="${type}" classificationMode="1" clip="0"${bounds}>${content}</colorrampshader></rastershader>`
}

function entries({ entries: all }: RasterColors, name: string): string[] {
  return all.map(({ value, color, opacity, label }) => {
    const text = value === Number.POSITIVE_INFINITY ? 'inf' : value
    return `<${name}${attributes({ value: text, color, alpha: Math.round(opacity * 255), label })}/>`
  })
}

function contrast(name: string, { stretch }: StyleRasterBand): string {
  if (stretch === undefined) return styleElement(name, styleTextElement('algorithm', 'NoEnhancement'))
  return styleElement(
    name,
    styleTextElement('minValue', stretch.min),
    styleTextElement('maxValue', stretch.max),
    styleTextElement('algorithm', 'StretchToMinimumMaximum'),
  )
}
