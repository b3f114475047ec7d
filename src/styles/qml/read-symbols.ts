import type { XmlElement } from '../../core/text/xml-tree.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { Losses } from '../losses.ts'
import type { Fill, LengthUnit, LineCap, LineJoin, MarkShape, Stroke, Symbolizer } from '../model.ts'
import { childElement, childrenOf, elementsOf } from '../style-xml.ts'
import { measureOf, parseQgisColor, tidyNumber } from './units.ts'

const shapes: Record<string, MarkShape> = {
  circle: 'circle',
  square: 'square',
  rectangle: 'square',
  triangle: 'triangle',
  equilateral_triangle: 'triangle',
  star: 'star',
  cross: 'cross',
  cross_fill: 'cross',
  cross2: 'x',
  x: 'x',
}
/** Marks that consist of lines only. */
const open = ['cross', 'cross2', 'x', 'line', 'arrowhead']

/** Dash patterns of pens, in multiples of the pen's width. */
const dashPatterns: Record<string, number[]> = {
  dash: [4, 2],
  dot: [1, 2],
  'dash dot': [4, 2, 1, 2],
  'dash dot dot': [4, 2, 1, 2, 1, 2],
}

/** Reads the properties of one symbol layer, as `Option` in newer and `prop` in older documents. */
function settingsOf(element: XmlElement | undefined): Map<string, string> {
  const settings = new Map<string, string>()
  for (const { attributes } of childrenOf(element, 'prop'))
    settings.set(attributes.k ?? '', attributes.v ?? '')
  for (const { attributes } of childrenOf(childElement(element, 'Option'), 'Option'))
    if (attributes.value !== undefined) settings.set(attributes.name ?? '', attributes.value)
  return settings
}

/** A symbol of a renderer: its symbolizers, the lowest first, and its drawing level. */
export interface ReadSymbol {
  symbols: Symbolizer[]
  pass: number
}

export function readSymbol(element: XmlElement, opacity: number, losses: Losses): ReadSymbol {
  const alpha = (numberOf(element.attributes.alpha) ?? 1) * opacity
  const layers = childrenOf(element, 'layer').filter(({ attributes }) => attributes.enabled !== '0')
  const symbols = layers.flatMap((layer) => new LayerReader(layer, alpha, losses).symbols())
  return { symbols, pass: numberOf(layers[0]?.attributes.pass) ?? 0 }
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text)
  return text === undefined || text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

class LayerReader {
  readonly #settings: Map<string, string>
  readonly #className: string
  readonly #alpha: number
  readonly #losses: Losses
  readonly #units = new Set<LengthUnit>()

  constructor(layer: XmlElement, alpha: number, losses: Losses) {
    this.#settings = settingsOf(layer)
    this.#className = layer.attributes.class ?? ''
    this.#alpha = alpha
    this.#losses = losses
    reportDataDriven(layer, losses)
  }

