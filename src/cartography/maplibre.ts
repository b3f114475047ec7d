import { defined } from '../lib/defined.ts'
import { DistinctNames } from '../lib/text/free-name.ts'
import { parseColor } from './colors.ts'
import type { Condition, Drawing, Fill, Rule, Stroke, Symbolizer } from './drawing.ts'
import { scaleOfZoom, zoomOfScale } from './drawing.ts'
import { readFilter, writeFilter } from './maplibre-filter.ts'

type Node = Record<string, unknown>

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

class LayerReader {
  readonly #paint: Node
  readonly #layout: Node
  readonly #lost: Set<string>

  constructor(layer: Node, lost: Set<string>) {
    this.#paint = asNode(layer.paint)
    this.#layout = asNode(layer.layout)
    this.#lost = lost
  }

  #value(name: string): unknown {
    return this.#paint[name] ?? this.#layout[name]
  }

  number(name: string, usual: number): number {
    const value = this.#value(name)
    if (typeof value === 'number') return value
    if (value !== undefined) this.#lost.add(`an expression for ${name}`)
    return usual
  }

  color(name: string, usual: string): Fill {
    const value = this.#value(name)
    const parsed = typeof value === 'string' ? parseColor(value) : undefined
    if (value !== undefined && parsed === undefined) this.#lost.add(`the value of ${name}`)
    return parsed ?? { color: usual, opacity: 1 }
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined
  }

  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.#value(name)
    return words.find((word) => word === value)
  }

  numbers(name: string): number[] | undefined {
    const value = this.#value(name)
    return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')
      ? value
      : undefined
  }

  /** The property of `"{x}"` or `["get", "x"]`. */
  property(name: string): string | undefined {
    const value = this.#value(name)
    if (Array.isArray(value) && value[0] === 'get' && typeof value[1] === 'string') return value[1]
    return typeof value === 'string' ? /^\{([^{}]+)\}$/.exec(value)?.[1] : undefined
  }
}

function lineSymbol(read: LayerReader): Symbolizer {
  const { color, opacity } = read.color('line-color', '#000000')
  const width = read.number('line-width', 1)
  const dashes = read.numbers('line-dasharray')?.map((dash) => dash * width)
  const cap = read.choice('line-cap', ['butt', 'round', 'square'])
  const join = read.choice('line-join', ['bevel', 'round', 'miter'])
  const stroke: Stroke = {
    color,
    width,
    opacity: read.number('line-opacity', opacity),
    ...defined({ dashes, cap, join }),
  }
  return { kind: 'line', stroke }
}

function fillSymbol(read: LayerReader): Symbolizer {
  const { color, opacity } = read.color('fill-color', '#000000')
  const fill = { color, opacity: read.number('fill-opacity', opacity) }
  if (!read.has('fill-outline-color')) return { kind: 'polygon', fill }
  const outline = read.color('fill-outline-color', '#000000')
  return { kind: 'polygon', fill, stroke: { ...outline, width: 1 } }
}

function circleSymbol(read: LayerReader): Symbolizer {
  const { color, opacity } = read.color('circle-color', '#000000')
  const width = read.number('circle-stroke-width', 0)
  const stroke = read.color('circle-stroke-color', '#000000')
  return {
    kind: 'point',
    shape: 'circle',
    size: read.number('circle-radius', 5) * 2,
    fill: { color, opacity: read.number('circle-opacity', opacity) },
    ...(width > 0 ? { stroke: { ...stroke, width } } : {}),
  }
}

function textSymbol(read: LayerReader, lost: Set<string>): Symbolizer[] {
  const property = read.property('text-field')
  if (read.has('icon-image')) lost.add('an icon')
  if (property === undefined) {
    if (read.has('text-field')) lost.add('a computed label')
    return []
  }
  const width = read.number('text-halo-width', 0)
  return [
    {
      kind: 'text',
      property,
      size: read.number('text-size', 16),
      color: read.color('text-color', '#000000').color,
      ...(width > 0 ? { halo: { color: read.color('text-halo-color', '#ffffff').color, width } } : {}),
    },
  ]
}

function symbolsOf(layer: Node, lost: Set<string>): Symbolizer[] {
  const read = new LayerReader(layer, lost)
  switch (layer.type) {
    case 'line':
      return [lineSymbol(read)]
    case 'fill':
      return [fillSymbol(read)]
    case 'circle':
      return [circleSymbol(read)]
    case 'symbol':
      return textSymbol(read, lost)
    case 'raster':
      return [{ kind: 'raster', opacity: read.number('raster-opacity', 1) }]
    default:
      lost.add(`a layer of type ${String(layer.type)}`)
      return []
  }
}

function ruleOf(layer: Node, lost: Set<string>): Rule {
  const condition = readFilter(layer.filter)
  if (layer.filter !== undefined && condition === undefined) lost.add('a filter')
  return {
    ...(typeof layer.id === 'string' ? { name: layer.id } : {}),
    ...defined({ condition }),
    ...(typeof layer.maxzoom === 'number' ? { minScale: scaleOfZoom(layer.maxzoom) } : {}),
    ...(typeof layer.minzoom === 'number' ? { maxScale: scaleOfZoom(layer.minzoom) } : {}),
    symbols: symbolsOf(layer, lost),
  }
}

