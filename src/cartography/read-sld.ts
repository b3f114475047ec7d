import { defined } from '../lib/defined.ts'
import { ownValue } from '../lib/own-value.ts'
import type { XmlElement } from '../lib/text/xml-tree.ts'
import { parseColor } from './colors.ts'
import type { Condition, Drawing, Fill, Literal, MarkShape, Rule, Stroke, Symbolizer } from './drawing.ts'
import { markShapes } from './drawing.ts'
import { child, childrenOf, parseStyleXml, textOf } from './style-xml.ts'

const comparisons: Record<string, '==' | '!=' | '<' | '<=' | '>' | '>='> = {
  PropertyIsEqualTo: '==',
  PropertyIsNotEqualTo: '!=',
  PropertyIsLessThan: '<',
  PropertyIsLessThanOrEqualTo: '<=',
  PropertyIsGreaterThan: '>',
  PropertyIsGreaterThanOrEqualTo: '>=',
}

class Reader {
  readonly lost = new Set<string>()

  rule(element: XmlElement): Rule {
    const name = textOf(element, 'Name')
    const title = textOf(element, 'Title') ?? textOf(child(element, 'Description'), 'Title')
    const filter = child(element, 'Filter')
    const condition = filter === undefined ? undefined : this.#condition(filter.children[0])
    const minScale = this.#number(textOf(element, 'MinScaleDenominator'))
    const maxScale = this.#number(textOf(element, 'MaxScaleDenominator'))
    return {
      ...defined({ name, title, condition }),
      ...(child(element, 'ElseFilter') === undefined ? {} : { isElse: true }),
      ...defined({ minScale, maxScale }),
      symbols: element.children.flatMap((one) => this.#symbol(one)),
    }
  }

  #number(text: string | undefined): number | undefined {
    const value = Number(text)
    return text === undefined || !Number.isFinite(value) ? undefined : value
  }

  #condition(element: XmlElement | undefined): Condition | undefined {
    if (element === undefined) return undefined
    const { name } = element
    if (name === 'And' || name === 'Or') {
      const conditions = element.children.map((one) => this.#condition(one))
      const known = conditions.filter((one) => one !== undefined)
      return known.length < conditions.length && name === 'Or'
        ? undefined
        : { op: name === 'And' ? 'all' : 'any', conditions: known }
    }
    if (name === 'Not') {
      const condition = this.#condition(element.children[0])
      return condition === undefined ? undefined : { op: 'not', condition }
    }
    return this.#comparison(element) ?? this.#loss(`the filter ${name}`)
  }

