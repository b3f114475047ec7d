import type { Fill, MarkSymbolizer, PlainSymbolizer, Stroke } from '../model.ts'
import { markPath } from './marks.ts'
import { svgElement, svgNumber } from './svg-text.ts'

type PlainStroke = Stroke<string, number>
type PlainFill = Fill<string, number>
type Attributes = Record<string, string | number | undefined>

/** Maximum width of lines and marks, because a style may contain any number. */
const maxLength = 2000
const colorForm = /^#[0-9a-f]{6}$/i

/** Invalid colours become black: styles come from outside. */
function colorText(color: string): string {
  return colorForm.test(color) ? color : '#000000'
}

function bounded(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), maxLength) : 0
}

function share(opacity: number): number | undefined {
  const bound = Math.min(1, bounded(opacity))
  return bound === 1 ? undefined : bound
}

function fillAttributes(fill: PlainFill | undefined): Attributes {
  if (fill === undefined) return { fill: 'none' }
  return { fill: colorText(fill.color), 'fill-opacity': share(fill.opacity) }
}

function strokeAttributes(stroke: PlainStroke | undefined): Attributes {
  if (stroke === undefined) return {}
  const { color, width, opacity, dashes, cap, join } = stroke
  const isDashed = dashes !== undefined && dashes.length > 0 && dashes.some((dash) => dash > 0)
  return {
    stroke: colorText(color),
    'stroke-width': bounded(width),
    'stroke-opacity': share(opacity),
    'stroke-dasharray': isDashed
      ? dashes
          .slice(0, 20)
          .map((dash) => svgNumber(bounded(dash)))
          .join(' ')
      : undefined,
    'stroke-linecap': cap,
    'stroke-linejoin': join,
  }
}

/** Draws a mark at a position in pixels. */
export function markSvg(
  { shape, size, fill, stroke, rotation = 0 }: MarkSymbolizer<string, number>,
  x: number,
  y: number,
): string {
  const side = bounded(size)
  if (side === 0) return ''
  const turn = rotation === 0 ? '' : ` rotate(${svgNumber(rotation)})`
  const inSide = (length: number): number => Math.round((bounded(length) / side) * 1e5) / 1e5
  return svgElement('path', {
    d: markPath(shape),
    transform: `translate(${svgNumber(x)} ${svgNumber(y)})${turn} scale(${Math.round(side * 1000) / 1000})`,
    ...fillAttributes(fill),
    ...strokeAttributes(stroke),
    // Lengths are in units of the side, too short for two digits.
    'stroke-width': stroke === undefined ? undefined : String(inSide(stroke.width)),
    'stroke-dasharray': stroke?.dashes === undefined ? undefined : stroke.dashes.map(inSide).join(' '),
    'fill-rule': 'evenodd',
  })
}

/** Draws lines or areas from path data in pixels. */
export function pathSvg(symbol: PlainSymbolizer, d: string): string {
  if (d === '') return ''
  if (symbol.kind === 'line') {
    return svgElement('path', { d, fill: 'none', ...strokeAttributes(symbol.stroke) })
  }
  if (symbol.kind !== 'polygon') return ''
  return svgElement('path', {
    d,
    ...fillAttributes(symbol.fill),
    ...strokeAttributes(symbol.stroke),
    'fill-rule': 'evenodd',
  })
}
