import { enlarged, isDriven, tidyExpression } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Fill, MarkShape, Stroke, Symbolizer, Value } from '../model.ts'
import { lineCaps, lineJoins, markShapes } from '../model.ts'
import { groundMetres } from '../scale.ts'
import { attributeOf } from './read-filter.ts'
import { readMapLibreText } from './read-text.ts'
import type { Node } from './read-values.ts'
import { asNode, StyleLayerValues, scaled, together } from './read-values.ts'

/** Key in the `metadata` of a circle layer with the mark it represents. */
export const markName = 'terrane:mark'

/** Reads the symbols of one layer of a style. */
export function readSymbols(layer: Node, losses: Losses): Symbolizer[] {
  const values = new StyleLayerValues(layer, losses)
  const symbols = symbolsOf(layer, values, losses)
  if (symbols !== undefined) {
    values.tellRest()
    return symbols
  }
  losses.add(`a layer of type ${String(layer.type)}`)
  return []
}

function symbolsOf(layer: Node, values: StyleLayerValues, losses: Losses): Symbolizer[] | undefined {
  switch (layer.type) {
    case 'line':
      return [readLine(values, losses)]
    case 'fill':
      return [readFill(values, losses)]
    case 'circle':
      return [readCircle(values, markOf(layer), losses)]
    case 'symbol':
      return readMapLibreText(values, losses)
    case 'raster': {
      const opacity = plain(values.number('raster-opacity', 1), 'raster-opacity', 1, losses)
      return [{ kind: 'raster', opacity }]
    }
    default:
      return undefined
  }
}

function plain(value: Value<number>, name: string, usual: number, losses: Losses): number {
  if (!isDriven(value)) return value
  losses.add(`an expression for ${name}`)
  return usual
}

function paint(values: StyleLayerValues, prefix: string, losses: Losses): Fill {
  const { color, opacity } = values.color(`${prefix}-color`, '#000000')
  return { color, opacity: together(values.number(`${prefix}-opacity`, 1), opacity, losses) }
}

function readLine(values: StyleLayerValues, losses: Losses): Symbolizer {
  const given = values.number('line-width', 1)
  const metres = groundMetres(given)
  const width = metres ?? given
  const dashes = values.numbers('line-dasharray')
  if (dashes !== undefined && isDriven(width)) losses.add('dashes of a line of computed width')
  const cap = values.choice('line-cap', lineCaps)
  const join = values.choice('line-join', lineJoins)
  const { color, opacity } = paint(values, 'line', losses)
  const factor = isDriven(width) ? 1 : width
  const stroke: Stroke = {
    color,
    width,
    opacity,
    dashes: dashes?.map((dash) => tidyExpression(dash * factor)),
    cap,
    join,
  }
  const right = values.number('line-offset', 0)
  const length = groundMetres(right) ?? right
  const offset = length === 0 ? undefined : scaled(length, -1, 'line-offset', losses)
  return { kind: 'line', unit: metres === undefined ? undefined : ('metre' as const), stroke, offset }
}

/** The outline of a fill is one pixel wide and uses the fill's opacity in addition to that of its colour. */
function readFill(values: StyleLayerValues, losses: Losses): Symbolizer {
  const opacity = values.number('fill-opacity', 1)
  const inside = values.color('fill-color', '#000000')
  const fill = { color: inside.color, opacity: together(opacity, inside.opacity, losses) }
  if (!values.has('fill-outline-color')) return { kind: 'polygon', fill }
  const outline = values.color('fill-outline-color', '#000000')
  const stroke = { color: outline.color, width: 1, opacity: together(opacity, outline.opacity, losses) }
  return { kind: 'polygon', fill, stroke }
}

/** Returns the attribute that is the diameter: the radius is half of it. */
function diameterOf(radius: unknown): Value<number> | undefined {
  if (!Array.isArray(radius) || radius.length !== 3 || radius[0] !== '*' || radius[1] !== 0.5)
    return undefined
  const property = attributeOf(radius[2])
  return property === undefined ? undefined : { by: 'attribute', property }
}

function markOf(layer: Node): MarkShape {
  return markShapes.find((shape) => shape === asNode(layer.metadata)[markName]) ?? 'circle'
}

/** MapLibre draws the outline outside a circle; that of a mark is centered on its edge. */
function readCircle(values: StyleLayerValues, shape: MarkShape, losses: Losses): Symbolizer {
  const diameter = diameterOf(values.raw('circle-radius'))
  const radius = diameter === undefined ? values.number('circle-radius', 5) : 5
  const metres = groundMetres(radius)
  const size = diameter ?? scaled(metres ?? radius, 2, 'circle-radius', losses)
  const fill = paint(values, 'circle', losses)
  const stroke = values.number('circle-stroke-width', 0)
  const strokeMetres = groundMetres(stroke)
  const width = strokeMetres ?? stroke
  // Pixels are not added to metres.
  const isAlike = (metres === undefined) === (strokeMetres === undefined)
  const line = paint(values, 'circle-stroke', losses)
  return {
    kind: 'point',
    shape,
    size: enlarged(size, isDriven(width) || !isAlike ? 0 : width),
    unit: metres === undefined ? undefined : 'metre',
    fill: fill.opacity === 0 ? undefined : fill,
    stroke: width === 0 ? undefined : { color: line.color, width, opacity: line.opacity },
  }
}
