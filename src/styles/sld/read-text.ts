import type { XmlElement } from '../../core/text/xml-tree.ts'
import { textNode } from '../../core/text/xml-tree.ts'
import { hasValues } from '../../core/values/defined.ts'
import type { Losses } from '../losses.ts'
import type { Fill, Font, Placement, StyleAttribute, TextSymbolizer, Value } from '../model.ts'
import { childElement, styleText } from '../style-xml.ts'
import { propertyOf } from './read-filter.ts'
import { parseStyleNumber } from './read-values.ts'

/** Functions that the symbol reader passes to the text reader. */
interface Reader {
  losses: Losses
  parameter(element: XmlElement | undefined, name: string): XmlElement | undefined
  length(element: XmlElement | undefined, what: string, factor: number): Value<number> | undefined
  number(element: XmlElement | undefined, what: string): Value<number> | undefined
  fill(element: XmlElement | undefined): Fill | undefined
}

/** Reads a `TextSymbolizer`; returns none if its label cannot be expressed. */
export function readSldText(element: XmlElement, factor: number, reader: Reader): TextSymbolizer[] {
  const label = readLabel(childElement(element, 'Label'))
  if (label === undefined) {
    reader.losses.add('a computed label')
    return []
  }
  const font = childElement(element, 'Font')
  const size = reader.length(reader.parameter(font, 'font-size'), 'font-size', factor) ?? 10
  const fill = reader.fill(childElement(element, 'Fill')) ?? { color: '#000000', opacity: 1 }
  if (childElement(element, 'Graphic') !== undefined) reader.losses.add('a graphic behind a label')
  const halo = readHalo(childElement(element, 'Halo'), factor, reader)
  const placement = readPlacement(childElement(element, 'LabelPlacement'), factor, reader)
  return [{ kind: 'text', label, size, ...fill, font: readFont(font, reader), halo, placement }]
}

/** Reads the parts of a label; undefined if one is computed or there is none. */
function readLabel(label: XmlElement | undefined): (string | StyleAttribute)[] | undefined {
  const parts = label?.children.map(labelPart) ?? []
  const known = parts.filter((part) => part !== undefined)
  return known.length === 0 || known.length < parts.length ? undefined : joinTexts(known)
}

function labelPart(part: XmlElement): string | StyleAttribute | undefined {
  if (part.name === textNode) return withoutIndents(part.text)
  if (part.name === 'Literal') return part.text
  const property = propertyOf(part)
  return property === undefined ? undefined : { property }
}

/** Replaces line breaks with their indents by one space, and removes them at the ends. */
function withoutIndents(text: string): string {
  return text.replace(/^\s*\n\s*|\s*\n\s*$/g, '').replace(/\s*\n\s*/g, ' ')
}

/** Joins adjacent texts. */
function joinTexts(parts: (string | StyleAttribute)[]): (string | StyleAttribute)[] {
  const joined: (string | StyleAttribute)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else if (part !== '') joined.push(part)
  }
  return joined
}

function readFont(font: XmlElement | undefined, reader: Reader): Font | undefined {
  const text = (name: string): string | undefined => reader.parameter(font, name)?.text.trim() || undefined
  const family = text('font-family')
  const isBold = /^(bold|bolder|[6-9]00)$/.test(text('font-weight') ?? '') || undefined
  const isItalic = /^(italic|oblique)$/.test(text('font-style') ?? '') || undefined
  const found = { family, isBold, isItalic }
  return hasValues(found) ? found : undefined
}

function readHalo(halo: XmlElement | undefined, factor: number, reader: Reader): TextSymbolizer['halo'] {
  if (halo === undefined) return undefined
  const fill = reader.fill(childElement(halo, 'Fill')) ?? { color: '#ffffff', opacity: 1 }
  return { width: reader.length(childElement(halo, 'Radius'), 'Radius', factor) ?? 1, ...fill }
}

function numberIn(element: XmlElement | undefined, name: string): number | undefined {
  const text = styleText(element, name)
  return text === undefined ? undefined : parseStyleNumber(text)
}

function readPlacement(
  element: XmlElement | undefined,
  factor: number,
  reader: Reader,
): Placement | undefined {
  const line = childElement(element, 'LinePlacement')
  if (line !== undefined) return readLine(line, factor)
  const point = childElement(element, 'PointPlacement')
  if (point === undefined) return undefined
  const anchor = childElement(point, 'AnchorPoint')
  const [x, y] = [numberIn(anchor, 'AnchorPointX') ?? 0, numberIn(anchor, 'AnchorPointY') ?? 0.5]
  const [side, height] = [sideOf(x), heightOf(y)]
  if (![0, 0.5, 1].includes(x) || ![0, 0.5, 1].includes(y))
    reader.losses.add('an anchor between the middle and a side of a label')
  const shift = childElement(point, 'Displacement')
  const rotation = reader.number(childElement(point, 'Rotation'), 'Rotation')
  return {
    at: 'point',
    side,
    height,
    right: (numberIn(shift, 'DisplacementX') ?? 0) * factor,
    up: (numberIn(shift, 'DisplacementY') ?? 0) * factor,
    rotation: rotation === undefined || rotation === 0 ? undefined : rotation,
  }
}

function sideOf(x: number): 'left' | 'center' | 'right' {
  if (x < 0.25) return 'left'
  return x > 0.75 ? 'right' : 'center'
}

function heightOf(y: number): 'bottom' | 'middle' | 'top' {
  if (y < 0.25) return 'bottom'
  return y > 0.75 ? 'top' : 'middle'
}

function readLine(line: XmlElement, factor: number): Placement {
  const isRepeated = styleText(line, 'IsRepeated') === 'true'
  const gap = isRepeated ? numberIn(line, 'Gap') : undefined
  return {
    at: 'line',
    offset: (numberIn(line, 'PerpendicularOffset') ?? 0) * factor,
    repeat: gap === undefined ? undefined : gap * factor,
  }
}