  symbols(): Symbolizer[] {
    const symbol = this.#read()
    if (symbol === undefined) {
      this.#losses.add(`a symbol layer of class ${this.#className}`)
      return []
    }
    if (this.#units.size > 1) this.#losses.add('pixels and metres in one symbol')
    return [this.#units.has('metre') && symbol.kind !== 'raster' ? { ...symbol, unit: 'metre' } : symbol]
  }

  #read(): Symbolizer | undefined {
    switch (this.#className) {
      case 'SimpleFill':
        return { kind: 'polygon', fill: this.#fill('style'), stroke: this.#outline() }
      case 'SimpleLine':
        return this.#line()
      case 'SimpleMarker':
        return this.#mark()
      case 'SvgMarker':
        return this.#icon()
      default:
        return undefined
    }
  }

  #text(name: string): string | undefined {
    return this.#settings.get(name)
  }

  /** Reads a length in pixels or metres; another setting names its unit. */
  #length(name: string, unitName = `${name}_unit`): number | undefined {
    const value = numberOf(this.#text(name))
    const measure = measureOf(this.#text(unitName) ?? 'MM')
    if (measure === undefined) return this.#losses.add(`the unit ${this.#text(unitName)}`) ?? value
    if (value !== undefined && value !== 0) this.#units.add(measure.unit ?? 'pixel')
    return value === undefined ? undefined : tidyNumber(value * measure.factor)
  }

  #paint(name: string): Fill {
    const { color, opacity } = parseQgisColor(this.#text(name)) ?? { color: '#000000', opacity: 1 }
    return { color, opacity: Math.round(opacity * this.#alpha * 1000) / 1000 }
  }

  #fill(styleName: string): Fill | undefined {
    const style = this.#text(styleName) ?? 'solid'
    if (style === 'no') return undefined
    if (style !== 'solid') this.#losses.add(`the pattern ${style} of a fill`)
    return this.#paint('color')
  }

  #outline(): Stroke | undefined {
    const style = this.#text('outline_style') ?? this.#text('style_border') ?? 'solid'
    if (style === 'no') return undefined
    const color = this.#text('outline_color') === undefined ? 'color_border' : 'outline_color'
    const width = this.#length('outline_width') ?? this.#length('width_border') ?? 1
    return this.#stroke({ ...this.#paint(color), width }, style)
  }

  /** Reads a stroke. A width of 0 is the thinnest possible line. */
  #stroke({ color, opacity, width: given }: Fill & { width: number }, style: string): Stroke {
    const width = given === 0 ? 1 : given
    const pattern = ownValue(dashPatterns, style)
    if (pattern === undefined && style !== 'solid') this.#losses.add(`the pen ${style}`)
    const dashes = this.#customDashes() ?? pattern?.map((dash) => tidyNumber(dash * width))
    return { color, width, opacity, dashes, cap: this.#cap(), join: this.#join() }
  }

  #customDashes(): number[] | undefined {
    if (this.#text('use_customdash') !== '1') return undefined
    const factor = measureOf(this.#text('customdash_unit') ?? 'MM')?.factor ?? 1
    const dashes = (this.#text('customdash') ?? '')
      .split(';')
      .map((dash) => tidyNumber(Number(dash) * factor))
    return dashes.every((dash) => Number.isFinite(dash) && dash >= 0) ? dashes : undefined
  }

  #cap(): LineCap | undefined {
    const cap = this.#text('capstyle')
    if (cap === 'flat') return 'butt'
    return cap === 'round' || cap === 'square' ? cap : undefined
  }

  #join(): LineJoin | undefined {
    const join = this.#text('joinstyle')
    return join === 'bevel' || join === 'round' || join === 'miter' ? join : undefined
  }

  #line(): Symbolizer {
    const style = this.#text('line_style') ?? 'solid'
    const width = this.#length('line_width') ?? 1
    const isHidden = style === 'no'
    const stroke = this.#stroke({ ...this.#paint('line_color'), width }, isHidden ? 'solid' : style)
    const offset = this.#length('offset') ?? 0
    return {
      kind: 'line',
      stroke: isHidden ? { ...stroke, opacity: 0 } : stroke,
      offset: offset === 0 ? undefined : offset,
    }
  }

  #mark(): Symbolizer {
    const name = this.#text('name') ?? 'circle'
    const known = ownValue(shapes, name)
    if (known === undefined) this.#losses.add(`the mark ${name}`)
    const rotation = numberOf(this.#text('angle')) ?? 0
    const fill = open.includes(name) ? undefined : this.#paint('color')
    return {
      kind: 'point',
      shape: known ?? 'circle',
      size: this.#length('size') ?? 6,
      fill,
      stroke: this.#outline(),
      rotation: rotation === 0 ? undefined : rotation,
    }
  }

  #icon(): Symbolizer | undefined {
    const href = this.#text('name') ?? ''
    if (href === '' || href.length > 2000) return undefined
    const rotation = numberOf(this.#text('angle')) ?? 0
    return {
      kind: 'icon',
      href,
      format: 'image/svg+xml',
      opacity: this.#alpha,
      size: this.#length('size'),
      rotation: rotation === 0 ? undefined : rotation,
    }
  }
}

/** Records data-defined properties by name. */
export function reportDataDriven(element: XmlElement, losses: Losses): void {
  for (const name of ['data_defined_properties', 'dd_properties']) {
    const all = childrenOf(childElement(childElement(element, name), 'Option'), 'Option')
    const properties = all.find(({ attributes }) => attributes.name === 'properties')
    for (const property of elementsOf(properties)) {
      const isActive = childrenOf(property, 'Option').some(
        ({ attributes }) => attributes.name === 'active' && attributes.value === 'true',
      )
      if (isActive) losses.add(`a data-defined ${property.attributes.name ?? 'setting'}`)
    }
  }
}
