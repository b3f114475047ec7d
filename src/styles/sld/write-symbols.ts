import { escapeXml } from '../../core/text/escape.ts'
import type {
  Fill,
  Placement,
  RasterColors,
  RasterSymbolizer,
  Stroke,
  StyleRasterBand,
  Symbolizer,
  TextSymbolizer,
  Value,
} from '../model.ts'
import { attributes, styleElement } from '../style-xml.ts'
import type { SldDialect } from './dialect.ts'
import { literalXml, propertyXml } from './write-filter.ts'

const metre = 'http://www.opengeospatial.org/se/units/metre'

/** Writes symbols whose values are plain, or are an attribute of the feature. */
export class SymbolWriter {
  readonly #dialect: SldDialect

  constructor(dialect: SldDialect) {
    this.#dialect = dialect
  }

  symbol(symbol: Symbolizer): string {
    switch (symbol.kind) {
      case 'point':
        return this.#symbolizer('Point', symbol, this.#mark(symbol))
      case 'icon':
        return this.#symbolizer('Point', symbol, this.#icon(symbol))
      case 'line':
        return this.#symbolizer(
          'Line',
          symbol,
          this.#stroke(symbol.stroke) + this.#value('PerpendicularOffset', symbol.offset),
        )
      case 'polygon':
        return this.#symbolizer('Polygon', symbol, this.#fill(symbol.fill) + this.#stroke(symbol.stroke))
      case 'text':
        return this.#symbolizer('Text', symbol, this.#text(symbol))
      case 'raster':
        return this.#element('RasterSymbolizer', this.#raster(symbol))
    }
  }

  #symbolizer(kind: string, { unit }: { unit?: string }, content: string): string {
    const name = this.#dialect.name(`${kind}Symbolizer`)
    return `<${name}${attributes({ uom: unit === 'metre' ? metre : undefined })}>${content}</${name}>`
  }

  #element(name: string, ...content: string[]): string {
    return styleElement(this.#dialect.name(name), ...content)
  }

  #value(name: string, value: Value<string | number> | undefined): string {
    return value === undefined ? '' : this.#element(name, valueXml(value))
  }

  #parameter(name: string, value: Value<string | number> | undefined): string {
    return value === undefined ? '' : this.#dialect.parameter(name, valueXml(value))
  }

  #fill(fill: Fill | undefined): string {
    if (fill === undefined) return ''
    const opacity = fill.opacity === 1 ? undefined : fill.opacity
    return this.#element(
      'Fill',
      this.#parameter('fill', fill.color),
      this.#parameter('fill-opacity', opacity),
    )
  }

  #stroke(stroke: Stroke | undefined): string {
    if (stroke === undefined) return ''
    const { color, width, opacity, dashes, cap, join } = stroke
    return this.#element(
      'Stroke',
      this.#parameter('stroke', color),
      this.#parameter('stroke-width', width),
      this.#parameter('stroke-opacity', opacity === 1 ? undefined : opacity),
      this.#parameter('stroke-dasharray', dashes?.join(' ')),
      this.#parameter('stroke-linecap', cap),
      this.#parameter('stroke-linejoin', join === 'miter' ? 'mitre' : join),
    )
  }

  #mark({ shape, fill, stroke, size, rotation }: Extract<Symbolizer, { kind: 'point' }>): string {
    const isBare = fill === undefined && stroke === undefined
    const hidden = { color: '#000000', opacity: 0 }
    const mark = this.#element(
      'Mark',
      this.#value('WellKnownName', shape),
      this.#fill(isBare ? hidden : fill),
      this.#stroke(stroke),
    )
    return this.#element('Graphic', mark, this.#value('Size', size), this.#value('Rotation', rotation))
  }

  #icon({ href, format, size, opacity, rotation }: Extract<Symbolizer, { kind: 'icon' }>): string {
    const resource = `<${this.#dialect.name('OnlineResource')} xlink:type="simple"${attributes({ 'xlink:href': href })}/>`
    const external = this.#element(
      'ExternalGraphic',
      resource,
      this.#value('Format', format ?? formatOf(href)),
    )
    return this.#element(
      'Graphic',
      external,
      this.#value('Opacity', opacity === 1 ? undefined : opacity),
      this.#value('Size', size),
      this.#value('Rotation', rotation),
    )
  }

  #text(symbol: TextSymbolizer): string {
    const { label, font, size, halo, placement, color, opacity } = symbol
    const parts = label.map((part) =>
      typeof part === 'string' ? literalXml(part) : propertyXml(part.property),
    )
    return [
      this.#element('Label', ...parts),
      this.#element(
        'Font',
        this.#parameter('font-family', font?.family),
        this.#parameter('font-style', font?.isItalic ? 'italic' : undefined),
        this.#parameter('font-weight', font?.isBold ? 'bold' : undefined),
        this.#parameter('font-size', size),
      ),
      placement === undefined ? '' : this.#element('LabelPlacement', this.#placement(placement)),
      halo === undefined ? '' : this.#element('Halo', this.#value('Radius', halo.width), this.#fill(halo)),
      this.#fill({ color, opacity }),
    ].join('')
  }

  #placement(placement: Placement): string {
    if (placement.at === 'line') {
      const { offset, repeat } = placement
      const isRepeated = repeat !== undefined && this.#dialect.isSe
      return this.#element(
        'LinePlacement',
        this.#value('PerpendicularOffset', offset === 0 ? undefined : offset),
        isRepeated ? this.#value('IsRepeated', 'true') + this.#value('Gap', repeat) : '',
      )
    }
    const { side, height, right, up, rotation } = placement
    const anchor =
      this.#value('AnchorPointX', { left: 0, center: 0.5, right: 1 }[side]) +
      this.#value('AnchorPointY', { bottom: 0, middle: 0.5, top: 1 }[height])
    const shift = this.#value('DisplacementX', right) + this.#value('DisplacementY', up)
    return this.#element(
      'PointPlacement',
      this.#element('AnchorPoint', anchor),
      right === 0 && up === 0 ? '' : this.#element('Displacement', shift),
      this.#value('Rotation', rotation),
    )
  }

  #raster({ opacity, bands, enhancement, gamma, colors }: RasterSymbolizer): string {
    const contrast = [
      enhancement === undefined
        ? ''
        : `<${this.#dialect.name(enhancement === 'normalize' ? 'Normalize' : 'Histogram')}/>`,
      this.#value('GammaValue', gamma),
    ].join('')
    return [
      this.#value('Opacity', opacity),
      bands === undefined ? '' : this.#bands(bands),
      colors === undefined ? '' : this.#colors(colors),
      contrast === '' ? '' : this.#element('ContrastEnhancement', contrast),
    ].join('')
  }

  #bands(bands: NonNullable<RasterSymbolizer['bands']>): string {
    const content =
      'gray' in bands
        ? this.#band('GrayChannel', bands.gray)
        : this.#band('RedChannel', bands.red) +
          this.#band('GreenChannel', bands.green) +
          this.#band('BlueChannel', bands.blue)
    return this.#element('ChannelSelection', content)
  }

  #band(name: string, { band, stretch }: StyleRasterBand): string {
    const option = (key: string, value: string | number): string =>
      `<${this.#dialect.name('VendorOption')} name="${key}">${value}</${this.#dialect.name('VendorOption')}>`
    const options =
      stretch === undefined
        ? ''
        : option('algorithm', 'StretchToMinimumMaximum') +
          option('minValue', stretch.min) +
          option('maxValue', stretch.max)
    const contrast =
      options === '' ? '' : this.#element('ContrastEnhancement', this.#element('Normalize', options))
    return this.#element(name, this.#value('SourceChannelName', band), contrast)
  }

  #colors({ type, entries }: RasterColors): string {
    const name = this.#dialect.name('ColorMap')
    const content = entries.map(({ value, color, opacity, label }) => {
      const quantity = value === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : value
      const faded = opacity === 1 ? undefined : opacity
      return `<${this.#dialect.name('ColorMapEntry')}${attributes({ color, quantity, label, opacity: faded })}/>`
    })
    return `<${name} type="${type}">${content.join('')}</${name}>`
  }
}

/** A value that is plain, or an attribute. Others have become rules before. */
function valueXml(value: Value<string | number>): string {
  if (typeof value !== 'object') return escapeXml(String(value))
  return value.by === 'attribute' ? propertyXml(value.property) : ''
}

/** Returns the media type, which the standard requires, from the extension of an address. */
function formatOf(href: string): string {
  const ending = /\.(\w+)(?:[?#]|$)/.exec(href)?.[1]?.toLowerCase()
  if (ending === 'svg') return 'image/svg+xml'
  return ending === 'jpg' || ending === 'jpeg' ? 'image/jpeg' : 'image/png'
}