  #comparison(element: XmlElement): Condition | undefined {
    const dimension = child(element, 'Function')
    const value = this.#literal(child(element, 'Literal'))
    if (dimension?.attributes.name === 'dimension' && (value === 0 || value === 1 || value === 2)) {
      return { op: 'dimension', value }
    }
    const property = textOf(element, 'PropertyName')
    if (property === undefined) return undefined
    if (element.name === 'PropertyIsNull') return { op: 'null', property }
    if (element.name === 'PropertyIsBetween') {
      const lower = this.#literal(child(child(element, 'LowerBoundary'), 'Literal'))
      const upper = this.#literal(child(child(element, 'UpperBoundary'), 'Literal'))
      if (lower === undefined || upper === undefined) return undefined
      const conditions: Condition[] = [
        { op: '>=', property, value: lower },
        { op: '<=', property, value: upper },
      ]
      return { op: 'all', conditions }
    }
    const op = ownValue(comparisons, element.name)
    return op === undefined || value === undefined ? undefined : { op, property, value }
  }

  #literal(element: XmlElement | undefined): Literal | undefined {
    const text = element?.text.trim()
    if (text === undefined) return undefined
    return text !== '' && /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text
  }

  #loss(what: string): undefined {
    this.lost.add(what)
    return undefined
  }

  #symbol(element: XmlElement): Symbolizer[] {
    switch (element.name) {
      case 'PointSymbolizer':
        return [this.#mark(child(element, 'Graphic'))]
      case 'LineSymbolizer': {
        const stroke = this.#stroke(child(element, 'Stroke')) ?? { color: '#000000', width: 1, opacity: 1 }
        return [{ kind: 'line', stroke }]
      }
      case 'PolygonSymbolizer': {
        const fill = this.#fill(child(element, 'Fill'))
        const stroke = this.#stroke(child(element, 'Stroke'))
        return [
          {
            kind: 'polygon',
            ...defined({ fill, stroke }),
          },
        ]
      }
      case 'TextSymbolizer':
        return this.#text(element)
      case 'RasterSymbolizer':
        for (const part of element.children) if (part.name !== 'Opacity') this.#loss(part.name)
        return [{ kind: 'raster', opacity: this.#number(textOf(element, 'Opacity')) ?? 1 }]
      default:
        return []
    }
  }

  #mark(graphic: XmlElement | undefined): Symbolizer {
    const mark = child(graphic, 'Mark')
    if (child(graphic, 'ExternalGraphic') !== undefined) this.#loss('an external graphic')
    const word = textOf(mark, 'WellKnownName') ?? 'square'
    const known = markShapes.find((shape) => shape === word)
    if (known === undefined) this.#loss(`the mark ${word}`)
    const shape: MarkShape = known ?? 'circle'
    const fill = this.#fill(child(mark, 'Fill'))
    const stroke = this.#stroke(child(mark, 'Stroke'))
    const rotation = this.#number(textOf(graphic, 'Rotation'))
    return {
      kind: 'point',
      shape,
      size: this.#number(textOf(graphic, 'Size')) ?? 6,
      ...defined({ fill, stroke }),
      ...(rotation === undefined || rotation === 0 ? {} : { rotation }),
    }
  }

  /** CSS parameters of SLD 1.0, or the SVG parameters of SE 1.1. */
  #parameters(element: XmlElement): Map<string, string> {
    const found = new Map<string, string>()
    for (const one of [...childrenOf(element, 'CssParameter'), ...childrenOf(element, 'SvgParameter')]) {
      const inner = child(one, 'Literal')
      if (one.children.length > 0 && inner === undefined) this.#loss(`a computed ${one.attributes.name}`)
      found.set(one.attributes.name ?? '', (inner ?? one).text.trim())
    }
    return found
  }

  #fill(element: XmlElement | undefined): Fill | undefined {
    if (element === undefined) return undefined
    if (child(element, 'GraphicFill') !== undefined) this.#loss('a graphic fill')
    const parameters = this.#parameters(element)
    const { color, opacity } = parseColor(parameters.get('fill') ?? '') ?? { color: '#808080', opacity: 1 }
    return { color, opacity: this.#number(parameters.get('fill-opacity')) ?? opacity }
  }

  #stroke(element: XmlElement | undefined): Stroke | undefined {
    if (element === undefined) return undefined
    if (child(element, 'GraphicStroke') !== undefined) this.#loss('a graphic stroke')
    const parameters = this.#parameters(element)
    const { color, opacity } = parseColor(parameters.get('stroke') ?? '') ?? { color: '#000000', opacity: 1 }
    const dashes = (parameters.get('stroke-dasharray') ?? '')
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number)
    const cap = (['butt', 'round', 'square'] as const).find((one) => one === parameters.get('stroke-linecap'))
    const join = (['bevel', 'round', 'miter'] as const).find(
      (one) => one === parameters.get('stroke-linejoin')?.replace('mitre', 'miter'),
    )
    return {
      color,
      width: this.#number(parameters.get('stroke-width')) ?? 1,
      opacity: this.#number(parameters.get('stroke-opacity')) ?? opacity,
      ...(dashes.length === 0 || !dashes.every(Number.isFinite) ? {} : { dashes }),
      ...defined({ cap, join }),
    }
  }

  #text(element: XmlElement): Symbolizer[] {
    const property = textOf(child(element, 'Label'), 'PropertyName')
    if (property === undefined) {
      this.#loss('a computed label')
      return []
    }
    const font = child(element, 'Font')
    const size = font === undefined ? undefined : this.#number(this.#parameters(font).get('font-size'))
    const halo = child(element, 'Halo')
    const haloColor = this.#fill(child(halo, 'Fill'))?.color ?? '#ffffff'
    return [
      {
        kind: 'text',
        property,
        size: size ?? 10,
        color: this.#fill(child(element, 'Fill'))?.color ?? '#000000',
        ...(halo === undefined
          ? {}
          : { halo: { color: haloColor, width: this.#number(textOf(halo, 'Radius')) ?? 1 } }),
      },
    ]
  }
}

/** Reads the styles of an SLD 1.0 document (OGC 02-070), or of one with the symbols of SE 1.1 (OGC 05-077r4). */
export function readSld(document: string): Drawing {
  const root = parseStyleXml(document)
  const layers = [...childrenOf(root, 'NamedLayer'), ...childrenOf(root, 'UserLayer')]
  const styles = layers.flatMap((layer) => childrenOf(layer, 'UserStyle'))
  const reader = new Reader()
  if (styles.length > 1) reader.lost.add(`${styles.length - 1} further styles`)
  const [style] = styles
  const rules = childrenOf(style, 'FeatureTypeStyle').flatMap((one) => childrenOf(one, 'Rule'))
  const name = textOf(style, 'Name') ?? textOf(layers[0], 'Name')
  const title = textOf(style, 'Title')
  const read = rules.map((rule) => reader.rule(rule))
  return {
    ...defined({ name, title }),
    rules: read,
    lost: [...reader.lost],
  }
}