/** Reads a MapLibre style document (version 8): each of its layers is a rule. */
export function readMapLibre(document: string): Drawing {
  const style = asNode(JSON.parse(document))
  const lost = new Set<string>()
  const layers = Array.isArray(style.layers) ? style.layers.map(asNode) : []
  const rules = layers.map((layer) => ruleOf(layer, lost)).filter(({ symbols }) => symbols.length > 0)
  return { ...(typeof style.name === 'string' ? { name: style.name } : {}), rules, lost: [...lost] }
}

function strokePaint({ color, width, opacity, dashes, cap, join }: Stroke): Node {
  const layout = defined({ 'line-cap': cap, 'line-join': join })
  return {
    type: 'line',
    ...(Object.keys(layout).length === 0 ? {} : { layout }),
    paint: {
      'line-color': color,
      'line-width': width,
      ...(opacity === 1 ? {} : { 'line-opacity': opacity }),
      ...(dashes === undefined ? {} : { 'line-dasharray': dashes.map((dash) => dash / (width || 1)) }),
    },
  }
}

function fillPaint({ color, opacity }: Fill, outline: Stroke | undefined): Node {
  return {
    type: 'fill',
    paint: {
      'fill-color': color,
      ...(opacity === 1 ? {} : { 'fill-opacity': opacity }),
      ...(outline?.width === 1 ? { 'fill-outline-color': outline.color } : {}),
    },
  }
}

function pointPaint(symbol: Extract<Symbolizer, { kind: 'point' }>, lost: Set<string>): Node {
  const { shape, size, fill, stroke } = symbol
  if (shape !== 'circle') lost.add(`the mark ${shape}, drawn as a circle`)
  return {
    type: 'circle',
    paint: {
      'circle-radius': size / 2,
      'circle-color': fill?.color ?? '#000000',
      ...(fill === undefined
        ? { 'circle-opacity': 0 }
        : fill.opacity === 1
          ? {}
          : { 'circle-opacity': fill.opacity }),
      ...(stroke === undefined
        ? {}
        : { 'circle-stroke-color': stroke.color, 'circle-stroke-width': stroke.width }),
    },
  }
}

function layersOf(symbol: Symbolizer, lost: Set<string>): Node[] {
  switch (symbol.kind) {
    case 'point':
      return [pointPaint(symbol, lost)]
    case 'line':
      return [strokePaint(symbol.stroke)]
    case 'polygon': {
      const { fill, stroke } = symbol
      const outline =
        stroke === undefined || (fill !== undefined && stroke.width === 1) ? [] : [strokePaint(stroke)]
      return [...(fill === undefined ? [] : [fillPaint(fill, stroke)]), ...outline]
    }
    case 'text':
      return [
        {
          type: 'symbol',
          layout: { 'text-field': ['get', symbol.property], 'text-size': symbol.size },
          paint: {
            'text-color': symbol.color,
            ...(symbol.halo === undefined
              ? {}
              : { 'text-halo-color': symbol.halo.color, 'text-halo-width': symbol.halo.width }),
          },
        },
      ]
    case 'raster':
      return [
        { type: 'raster', ...(symbol.opacity === 1 ? {} : { paint: { 'raster-opacity': symbol.opacity } }) },
      ]
  }
}

/** What an else rule draws: whatever meets none of the other conditions. */
function elseCondition(rules: Rule[]): Condition | undefined {
  const conditions = rules.flatMap(({ condition, isElse }) =>
    condition === undefined || isElse === true ? [] : [condition],
  )
  return conditions.length === 0 ? undefined : { op: 'not', condition: { op: 'any', conditions } }
}

/** A MapLibre style document; its source `layer` stands for the layer drawn. What could not be said is in `metadata`. */
export function writeMapLibre(drawing: Drawing, name: string): string {
  const lost = new Set(drawing.lost)
  const ids = new DistinctNames({ separator: ' ', first: 2 })
  const layers = drawing.rules.flatMap((rule, index) => {
    const condition = rule.isElse === true ? elseCondition(drawing.rules) : rule.condition
    return rule.symbols.flatMap((symbol) =>
      layersOf(symbol, lost).map((layer) => {
        const id = ids.take(rule.name ?? `rule ${index + 1}`)
        return {
          id,
          source: 'layer',
          ...(condition === undefined ? {} : { filter: writeFilter(condition) }),
          ...(rule.maxScale === undefined ? {} : { minzoom: zoomOfScale(rule.maxScale) }),
          ...(rule.minScale === undefined || rule.minScale === 0
            ? {}
            : { maxzoom: zoomOfScale(rule.minScale) }),
          ...layer,
        }
      }),
    )
  })
  const metadata = lost.size === 0 ? {} : { metadata: { 'terrane:not-converted': [...lost] } }
  return JSON.stringify({ version: 8, name, ...metadata, sources: {}, layers })
}
