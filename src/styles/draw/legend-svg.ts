import type { PlainSymbolizer } from '../model.ts'
import type { Legend, LegendEntry, LegendRamp } from './legend-model.ts'
import { markSvg, pathSvg } from './paint.ts'
import { escapeSvg, isRightToLeft, svgElement, svgNumber, wrapText } from './svg-text.ts'

/** First a font that comes with the server, for pictures that it draws itself; then what the reader has. */
const fontFamily = "'DejaVu Sans', 'Noto Sans', 'Noto Sans CJK SC', 'Noto Sans CJK JP', system-ui, sans-serif"

const margin = 12
const swatch = { width: 32, height: 20 }
const gap = 10
const rowGap = 6
const fontSize = 13
const smallSize = 10.5
const lineHeight = 17
const smallLine = 14
const textColumn = 240
const titleLines = 4
const entryLines = 6
const rampHeight = 96
const rampWidth = 22
const maxMarks = 6
const width = margin * 2 + swatch.width + gap + textColumn
const ink = '#1f2933'
const paleInk = '#5f6b76'

interface Row {
  svg: string
  height: number
}

interface LineStyle {
  size: number
  color: string
  weight?: string
}

/**
 * Writes one line of text, aligned to the left edge of its column, or to the right edge for right-to-left
 * text.
 */
function lineSvg(text: string, x: number, y: number, columnWidth: number, style: LineStyle): string {
  const isRight = isRightToLeft(text)
  return svgElement(
    'text',
    {
      x: isRight ? x + columnWidth : x,
      y,
      ...(isRight ? { direction: 'rtl', 'unicode-bidi': 'embed' } : {}),
      'font-size': style.size,
      'font-weight': style.weight,
      fill: style.color,
    },
    escapeSvg(text),
  )
}

function scaleWords({ minScale, maxScale }: LegendEntry): string {
  const output = (scale: number): string => `1:${Math.round(scale).toLocaleString('en-US')}`
  if (minScale !== undefined && maxScale !== undefined) return `${output(minScale)} – ${output(maxScale)}`
  if (minScale !== undefined) return `from ${output(minScale)} outward`
  return maxScale === undefined ? '' : `below ${output(maxScale)}`
}

/** Maximum size of a symbol in a legend; larger ones are scaled down. */
const maxInSwatch = 18

function fitted(symbol: PlainSymbolizer): PlainSymbolizer {
  if (symbol.kind !== 'point' || symbol.size <= maxInSwatch) return symbol
  return { ...symbol, size: maxInSwatch }
}

function sampleSvg(original: PlainSymbolizer, { dimension }: LegendEntry, y: number): string {
  const symbol = fitted(original)
  const [left, right] = [margin, margin + swatch.width]
  const [top, bottom] = [y, y + swatch.height]
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 }
  if (symbol.kind === 'point') return markSvg(symbol, middle.x, middle.y)
  if (symbol.kind === 'icon')
    return svgElement('rect', {
      x: middle.x - 8,
      y: middle.y - 8,
      width: 16,
      height: 16,
      rx: 2,
      fill: 'none',
      stroke: paleInk,
      'stroke-dasharray': '2 2',
    })
  if (symbol.kind === 'text')
    return svgElement(
      'text',
      {
        x: middle.x,
        y: middle.y + 4,
        'text-anchor': 'middle',
        'font-size': Math.min(symbol.size, 13),
        fill: symbol.color,
        'font-weight': symbol.font?.isBold ? 'bold' : undefined,
        'font-style': symbol.font?.isItalic ? 'italic' : undefined,
        ...(symbol.halo === undefined
          ? {}
          : {
              stroke: symbol.halo.color,
              'stroke-width': Math.min(symbol.halo.width * 2, 4),
              'paint-order': 'stroke',
            }),
      },
      'Abc',
    )
  const area = `M${left + 1} ${top + 1}H${right - 1}V${bottom - 1}H${left + 1}Z`
  const way = `M${left} ${bottom - 4}C${left + 10} ${top - 6} ${right - 10} ${bottom + 6} ${right} ${top + 4}`
  return pathSvg(symbol, symbol.kind === 'polygon' || dimension === 2 ? area : way)
}

