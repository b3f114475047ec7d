import type { EditedRaster, RasterEntry } from './edited-raster.ts'
import { isColored } from './edited-raster.ts'

/** Writes the edited style as SLD 1.0, which can express everything that rasters need. */
export function sldOf(name: string, edited: EditedRaster): string {
  const { mode, opacity, gamma } = edited
  const hasShades = mode === 'three' || mode === 'shades'
  const parts = [
    `<Opacity>${opacity}</Opacity>`,
    mode === 'plain' ? '' : `<ChannelSelection>${channelsOf(edited)}</ChannelSelection>`,
    isColored(mode) ? `<ColorMap type="${mode}">${edited.entries.map(entryOf).join('')}</ColorMap>` : '',
    hasShades && gamma !== 1
      ? `<ContrastEnhancement><GammaValue>${gamma}</GammaValue></ContrastEnhancement>`
      : '',
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld">',
    `<NamedLayer><Name>${escaped(name)}</Name><UserStyle><Name>${escaped(name)}</Name><FeatureTypeStyle><Rule>`,
    `<RasterSymbolizer>${parts.join('')}</RasterSymbolizer>`,
    '</Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>\n',
  ].join('')
}

function channelsOf({ mode, one, three }: EditedRaster): string {
  if (mode !== 'three') return channel('Gray', mode === 'shades' ? one : { band: one.band })
  return (['Red', 'Green', 'Blue'] as const).map((name, at) => channel(name, three[at] ?? one)).join('')
}

function channel(name: string, { band, stretch }: EditedRaster['one']): string {
  const option = (key: string, value: string | number): string =>
    `<VendorOption name="${key}">${value}</VendorOption>`
  const contrast =
    stretch === undefined
      ? ''
      : `<ContrastEnhancement><Normalize>${option('algorithm', 'StretchToMinimumMaximum')}${option('minValue', stretch.min)}${option('maxValue', stretch.max)}</Normalize></ContrastEnhancement>`
  return `<${name}Channel><SourceChannelName>${band}</SourceChannelName>${contrast}</${name}Channel>`
}

function entryOf({ value, color, opacity, title }: RasterEntry): string {
  const quantity = value === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : value
  const faded = opacity === 1 ? '' : ` opacity="${opacity}"`
  const label = title === undefined ? '' : ` label="${escaped(title)}"`
  return `<ColorMapEntry color="${color}" quantity="${quantity}"${faded}${label}/>`
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Without what is not a character of XML. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)
}
