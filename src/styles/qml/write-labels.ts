import { isDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Placement, Rule, TextSymbolizer, Value } from '../model.ts'
import { attributes } from '../style-xml.ts'
import { qgisColor, unitName } from './units.ts'
import { writeConcatenation, writeExpression } from './write-expression.ts'

/** Writes the labels of a style as QGIS rules; an empty text if there are none. */
export function writeLabels(rules: Rule[], losses: Losses): string {
  const labels = rules.flatMap((rule) =>
    rule.symbols.flatMap((symbol) => (symbol.kind === 'text' ? [labelRule(rule, symbol, losses)] : [])),
  )
  return labels.length === 0
    ? ''
    : `<labeling type="rule-based"><rules key="labels">${labels.join('')}</rules></labeling>`
}

function labelRule(
  { title, condition, minScale, maxScale, isElse }: Rule,
  symbol: TextSymbolizer,
  losses: Losses,
): string {
  const filter =
    isElse === true ? 'ELSE' : condition === undefined ? undefined : writeExpression(condition, losses)
  const frame = attributes({ description: title, filter, scalemindenom: minScale, scalemaxdenom: maxScale })
  return `<rule${frame}>${settings(symbol, losses)}</rule>`
}

function plain<T extends string | number>(value: Value<T>, usual: T, losses: Losses): T {
  if (!isDriven(value)) return value
  losses.add('a value of a label that is an attribute itself')
  return usual
}

function settings(symbol: TextSymbolizer, losses: Losses): string {
  const { label, size, color, opacity, font, halo, placement, unit } = symbol
  const [only] = label
  const isField = label.length === 1 && typeof only === 'object'
  const style = attributes({
    fieldName: isField ? only.property : writeConcatenation(label),
    isExpression: isField ? 0 : 1,
    fontSize: plain(size, 10, losses),
    fontSizeUnit: unitName(unit),
    fontFamily: font?.family,
    fontWeight: font?.isBold ? 75 : 50,
    fontItalic: font?.isItalic ? 1 : 0,
    textColor: qgisColor(plain(color, '#000000', losses), 1),
    textOpacity: plain(opacity, 1, losses),
  })
  const buffer =
    halo === undefined
      ? ''
      : `<text-buffer${attributes({
          bufferDraw: 1,
          bufferSize: plain(halo.width, 1, losses),
          bufferSizeUnits: unitName(unit),
          bufferColor: qgisColor(plain(halo.color, '#ffffff', losses), 1),
          bufferOpacity: plain(halo.opacity, 1, losses),
          bufferNoFill: 1,
        })}/>`
  return `<settings><text-style${style}>${buffer}</text-style><placement${placing(placement, unitName(unit), losses)}/><rendering scaleVisibility="0" drawLabels="1"/></settings>`
}

const sides = ['right', 'center', 'left'] as const
const heights = ['bottom', 'middle', 'top'] as const

function placing(placement: Placement | undefined, unit: string, losses: Losses): string {
  if (placement === undefined) return attributes({ placement: 0, distUnits: unit })
  if (placement.at === 'line') {
    const { offset, repeat } = placement
    return attributes({
      placement: 3,
      dist: offset,
      distUnits: unit,
      ...(repeat === undefined ? {} : { repeatDistance: repeat, repeatDistanceUnits: unit }),
    })
  }
  const { side, height, right, up, rotation = 0 } = placement
  return attributes({
    placement: 1,
    quadOffset: heights.indexOf(height) * 3 + sides.indexOf(side),
    xOffset: right,
    yOffset: up === 0 ? 0 : -up,
    offsetUnits: unit,
    rotationAngle: plain(rotation, 0, losses),
  })
}
