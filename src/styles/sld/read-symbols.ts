import type { XmlElement } from '../../core/text/xml-tree.ts'
import { parseColor } from '../colors.ts'
import { mapDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Fill, LengthUnit, MarkShape, Stroke, Symbolizer, Value } from '../model.ts'
import { lineCaps, lineJoins, markShapes } from '../model.ts'
import { childElement, childrenOf, elementsOf, styleText } from '../style-xml.ts'
import { readSldRaster } from './read-raster.ts'
import { readSldText } from './read-text.ts'
import { parseOpaqueColor, parseStyleNumber, readValue } from './read-values.ts'

/** The unit of a symbol's lengths, and what its numbers are multiplied by. */
interface Measure {
  unit?: LengthUnit
  factor: number
}

const metresOfFoot = 0.3048

/** Reads the symbolizers of a rule of SLD 1.0 or SE 1.1. */
export class SymbolReader {
  readonly losses: Losses

  constructor(losses: Losses) {
    this.losses = losses
  }

  /** The symbols that an element means: none where it is not a symbolizer. */
  symbols(element: XmlElement): Symbolizer[] {
    if (!element.name.endsWith('Symbolizer')) return []
    const measure = this.#measureOf(element)
    const { unit } = measure
    return this.#read(element, measure.factor).map((symbol) =>
      unit === undefined || symbol.kind === 'raster' ? symbol : { ...symbol, unit },
    )
  }

  #read(element: XmlElement, factor: number): Symbolizer[] {
    this.#tellGeometry(element)
    switch (element.name) {
      case 'PointSymbolizer':
        return this.#graphic(childElement(element, 'Graphic'), factor)
      case 'LineSymbolizer':
        return [this.#line(element, factor)]
      case 'PolygonSymbolizer': {
        const fill = this.fill(childElement(element, 'Fill'))
        const stroke = this.stroke(childElement(element, 'Stroke'), factor)
        for (const name of ['Displacement', 'PerpendicularOffset']) this.#tell(element, name)
        return [{ kind: 'polygon', fill, stroke }]
      }
      case 'TextSymbolizer':
        return readSldText(element, factor, this)
      case 'RasterSymbolizer':
        return [readSldRaster(element, this.losses)]
      default:
        this.losses.add(`a ${element.name}`)
        return []
    }
  }

  #tell(element: XmlElement | undefined, name: string): void {
    if (childElement(element, name) !== undefined) this.losses.add(`a ${name} of a ${element?.name}`)
  }

  /** Symbols draw the layer's geometry; another or computed geometry is recorded as a loss. */
  #tellGeometry(element: XmlElement): void {
    const [inner] = elementsOf(childElement(element, 'Geometry'))
    if (inner !== undefined && inner.name !== 'PropertyName') this.losses.add('a computed geometry')
    for (const option of childrenOf(element, 'VendorOption'))
      this.losses.add(`the vendor option ${option.attributes.name ?? ''}`)
  }

  #measureOf(element: XmlElement): Measure {
    const uom = element.attributes.uom ?? ''
    if (/metre$|meter$/.test(uom)) return { unit: 'metre', factor: 1 }
    if (/foot$/.test(uom)) return { unit: 'metre', factor: metresOfFoot }
    if (uom !== '' && !/pixel$/.test(uom)) this.losses.add(`the unit ${uom}`)
    return { factor: 1 }
  }

  /** A length in an element. */
  length(element: XmlElement | undefined, what: string, factor: number): Value<number> | undefined {
    const value = this.number(element, what)
    if (value === undefined || factor === 1) return value
    if (typeof value === 'number') return value * factor
    return value.by === 'attribute'
      ? this.losses.add(`a computed ${what} in another unit than metres`)
      : mapDriven(value, (length) => length * factor)
  }

  number(element: XmlElement | undefined, what: string): Value<number> | undefined {
    return readValue(element, what, parseStyleNumber, this.losses)
  }

  /** A `CssParameter` of SLD 1.0 or `SvgParameter` of SE 1.1. */
  parameter(element: XmlElement | undefined, name: string): XmlElement | undefined {
    const all = [...childrenOf(element, 'CssParameter'), ...childrenOf(element, 'SvgParameter')]
    return all.find((one) => one.attributes.name === name)
  }

  #tellParameters(element: XmlElement, known: readonly string[]): void {
    for (const one of [...childrenOf(element, 'CssParameter'), ...childrenOf(element, 'SvgParameter')]) {
      const name = one.attributes.name ?? ''
      if (!known.includes(name)) this.losses.add(`the parameter ${name}`)
    }
  }

  fill(element: XmlElement | undefined): Fill | undefined {
    if (element === undefined) return undefined
    if (childElement(element, 'GraphicFill') !== undefined) this.losses.add('a graphic fill')
    this.#tellParameters(element, ['fill', 'fill-opacity'])
    const paint = this.#paint(element, 'fill', '#808080')
    return paint
  }

  /** Reads a colour with its opacity, which may be part of the colour. */
  #paint(element: XmlElement, name: string, usual: string): Fill {
    const given = this.parameter(element, name)
    const color = readValue(given, name, parseOpaqueColor, this.losses) ?? usual
    const own = given === undefined ? undefined : parseColor(given.text)
    const opacity = this.number(this.parameter(element, `${name}-opacity`), `${name}-opacity`)
    return { color, opacity: opacity ?? own?.opacity ?? 1 }
  }

  stroke(element: XmlElement | undefined, factor: number): Stroke | undefined {
    if (element === undefined) return undefined
    for (const name of ['GraphicStroke', 'GraphicFill'])
      if (childElement(element, name) !== undefined) this.losses.add('a graphic stroke')
    this.#tellParameters(element, strokeParameters)
    const text = (name: string): string => this.parameter(element, name)?.text.trim() ?? ''
    const dashes = text('stroke-dasharray')
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number)
    const cap = lineCaps.find((one) => one === text('stroke-linecap'))
    const join = lineJoins.find((one) => one === text('stroke-linejoin').replace('mitre', 'miter'))
    const { color, opacity } = this.#paint(element, 'stroke', '#000000')
    const width = this.length(this.parameter(element, 'stroke-width'), 'stroke-width', factor) ?? 1
    const areDashes = dashes.length > 0 && dashes.every((dash) => Number.isFinite(dash) && dash >= 0)
    if (dashes.length > 0 && !areDashes) this.losses.add('dashes that are no numbers')
    return {
      color,
      width,
      opacity,
      dashes: areDashes ? dashes.map((dash) => dash * factor) : undefined,
      cap,
      join,
    }
  }

  #line(element: XmlElement, factor: number): Symbolizer {
    const usual = { color: '#000000', width: 1, opacity: 1 }
    const stroke = this.stroke(childElement(element, 'Stroke'), factor) ?? usual
    const offset = this.length(childElement(element, 'PerpendicularOffset'), 'PerpendicularOffset', factor)
    return { kind: 'line', stroke, offset: offset === undefined || offset === 0 ? undefined : offset }
  }

  /** The first mark or picture of a graphic; the others are what a client may draw in its place. */
  #graphic(graphic: XmlElement | undefined, factor: number): Symbolizer[] {
    const size = this.length(childElement(graphic, 'Size'), 'Size', factor)
    const opacity = this.number(childElement(graphic, 'Opacity'), 'Opacity')
    const turned = this.number(childElement(graphic, 'Rotation'), 'Rotation')
    const rotation = turned === 0 ? undefined : turned
    for (const name of ['AnchorPoint', 'Displacement', 'Gap', 'InitialGap']) this.#tell(graphic, name)
    const first = elementsOf(graphic).find(({ name }) => name === 'Mark' || name === 'ExternalGraphic')
    if (first?.name === 'ExternalGraphic') {
      const { href, format } = this.#external(first)
      if (href === undefined) return []
      return [{ kind: 'icon', href, opacity: opacity ?? 1, format, size, rotation }]
    }
    return [{ ...this.#mark(first, factor, opacity), size: size ?? 6, rotation }]
  }

  #external(element: XmlElement): { href?: string; format?: string } {
    const href = childElement(element, 'OnlineResource')?.attributes.href
    if (href === undefined) this.losses.add('a graphic without an address')
    return { href, format: styleText(element, 'Format') }
  }

  #mark(mark: XmlElement | undefined, factor: number, opacity: Value<number> | undefined) {
    const word = styleText(mark, 'WellKnownName') ?? 'square'
    const known = markShapes.find((shape) => shape === word)
    if (known === undefined) this.losses.add(`the mark ${word}`)
    const shape: MarkShape = known ?? 'circle'
    const isBare = childElement(mark, 'Fill') === undefined && childElement(mark, 'Stroke') === undefined
    const fill = isBare ? { color: '#808080', opacity: 1 } : this.fill(childElement(mark, 'Fill'))
    const stroke = this.stroke(childElement(mark, 'Stroke'), factor)
    return {
      kind: 'point' as const,
      shape,
      size: 6,
      fill: this.#faded(fill, opacity),
      stroke: this.#faded(stroke, opacity),
    }
  }

  /** A graphic's opacity applies to its fill and its stroke. */
  #faded<Paint extends Fill>(
    paint: Paint | undefined,
    opacity: Value<number> | undefined,
  ): Paint | undefined {
    if (paint === undefined || opacity === undefined || opacity === 1) return paint
    if (typeof opacity === 'number' && typeof paint.opacity === 'number')
      return { ...paint, opacity: Math.round(paint.opacity * opacity * 1000) / 1000 }
    if (paint.opacity !== 1) this.losses.add('two opacities of a mark, of which one is computed')
    return { ...paint, opacity }
  }
}

const strokeParameters = [
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
]