function symbolRow(entry: LegendEntry, y: number): string {
  if (entry.color !== undefined) {
    const { color, opacity } = entry.color
    return svgElement('rect', {
      x: margin,
      y,
      width: swatch.width,
      height: swatch.height,
      stroke: '#00000033',
      fill: color,
      'fill-opacity': opacity,
    })
  }
  const inside = entry.symbols.map((symbol) => sampleSvg(symbol, entry, y)).join('')
  return svgElement(
    'svg',
    {
      x: 0,
      y: y - 3,
      width: margin + swatch.width + gap / 2,
      height: swatch.height + 6,
      viewBox: `0 ${svgNumber(y - 3)} ${svgNumber(margin + swatch.width + gap / 2)} ${swatch.height + 6}`,
    },
    inside,
  )
}

function textRows(entry: LegendEntry): { lines: string[]; scales: string } {
  return {
    lines: wrapText(entry.title, { size: fontSize, width: textColumn, lines: entryLines }),
    scales: scaleWords(entry),
  }
}

function entryRow(entry: LegendEntry, y: number): Row {
  const { lines, scales } = textRows(entry)
  const isHeading = entry.symbols.length === 0 && entry.color === undefined
  const x = isHeading ? margin : margin + swatch.width + gap
  const weight = isHeading ? '600' : undefined
  const textHeight = lines.length * lineHeight + (scales === '' ? 0 : smallLine)
  const height = Math.max(isHeading ? 0 : swatch.height, textHeight)
  const first = y + (height - textHeight) / 2
  const style = { size: fontSize, color: ink, weight }
  const texts = lines.map((line, index) =>
    lineSvg(line, x, first + index * lineHeight + 12.5, textColumn, style),
  )
  const last = first + lines.length * lineHeight + 10.5
  const reported =
    scales === '' ? '' : lineSvg(scales, x, last, textColumn, { size: smallSize, color: paleInk })
  const symbol = isHeading ? '' : symbolRow(entry, y + (height - swatch.height) / 2)
  return { svg: symbol + texts.join('') + reported, height }
}

/** Returns the stops with a label: the ends, and some in between. */
function markedStops(stops: LegendRamp['stops']): LegendRamp['stops'] {
  const finite = stops.filter(({ value }) => Number.isFinite(value))
  if (finite.length <= maxMarks) return finite
  const step = (finite.length - 1) / (maxMarks - 1)
  return Array.from({ length: maxMarks }, (_, index) => finite[Math.round(index * step)]).filter(
    (stop) => stop !== undefined,
  )
}

function rampRow(entry: LegendEntry, ramp: LegendRamp, y: number, id: string): Row {
  const heading = entry.title === '' ? { svg: '', height: 0 } : entryRow({ ...entry, symbols: [] }, y)
  const top = y + heading.height + (heading.height > 0 ? rowGap : 0) + 4
  const finite = ramp.stops.filter(({ value }) => Number.isFinite(value))
  const [low, high] = [finite[0]?.value ?? 0, finite.at(-1)?.value ?? 1]
  const share = (value: number): number => (high === low ? 0 : (value - low) / (high - low))
  const stops = finite.map(({ value, color, opacity }) =>
    svgElement('stop', {
      offset: `${svgNumber(100 - share(value) * 100)}%`,
      'stop-color': color,
      'stop-opacity': opacity,
    }),
  )
  const gradient = svgElement('linearGradient', { id, x1: 0, y1: 0, x2: 0, y2: 1 }, stops.reverse().join(''))
  const strip = svgElement('rect', {
    x: margin,
    y: top,
    width: rampWidth,
    height: rampHeight,
    fill: `url(#${id})`,
    stroke: '#00000033',
  })
  const unit = ramp.unit === undefined ? '' : ` ${ramp.unit}`
  const marked = spacedMarks(markedStops(finite), (value) => top + rampHeight * (1 - share(value)))
  const marks = marked.map(({ value, label, at }) => {
    const tick = svgElement('path', { d: `M${margin + rampWidth} ${svgNumber(at)}h5`, stroke: paleInk })
    const words = label ?? `${Number(value.toPrecision(6))}${unit}`
    const [line = ''] = wrapText(words, { size: smallSize, width: textColumn, lines: 1 })
    return tick + lineSvg(line, margin + rampWidth + 9, at + 3.8, textColumn, { size: smallSize, color: ink })
  })
  return {
    svg: `${heading.svg}<defs>${gradient}</defs>${strip}${marks.join('')}`,
    height: top - y + rampHeight + 6,
  }
}

