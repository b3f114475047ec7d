import { hasValues } from '../../core/values/defined.ts'
import { withOpacity } from '../colors.ts'
import { amountsOf, enlarged, isDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Dimension, Fill, LengthUnit, MarkShape, Stroke, Symbolizer, Value } from '../model.ts'
import type { Node } from './read-values.ts'
import { writeText } from './write-text.ts'
import type { AttributeTypes } from './write-values.ts'
import { writeLength, writeValue } from './write-values.ts'

/** Properties of the drawn layer. */
export interface MapLibreLayer {
  /** Types of its attributes in tiles. */
  types: AttributeTypes
  /** Dimension of its geometry; undefined if it may have any. */
  dimension?: Dimension
}

/**
 * A layer of a style, whether it is the outline of the previous polygon, and the mark that a circle
 * represents.
 */
export interface SymbolLayer {
  layer: Node
  isOutline?: true
  mark?: MarkShape
}

/** Returns the layers that draw one symbol. */
export function mapLibreLayers(symbol: Symbolizer, drawn: MapLibreLayer, losses: Losses): SymbolLayer[] {
  const { types, dimension } = drawn
  switch (symbol.kind) {
    case 'point':
      if (dimension === 1 || dimension === 2)
        return reported(losses, 'a mark in the middle of lines or areas')
      return [markLayer(symbol, types, losses)]
    case 'icon':
      losses.add(`the picture ${symbol.href}, drawn as a circle`)
      return dimension === 1 || dimension === 2
        ? []
        : [{ layer: circleLayer(standIn(symbol), types, losses) }]
    case 'line':
      return [{ layer: lineLayer(symbol.stroke, symbol.unit, symbol.offset, types) }]
    case 'polygon':
      return polygonLayers(symbol, types)
    case 'text':
      return [{ layer: writeText(symbol, types, losses) }]
    case 'raster':
      return [{ layer: rasterLayer(symbol, losses) }]
  }
}

function markLayer(symbol: Mark, types: AttributeTypes, losses: Losses): SymbolLayer {
  const layer = circleLayer(symbol, types, losses)
  return symbol.shape === 'circle' ? { layer } : { layer, mark: symbol.shape }
}

function reported(losses: Losses, what: string): SymbolLayer[] {
  losses.add(what)
  return []
}

type Mark = Extract<Symbolizer, { kind: 'point' }>

function standIn({ size = 16, opacity }: Extract<Symbolizer, { kind: 'icon' }>): Mark {
  return { kind: 'point', shape: 'circle', size, fill: { color: '#808080', opacity } }
}

function lineLayer(
  stroke: Stroke,
  unit: LengthUnit | undefined,
  offset: Value<number> | undefined,
  types: AttributeTypes,
): Node {
  const { color, width, opacity, dashes, cap, join } = stroke
  const layout = { 'line-cap': cap, 'line-join': join }
  const thickness = isDriven(width) || width === 0 ? 1 : width
  return {
    type: 'line',
    ...(hasValues(layout) ? { layout } : {}),
    paint: {
      'line-color': writeValue(color, '#000000', types),
      'line-width': writeLength(width, { unit, usual: 1 }, types),
      'line-opacity': opacity === 1 ? undefined : writeValue(opacity, 1, types),
      'line-dasharray': dashes?.map((dash) => dash / thickness),
      'line-offset':
        offset === undefined ? undefined : writeLength(offset, { unit, usual: 0, factor: -1 }, types),
    },
  }
}

type Polygon = Extract<Symbolizer, { kind: 'polygon' }>

/** An outline of one pixel with the fill's opacity is part of the fill; any other becomes a line layer. */
function polygonLayers({ fill, stroke, unit }: Polygon, types: AttributeTypes): SymbolLayer[] {
  const outline: SymbolLayer[] =
    stroke === undefined
      ? []
      : [
          {
            layer: lineLayer(stroke, unit, undefined, types),
            isOutline: fill === undefined ? undefined : true,
          },
        ]
  if (fill === undefined) return outline
  const isThin = stroke !== undefined && isPlainPixel(stroke) && unit !== 'metre'
  const color = writeValue(fill.color, '#000000', types)
  if (isThin && sameValue(stroke.opacity, fill.opacity))
    return [{ layer: fillLayer(fill, color, types, writeValue(stroke.color, '#000000', types)) }]
  if (isThin && stroke.opacity === 1 && !isDriven(fill.color) && !isDriven(fill.opacity))
    return [
      {
        layer: fillLayer(
          { ...fill, opacity: 1 },
          withOpacity(fill.color, fill.opacity),
          types,
          writeValue(stroke.color, '#000000', types),
        ),
      },
    ]
  return [{ layer: fillLayer(fill, color, types) }, ...outline]
}

function isPlainPixel({ width, dashes, cap, join }: Stroke): boolean {
  return width === 1 && dashes === undefined && cap === undefined && join === undefined
}

function sameValue(one: Value<number>, other: Value<number>): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function fillLayer({ opacity }: Fill, color: unknown, types: AttributeTypes, outline?: unknown): Node {
  return {
    type: 'fill',
    paint: {
      'fill-color': color,
      'fill-opacity': opacity === 1 ? undefined : writeValue(opacity, 1, types),
      'fill-outline-color': outline,
    },
  }
}

function circleLayer(
  { shape, size, fill, stroke, rotation, unit }: Mark,
  types: AttributeTypes,
  losses: Losses,
): Node {
  if (shape !== 'circle') losses.add(`the mark ${shape}, drawn as a circle`)
  if (rotation !== undefined && shape !== 'circle') losses.add('the rotation of a mark')
  if (stroke?.dashes !== undefined) losses.add('the dashes of a mark')
  return {
    type: 'circle',
    paint: {
      'circle-radius': writeLength(insideOf(size, stroke, losses), { unit, usual: 5, factor: 0.5 }, types),
      'circle-color': fill === undefined ? '#000000' : writeValue(fill.color, '#000000', types),
      ...(fill === undefined
        ? { 'circle-opacity': 0 }
        : fill.opacity === 1
          ? {}
          : { 'circle-opacity': writeValue(fill.opacity, 1, types) }),
      ...(stroke === undefined ? {} : circleStroke(stroke, unit, types)),
    },
  }
}

/**
 * Returns the size of a mark without its outline, which MapLibre draws outside, from the size to the middle
 * of the outline.
 */
function insideOf(size: Value<number>, stroke: Stroke | undefined, losses: Losses): Value<number> {
  const { width = 0 } = stroke ?? {}
  if (width === 0) return size
  const amounts = amountsOf(size)
  if (isDriven(width) || amounts === undefined || Math.min(...amounts) < width) {
    losses.add('the place of the outline of a mark')
    return size
  }
  return enlarged(size, -width)
}

function circleStroke(
  { color, width, opacity }: Stroke,
  unit: LengthUnit | undefined,
  types: AttributeTypes,
): Node {
  return {
    'circle-stroke-color': writeValue(color, '#000000', types),
    'circle-stroke-width': writeLength(width, { unit, usual: 0 }, types),
    ...(opacity === 1 ? {} : { 'circle-stroke-opacity': writeValue(opacity, 1, types) }),
  }
}

function rasterLayer(
  { opacity, bands, colors, enhancement, gamma }: Extract<Symbolizer, { kind: 'raster' }>,
  losses: Losses,
): Node {
  if ([bands, colors, enhancement, gamma].some((part) => part !== undefined))
    losses.add('the bands and colours of a raster, which its tiles have')
  return { type: 'raster', ...(opacity === 1 ? {} : { paint: { 'raster-opacity': opacity } }) }
}
