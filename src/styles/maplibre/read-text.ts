import { isDriven, tidyExpression } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Font, Placement, StyleAttribute, Symbolizer, Value } from '../model.ts'
import { groundMetres } from '../scale.ts'
import { attributeOf } from './read-filter.ts'
import type { StyleLayerValues } from './read-values.ts'
import { scaled, together } from './read-values.ts'

type Label = (string | StyleAttribute)[]

/** Reads the label of a symbol layer; records its icon as a loss. */
export function readMapLibreText(values: StyleLayerValues, losses: Losses): Symbolizer[] {
  if (values.has('icon-image')) losses.add('an icon')
  const field = values.raw('text-field')
  const label = readLabel(field)
  if (label === undefined) {
    if (field !== undefined) losses.add('a computed label')
    return []
  }
  const given = values.number('text-size', 16)
  const metres = groundMetres(given)
  const { color, opacity } = values.color('text-color', '#000000')
  const text = values.number('text-opacity', 1)
  const halo = readHalo(values, text, losses)
  const size = metres ?? given
  return [
    {
      kind: 'text',
      label,
      size,
      color,
      opacity: together(text, opacity, losses),
      unit: metres === undefined ? undefined : 'metre',
      font: readFont(values),
      halo,
      placement: readPlacement(values, size, losses),
    },
  ]
}

function readHalo(values: StyleLayerValues, textOpacity: Value<number>, losses: Losses) {
  const given = values.number('text-halo-width', 0)
  const width = groundMetres(given) ?? given
  const { color, opacity } = values.color('text-halo-color', '#ffffff')
  if (width === 0) return undefined
  return { color, width, opacity: together(textOpacity, opacity, losses) }
}

/**
 * Reads the parts of `"{x} text"`, `get`, `concat` and `format`; undefined for other values and without a
 * label.
 */
function readLabel(field: unknown): Label | undefined {
  const label = labelParts(field)?.filter((part) => part !== '')
  return label === undefined || label.length === 0 ? undefined : label
}

function labelParts(field: unknown): Label | undefined {
  if (typeof field === 'string') return tokens(field)
  const property = attributeOf(field)
  if (property !== undefined) return [{ property }]
  if (!Array.isArray(field)) return undefined
  const [op, ...args] = field
  if (op === 'literal') return typeof args[0] === 'string' ? [args[0]] : undefined
  if (op === 'to-string') return labelParts(args[0])
  const inner: unknown[] =
    op === 'concat' ? args : op === 'format' ? args.filter((_, index) => index % 2 === 0) : []
  const isPlain =
    op !== 'format' || args.every((arg, index) => index % 2 === 0 || Object.keys(arg ?? {}).length === 0)
  const parts = inner.map((part) => (typeof part === 'string' ? [part] : labelParts(part)))
  return inner.length === 0 || !isPlain || parts.some((part) => part === undefined)
    ? undefined
    : parts.flatMap((part) => part ?? [])
}

function tokens(text: string): Label {
  return text.split(/(\{[^{}]+\})/).map((part) => {
    const property = /^\{([^{}]+)\}$/.exec(part)?.[1]
    return property === undefined ? part : { property }
  })
}

/** Reads the first font of the list, with the weight and style in its name. */
function readFont(values: StyleLayerValues): Font | undefined {
  const list = values.raw('text-font')
  const fonts: unknown = Array.isArray(list) && list[0] === 'literal' ? list[1] : list
  const first: unknown = Array.isArray(fonts) ? fonts[0] : undefined
  if (typeof first !== 'string') return undefined
  const words = first.split(/\s+/)
  const family = words.filter((word) => !/^(Regular|Bold|Semibold|Italic|Oblique)$/i.test(word)).join(' ')
  const isBold = words.some((word) => /^(Semi)?bold$/i.test(word)) || undefined
  const isItalic = words.some((word) => /^(Italic|Oblique)$/i.test(word)) || undefined
  return { family: family === '' ? undefined : family, isBold, isItalic }
}

function readPlacement(values: StyleLayerValues, size: Value<number>, losses: Losses): Placement | undefined {
  const anchor = values.raw('text-anchor')
  const turned = values.number('text-rotate', 0)
  const [right, down] = pixelsOf(values, size, losses)
  const where = values.choice('symbol-placement', ['point', 'line', 'line-center'])
  const spacing = values.raw('symbol-spacing')
  if (where === 'line' || where === 'line-center') {
    const repeat = typeof spacing === 'number' && where === 'line' ? spacing : undefined
    return { at: 'line', offset: tidyExpression(-down), repeat }
  }
  if (anchor === undefined && turned === 0 && right === 0 && down === 0) return undefined
  const words = typeof anchor === 'string' ? anchor.split('-') : []
  const side = (['left', 'right'] as const).find((word) => words.includes(word)) ?? 'center'
  const height = (['top', 'bottom'] as const).find((word) => words.includes(word)) ?? 'middle'
  const rotation = turned === 0 ? undefined : scaled(turned, 1, 'text-rotate', losses)
  return { at: 'point', side, height, right: tidyExpression(right), up: tidyExpression(-down), rotation }
}

/** Returns the offset in pixels; the document has it in units of the font size. */
function pixelsOf(
  values: StyleLayerValues,
  size: Value<number>,
  losses: Losses,
): [right: number, down: number] {
  const offset = values.numbers('text-offset') ?? [0, 0]
  if (isDriven(size) && offset.some((part) => part !== 0)) losses.add('an offset of a label of computed size')
  const factor = isDriven(size) ? 16 : size
  return [(offset[0] ?? 0) * factor, (offset[1] ?? 0) * factor]
}