/** Returns the marks whose texts do not overlap; the ends always stay. */
function spacedMarks(
  stops: LegendRamp['stops'],
  place: (value: number) => number,
): { value: number; label?: string; at: number }[] {
  const kept: { value: number; label?: string; at: number }[] = []
  for (const [index, stop] of stops.entries()) {
    const at = place(stop.value)
    const before = kept.at(-1)
    const isTight = before !== undefined && Math.abs(before.at - at) < smallLine
    if (isTight && index < stops.length - 1) continue
    if (isTight && kept.length > 1) kept.pop()
    if (isTight && kept.length === 1 && stop.value === before?.value) continue
    kept.push({ ...stop, at })
  }
  return kept
}

/** Writes only the symbol of a line as SVG. */
export function entrySvg(entry: LegendEntry): string {
  const size = { width: margin + swatch.width + gap / 2, height: swatch.height + 6 }
  const head = `xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"`
  return `<svg ${head} font-family="${escapeSvg(fontFamily)}">${symbolRow(entry, 3)}</svg>`
}

/** A drawn legend with its size. */
export interface LegendDrawing {
  svg: string
  width: number
  height: number
}

/** Maximum height of stacked legends; further legends are omitted. */
const tallestStack = 8192

/** Writes several legends as one SVG, the first on top. */
export function stackedLegendsSvg(legends: readonly Legend[]): LegendDrawing {
  let height = 0
  let parts = ''
  for (const [index, legend] of legends.entries()) {
    const one = legendSvg(legend, { idPrefix: `legend${index}-` })
    if (height > 0 && height + one.height > tallestStack) break
    parts += `<g transform="translate(0 ${height})">${one.svg}</g>`
    height += one.height
  }
  const head = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return { svg: `<svg ${head}>${parts}</svg>`, width, height }
}

/**
 * Writes a legend as SVG. Texts are text elements, so that the viewer substitutes a missing font. `idPrefix` tells
 * the ids of several legends in one document apart.
 */
export function legendSvg(legend: Legend, { idPrefix = '' }: { idPrefix?: string } = {}): LegendDrawing {
  const rows: string[] = []
  const [only, ...others] = legend.entries
  const isStated = others.length === 0 && only?.title === legend.title
  const title = wrapText(isStated ? '' : legend.title, {
    size: 15,
    width: width - 2 * margin,
    lines: titleLines,
  })
  let y = margin
  for (const line of title) {
    rows.push(lineSvg(line, margin, y + 14, width - 2 * margin, { size: 15, color: ink, weight: '600' }))
    y += 20
  }
  y += title.length > 0 ? 4 : 0
  for (const [index, entry] of legend.entries.entries()) {
    const row =
      entry.ramp === undefined ? entryRow(entry, y) : rampRow(entry, entry.ramp, y, `${idPrefix}ramp${index}`)
    rows.push(row.svg)
    y += row.height + rowGap
  }
  if (legend.leftOut > 0) {
    rows.push(
      lineSvg(`… and ${legend.leftOut} more`, margin, y + 12, width, { size: smallSize, color: paleInk }),
    )
    y += smallLine + rowGap
  }
  const height = Math.ceil(y - rowGap + margin)
  const background = svgElement('rect', { width, height, fill: '#ffffff' })
  const head = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  const svg = `<svg ${head} font-family="${escapeSvg(fontFamily)}">${background}${rows.join('')}</svg>`
  return { svg, width, height }
}
