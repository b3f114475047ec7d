import { type EditedRaster, plainRaster, type RasterEntry } from './edited-raster.ts'

/** GeoServer and this server write the last bound as a large number. */
const endless = 1e300

/** Parses an SLD document for the editor; undefined if the editor cannot express it. */
export function readRaster(sld: string): EditedRaster | undefined {
  const xml = new DOMParser().parseFromString(sld, 'text/xml')
  const hasLost = [...xml.childNodes].some((one) => one.nodeType === Node.COMMENT_NODE)
  const symbols = named(xml, 'RasterSymbolizer')
  const [symbol] = symbols
  const isMore = ['MinScaleDenominator', 'MaxScaleDenominator', 'Filter', 'ElseFilter', 'TextSymbolizer']
  if (hasLost || symbol === undefined || symbols.length > 1 || named(xml, 'Rule').length > 1) return undefined
  if (isMore.some((name) => named(xml, name).length > 0)) return undefined
  return symbolOf(symbol)
}

function symbolOf(symbol: Element): EditedRaster | undefined {
  const [channels, colors] = [inside(symbol, 'ChannelSelection'), inside(symbol, 'ColorMap')]
  const contrast = inside(symbol, 'ContrastEnhancement')
  const known = [...(contrast?.children ?? [])].every(({ localName }) => localName === 'GammaValue')
  const opacity = numberIn(symbol, 'Opacity') ?? 1
  const gamma = (contrast && numberIn(contrast, 'GammaValue')) ?? 1
  const [gray, red, green, blue] = ['Gray', 'Red', 'Green', 'Blue'].map((name) =>
    bandOf(channels && inside(channels, `${name}Channel`)),
  )
  if (!known || [gray, red, green, blue].includes(null)) return undefined
  const base = { ...plainRaster, opacity, gamma, one: gray ?? plainRaster.one }
  if (red && green && blue) return colors ? undefined : { ...base, mode: 'three', three: [red, green, blue] }
  if (colors === undefined) return gray ? { ...base, mode: 'shades' } : gamma === 1 ? base : undefined
  const type = colors.getAttribute('type') ?? 'ramp'
  const mode = (['ramp', 'intervals', 'values'] as const).find((one) => one === type)
  const entries = [...colors.children].map(entryOf)
  const whole = entries.filter((one) => one !== undefined)
  if (mode === undefined || whole.length !== entries.length || gray?.stretch !== undefined) return undefined
  return { ...base, mode, entries: whole }
}

function named(place: Document | Element, name: string): Element[] {
  return [...place.getElementsByTagNameNS('*', name)]
}

function inside(parent: Element, name: string): Element | undefined {
  return [...parent.children].find(({ localName }) => localName === name)
}

function numberIn(parent: Element, name: string): number | undefined {
  const text = inside(parent, name)?.textContent?.trim() ?? ''
  const value = Number(text)
  return text === '' || !Number.isFinite(value) ? undefined : value
}

/** Undefined for none, null for one that the editor cannot express. */
function bandOf(channel: Element | undefined): EditedRaster['one'] | undefined | null {
  if (channel === undefined) return undefined
  const band = numberIn(channel, 'SourceChannelName')
  if (band === undefined || !Number.isInteger(band) || band < 1) return null
  const contrast = inside(channel, 'ContrastEnhancement')
  if (contrast === undefined) return { band }
  const options = new Map(
    named(contrast, 'VendorOption').map((one) => [one.getAttribute('name'), one.textContent?.trim()]),
  )
  const [min, max] = [Number(options.get('minValue')), Number(options.get('maxValue'))]
  const isPlain = options.get('algorithm') === 'StretchToMinimumMaximum' && options.size === 3
  return isPlain && Number.isFinite(min) && Number.isFinite(max) ? { band, stretch: { min, max } } : null
}

function entryOf(entry: Element): RasterEntry | undefined {
  const [color, quantity] = [entry.getAttribute('color') ?? '', Number(entry.getAttribute('quantity'))]
  const opacity = Number(entry.getAttribute('opacity') ?? 1)
  const title = entry.getAttribute('label')
  if (!/^#[0-9a-f]{6}$/i.test(color) || Number.isNaN(quantity) || Number.isNaN(opacity)) return undefined
  const value = quantity >= endless ? Number.POSITIVE_INFINITY : quantity
  return { value, color: color.toLowerCase(), opacity, title: title ?? undefined }
}
