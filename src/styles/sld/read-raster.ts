import type { XmlElement } from '../../core/text/xml-tree.ts'
import { parseColor } from '../colors.ts'
import type { Losses } from '../losses.ts'
import type {
  ContrastStretch,
  RasterColor,
  RasterColors,
  RasterSymbolizer,
  StyleRasterBand,
} from '../model.ts'
import { childElement, childrenOf, elementsOf } from '../style-xml.ts'
import { parseStyleNumber } from './read-values.ts'

const known = [
  'Opacity',
  'ChannelSelection',
  'ContrastEnhancement',
  'ColorMap',
  'Geometry',
  'Name',
  'Description',
]

/** A `RasterSymbolizer`. */
export function readSldRaster(element: XmlElement, losses: Losses): RasterSymbolizer {
  for (const { name } of elementsOf(element)) if (!known.includes(name)) losses.add(name)
  const enhanced = readEnhancement(childElement(element, 'ContrastEnhancement'), losses)
  const bands = readBands(childElement(element, 'ChannelSelection'), losses)
  const colors = readColors(childElement(element, 'ColorMap'), losses)
  return {
    kind: 'raster',
    opacity: numberIn(element, 'Opacity', losses) ?? 1,
    bands: bands ?? stretched(enhanced.stretch),
    enhancement: enhanced.enhancement,
    gamma: enhanced.gamma,
    colors,
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseStyleNumber(text)
}

/** Returns the number in an element, as a literal or plain text. */
function numberIn(element: XmlElement | undefined, name: string, losses: Losses): number | undefined {
  const holder = childElement(element, name)
  const text = plainText(holder)
  if (holder === undefined || text === '') return undefined
  const number = text === undefined ? undefined : parseStyleNumber(text)
  return (
    number ??
    losses.add(text === undefined ? `a computed ${name} of a raster` : `the ${name} ${text} of a raster`)
  )
}

/** Returns the content of an element as text or one literal; undefined for computed values. */
function plainText(element: XmlElement | undefined): string | undefined {
  const [inner, ...others] = elementsOf(element)
  if (inner === undefined) return element?.text.trim()
  return inner.name === 'Literal' && others.length === 0 && elementsOf(inner).length === 0
    ? inner.text.trim()
    : undefined
}

function stretched(stretch: ContrastStretch | undefined): RasterSymbolizer['bands'] {
  return stretch === undefined ? undefined : { gray: { band: 1, stretch } }
}

interface Enhancement {
  enhancement?: 'normalize' | 'histogram'
  gamma?: number
  stretch?: ContrastStretch
}

function readEnhancement(element: XmlElement | undefined, losses: Losses): Enhancement {
  const gamma = numberIn(element, 'GammaValue', losses)
  const normalize = childElement(element, 'Normalize')
  if (childElement(element, 'Logarithmic') ?? childElement(element, 'Exponential'))
    losses.add('a contrast by logarithms')
  const stretch = readStretch(normalize, losses)
  const enhancement: Enhancement['enhancement'] | undefined = childElement(element, 'Histogram')
    ? 'histogram'
    : normalize && !stretch
      ? 'normalize'
      : undefined
  return { enhancement, stretch, gamma: gamma === undefined || gamma === 1 ? undefined : gamma }
}

/** The least and largest value in the form that GeoServer and QGIS write them. */
function readStretch(normalize: XmlElement | undefined, losses: Losses): ContrastStretch | undefined {
  const options = new Map(
    childrenOf(normalize, 'VendorOption').map((one) => [one.attributes.name, one.text.trim()]),
  )
  const [min, max] = [numberOf(options.get('minValue')), numberOf(options.get('maxValue'))]
  const algorithm = options.get('algorithm')
  if (algorithm !== undefined && algorithm !== 'StretchToMinimumMaximum')
    losses.add(`the contrast ${algorithm}`)
  return min === undefined || max === undefined ? undefined : { min, max }
}

function readBands(element: XmlElement | undefined, losses: Losses): RasterSymbolizer['bands'] {
  const band = (name: string): StyleRasterBand | undefined => readBand(childElement(element, name), losses)
  const gray = band('GrayChannel')
  const [red, green, blue] = [band('RedChannel'), band('GreenChannel'), band('BlueChannel')]
  if (gray !== undefined) return { gray }
  return red === undefined || green === undefined || blue === undefined ? undefined : { red, green, blue }
}

function readBand(channel: XmlElement | undefined, losses: Losses): StyleRasterBand | undefined {
  if (channel === undefined) return undefined
  const named = childElement(channel, 'SourceChannelName')
  const name = named === undefined ? '1' : plainText(named)
  if (name === undefined) return losses.add('a computed band')
  const band = Number(name)
  if (!Number.isInteger(band) || band < 1) return losses.add(`the band ${name}, which is not a number`)
  const { stretch, enhancement, gamma } = readEnhancement(
    childElement(channel, 'ContrastEnhancement'),
    losses,
  )
  if (enhancement !== undefined || gamma !== undefined) losses.add('a contrast of one band')
  return { band, stretch }
}

function readColors(map: XmlElement | undefined, losses: Losses): RasterColors | undefined {
  if (map === undefined) return undefined
  const categorize = childElement(map, 'Categorize')
  if (categorize !== undefined) return readCategorize(categorize, losses)
  const entries = childrenOf(map, 'ColorMapEntry').flatMap(
    (entry) => colorOf(entry) ?? losses.add('a colour of a raster') ?? [],
  )
  if (entries.length === 0) return losses.add('the colours of a raster')
  const type = (['intervals', 'values'] as const).find((one) => one === map.attributes.type) ?? 'ramp'
  return { type, entries: entries.sort((one, other) => one.value - other.value) }
}

/** GeoServer writes the last bound as a large number. */
const endless = 1e300

function colorOf({ attributes }: XmlElement): RasterColor | undefined {
  const quantity = numberOf(attributes.quantity)
  const parsed = parseColor(attributes.color ?? '')
  if (quantity === undefined || parsed === undefined) return undefined
  const value = quantity >= endless ? Number.POSITIVE_INFINITY : quantity
  const opacity = numberOf(attributes.opacity) ?? parsed.opacity
  return { value, color: parsed.color, opacity, label: attributes.label }
}

/** The form of SE 1.1: a colour, then a threshold and the colour above it, and so on. */
function readCategorize(element: XmlElement, losses: Losses): RasterColors | undefined {
  const colors = childrenOf(element, 'Value').map(({ text }) => parseColor(text.trim()))
  const bounds = childrenOf(element, 'Threshold').map(({ text }) => Number(text))
  const entries = colors.map((parsed, index) => ({
    value: bounds[index] ?? Number.POSITIVE_INFINITY,
    ...(parsed ?? { color: '#000000', opacity: 0 }),
  }))
  const isWhole =
    colors.length === bounds.length + 1 && colors.every(Boolean) && bounds.every(Number.isFinite)
  return isWhole ? { type: 'intervals', entries } : losses.add('the colours of a raster')
}
