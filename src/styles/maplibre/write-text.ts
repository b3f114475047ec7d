import { withOpacity } from '../colors.ts'
import { isDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Font, Placement, TextSymbolizer, Value } from '../model.ts'
import type { Node } from './read-values.ts'
import type { AttributeTypes } from './write-values.ts'
import { writeLength, writeValue } from './write-values.ts'

/** Writes a label as a symbol layer. */
export function writeText(symbol: TextSymbolizer, types: AttributeTypes, losses: Losses): Node {
  const { label, size, font, placement, unit } = symbol
  return {
    type: 'symbol',
    layout: {
      'text-field': labelExpression(label),
      'text-size': writeLength(size, { unit, usual: 16 }, types),
      ...fontOf(font),
      ...(placement === undefined ? {} : placementOf(placement, symbol, types, losses)),
    },
    paint: paintOf(symbol, types, losses),
  }
}

/** One attribute, or a concatenation of texts and attributes. */
function labelExpression(label: TextSymbolizer['label']): unknown {
  const [only] = label
  if (only === undefined) return ''
  if (label.length === 1) return typeof only === 'string' ? ['literal', only] : ['get', only.property]
  return ['concat', ...label.map((part) => (typeof part === 'string' ? part : ['get', part.property]))]
}

/** Without a glyph URL MapLibre renders characters locally, in the font of this name. */
function fontOf(font: Font | undefined): Node {
  if (font === undefined) return {}
  const words = [font.family ?? 'Noto Sans', font.isBold ? 'Bold' : '', font.isItalic ? 'Italic' : ''].filter(
    Boolean,
  )
  return { 'text-font': [words.join(' ')] }
}

function placementOf(
  placement: Placement,
  { size, unit }: TextSymbolizer,
  types: AttributeTypes,
  losses: Losses,
): Node {
  const factor = isDriven(size) ? 16 : size
  if (placement.at === 'line') {
    const { offset, repeat } = placement
    if (unit === 'metre' && repeat !== undefined) losses.add('metres between labels along a line')
    return {
      'symbol-placement': 'line',
      ...(offset === 0 ? {} : { 'text-offset': [0, -offset / factor] }),
      ...(repeat === undefined ? {} : { 'symbol-spacing': repeat }),
    }
  }
  const { side, height, right, up, rotation } = placement
  const words = [height === 'middle' ? '' : height, side === 'center' ? '' : side].filter(Boolean)
  if (isDriven(size) && (right !== 0 || up !== 0)) losses.add('an offset of a label of computed size')
  return {
    'text-anchor': words.length === 0 ? 'center' : words.join('-'),
    ...(right === 0 && up === 0 ? {} : { 'text-offset': [right / factor, -up / factor] }),
    ...(rotation === undefined ? {} : { 'text-rotate': writeValue(rotation, 0, types) }),
  }
}

/** `text-opacity` applies to the text and its halo: if they differ, the colours carry the opacity. */
function paintOf(
  { color, opacity, halo, unit }: TextSymbolizer,
  types: AttributeTypes,
  losses: Losses,
): Node {
  const isOne = halo === undefined || JSON.stringify(halo.opacity) === JSON.stringify(opacity)
  const text = isOne ? writeValue(color, '#000000', types) : ownOpacity(color, opacity, types, losses)
  return {
    'text-color': text,
    ...(isOne && opacity !== 1 ? { 'text-opacity': writeValue(opacity, 1, types) } : {}),
    ...(halo === undefined
      ? {}
      : {
          'text-halo-color': isOne
            ? writeValue(halo.color, '#ffffff', types)
            : ownOpacity(halo.color, halo.opacity, types, losses),
          'text-halo-width': writeLength(halo.width, { unit, usual: 0 }, types),
        }),
  }
}

function ownOpacity(
  color: Value<string>,
  opacity: Value<number>,
  types: AttributeTypes,
  losses: Losses,
): unknown {
  if (!isDriven(color) && !isDriven(opacity)) return withOpacity(color, opacity)
  if (opacity !== 1) losses.add('an opacity of a label or its halo')
  return writeValue(color, '#000000', types)
}
