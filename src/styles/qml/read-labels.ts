import type { XmlElement } from '../../core/text/xml-tree.ts'
import { hasValues } from '../../core/values/defined.ts'
import type { Losses } from '../losses.ts'
import type { Font, Placement, Rule, TextSymbolizer } from '../model.ts'
import { childElement, childrenOf } from '../style-xml.ts'
import { readConcatenation, readExpression } from './read-expression.ts'
import { scaleOf } from './read-renderer.ts'
import { reportDataDriven } from './read-symbols.ts'
import { measureOf, parseQgisColor, tidyNumber } from './units.ts'

/** Reads the labels of a document: one rule, or one for each label rule. */
export function readQmlLabels(labeling: XmlElement | undefined, opacity: number, losses: Losses): Rule[] {
  if (labeling === undefined) return []
  const { type } = labeling.attributes
  if (type === 'simple') return labelRule(childElement(labeling, 'settings'), {}, opacity, losses)
  if (type !== 'rule-based') return losses.add(`labels of type ${type ?? 'none'}`) ?? []
  return childrenOf(childElement(labeling, 'rules'), 'rule').flatMap((rule) => {
    const { filter, scalemindenom, scalemaxdenom, description } = rule.attributes
    const isElse = filter?.trim().toUpperCase() === 'ELSE'
    const condition = filter === undefined || isElse ? undefined : readExpression(filter)
    if (filter !== undefined && !isElse && condition === undefined) losses.add(`the filter ${filter}`)
    if (childrenOf(rule, 'rule').length > 0) losses.add('rules of labels inside others')
    const frame = {
      title: description || undefined,
      condition,
      isElse: isElse ? (true as const) : undefined,
      minScale: scaleOf(scalemindenom),
      maxScale: scaleOf(scalemaxdenom),
    }
    return labelRule(childElement(rule, 'settings'), frame, opacity, losses)
  })
}

function labelRule(
  settings: XmlElement | undefined,
  frame: Omit<Rule, 'symbols'>,
  opacity: number,
  losses: Losses,
): Rule[] {
  const symbol = readSettings(settings, opacity, losses)
  if (settings === undefined || symbol === undefined) return []
  const { scaleVisibility, scaleMin, scaleMax } = childElement(settings, 'rendering')?.attributes ?? {}
  const scales = scaleVisibility === '1' ? [scaleOf(scaleMax), scaleOf(scaleMin)] : []
  const [minScale = frame.minScale, maxScale = frame.maxScale] = scales
  return [{ ...frame, minScale, maxScale, symbols: [symbol] }]
}

function readSettings(
  settings: XmlElement | undefined,
  opacity: number,
  losses: Losses,
): TextSymbolizer | undefined {
  const style = childElement(settings, 'text-style')
  if (settings === undefined || style === undefined) return undefined
  reportDataDriven(settings, losses)
  reportDataDriven(style, losses)
  const { fieldName = '', isExpression, fontSize, fontSizeUnit, textColor, textOpacity } = style.attributes
  const label = isExpression === '1' ? readConcatenation(fieldName) : [{ property: fieldName }]
  if (label === undefined) return losses.add('a computed label')
  for (const name of ['background', 'shadow'])
    if (isDrawn(childElement(style, name))) losses.add(`the ${name} of a label`)
  const paint = parseQgisColor(textColor) ?? { color: '#000000', opacity: 1 }
  const measure = measureOf(fontSizeUnit ?? 'Point') ?? { factor: 1 }
  return {
    kind: 'text',
    label,
    size: tidyNumber(Number(fontSize ?? 10) * measure.factor),
    color: paint.color,
    opacity: rounded(paint.opacity * Number(textOpacity ?? 1) * opacity),
    unit: measure.unit,
    font: fontOf(style.attributes),
    halo: haloOf(childElement(style, 'text-buffer'), opacity),
    placement: placementOf(childElement(settings, 'placement'), losses),
  }
}

function rounded(opacity: number): number {
  return Math.round(opacity * 1000) / 1000
}

function isDrawn(element: XmlElement | undefined): boolean {
  return element?.attributes.shapeDraw === '1' || element?.attributes.shadowDraw === '1'
}

function fontOf({
  fontFamily,
  fontWeight,
  fontItalic,
  namedStyle = '',
}: Record<string, string>): Font | undefined {
  const isBold = Number(fontWeight ?? 50) >= 63 || /bold/i.test(namedStyle) || undefined
  const isItalic = fontItalic === '1' || /italic|oblique/i.test(namedStyle) || undefined
  const font = { family: fontFamily || undefined, isBold, isItalic }
  return hasValues(font) ? font : undefined
}

function haloOf(buffer: XmlElement | undefined, opacity: number): TextSymbolizer['halo'] {
  if (buffer?.attributes.bufferDraw !== '1') return undefined
  const { bufferSize, bufferSizeUnits, bufferColor, bufferOpacity } = buffer.attributes
  const paint = parseQgisColor(bufferColor) ?? { color: '#ffffff', opacity: 1 }
  const factor = measureOf(bufferSizeUnits ?? 'MM')?.factor ?? 1
  return {
    color: paint.color,
    width: tidyNumber(Number(bufferSize ?? 1) * factor),
    opacity: rounded(paint.opacity * Number(bufferOpacity ?? 1) * opacity),
  }
}

/** QGIS's placement codes: beside or above a point, and along a line. */
const alongLine = ['2', '3', '7']
const sides = ['right', 'center', 'left'] as const
const heights = ['bottom', 'middle', 'top'] as const

function placementOf(element: XmlElement | undefined, losses: Losses): Placement | undefined {
  if (element === undefined) return undefined
  const { placement, quadOffset, xOffset, yOffset, dist, repeatDistance, rotationAngle } = element.attributes
  const pixels = (text: string | undefined, unit: string | undefined): number =>
    tidyNumber(Number(text ?? 0) * (measureOf(unit ?? 'MM')?.factor ?? 1))
  const { offsetUnits, distUnits, repeatDistanceUnits } = element.attributes
  if (alongLine.includes(placement ?? '')) {
    const repeat = pixels(repeatDistance, repeatDistanceUnits)
    return { at: 'line', offset: pixels(dist, distUnits), repeat: repeat > 0 ? repeat : undefined }
  }
  if (placement !== '1') {
    if (placement !== '0') losses.add('a placement of labels that QGIS chooses')
    return undefined
  }
  const quadrant = Number(quadOffset ?? 4)
  const rotation = Number(rotationAngle ?? 0)
  const [side = 'center', height = 'middle'] = [sides[quadrant % 3], heights[Math.floor(quadrant / 3)]]
  const up = pixels(yOffset, offsetUnits)
  return {
    at: 'point',
    side,
    height,
    right: pixels(xOffset, offsetUnits),
    up: up === 0 ? 0 : -up,
    rotation: rotation === 0 ? undefined : rotation,
  }
}
