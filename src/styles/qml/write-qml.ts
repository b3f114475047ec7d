import { passOf } from '../evaluate.ts'
import { expandRules, withoutElse } from '../expand.ts'
import type { WrittenStyle } from '../losses.ts'
import { Losses } from '../losses.ts'
import type { Dimension, Rule, Style, Symbolizer } from '../model.ts'
import { attributes, styleElement, styleTextElement } from '../style-xml.ts'
import { writeExpression } from './write-expression.ts'
import { writeLabels } from './write-labels.ts'
import { writePipe } from './write-raster.ts'
import { writeSymbol } from './write-symbols.ts'

/**
 * Writes a QGIS 3 style document for layers of one dimension: the given one, otherwise the highest that the
 * style draws. Undefined for a style that draws nothing, since a QGIS document requires a geometry type.
 */
export function writeQml(style: Style, requested?: Dimension): WrittenStyle | undefined {
  const losses = new Losses(style.lost)
  const symbols = style.rules.flatMap((rule) => rule.symbols)
  const raster = symbols.find((symbol) => symbol.kind === 'raster')
  if (symbols.length === 0) return undefined
  if (raster !== undefined) {
    if (symbols.length > 1) losses.add('what is drawn beside the first raster')
    return written([writePipe(raster, losses)], {}, losses)
  }
  const dimension = requested ?? highestOf(symbols)
  const rules = expandRules(style.rules, losses)
  const explicit = rules.some(({ isElse, condition }) => isElse === true && condition !== undefined)
  const ready = needsLevels(rules) || explicit ? withoutElse(rules, losses) : rules
  const parts = [writeRenderer(ready, dimension, losses), writeLabels(ready, losses)]
  const hasLabels = parts[1] !== ''
  return written(
    [
      ...parts,
      '<blendMode>0</blendMode><layerOpacity>1</layerOpacity>',
      styleTextElement('layerGeometryType', dimension),
    ],
    { labelsEnabled: hasLabels ? 1 : 0 },
    losses,
  )
}

function written(parts: string[], frame: Record<string, number>, losses: Losses): WrittenStyle {
  const lost = losses.list()
  const root = attributes({
    version: '3.22.0',
    styleCategories: 'Symbology|Labeling',
    hasScaleBasedVisibilityFlag: 0,
    ...frame,
  })
  const custom =
    lost.length === 0
      ? ''
      : styleElement(
          'customproperties',
          `<Option type="Map"><Option type="QString" name="terrane/not-converted"${attributes({ value: lost.join('; ') })}/></Option>`,
        )
  const doctype = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
  return { document: `${doctype}<qgis${root}>${parts.join('')}${custom}</qgis>\n`, lost }
}

function highestOf(symbols: Symbolizer[]): Dimension {
  if (symbols.some(({ kind }) => kind === 'polygon')) return 2
  return symbols.some(({ kind }) => kind === 'line') ? 1 : 0
}

function needsLevels(rules: Rule[]): boolean {
  return drawing(rules).some((rule) => passOf(rule) > 0)
}

/** Returns the rules that draw more than labels, or that exclude features from an else rule. */
function drawing(rules: Rule[]): Rule[] {
  return rules.filter(({ symbols }) => symbols.length === 0 || symbols.some(({ kind }) => kind !== 'text'))
}

function writeRenderer(rules: Rule[], dimension: Dimension, losses: Losses): string {
  const hasLevels = needsLevels(rules)
  const symbols: string[] = []
  const elements = drawing(rules).map((rule) => {
    const pass = hasLevels ? passOf(rule) : 0
    const symbol = writeSymbol(rule.symbols, { name: symbols.length, dimension, pass }, losses)
    const name = symbol === undefined ? undefined : symbols.length
    if (symbol !== undefined) symbols.push(symbol)
    return { rule, name }
  })
  const [first] = elements
  const all = styleElement('symbols', ...symbols)
  if (first === undefined) return '<renderer-v2 type="nullSymbol"/>'
  const level = attributes({ symbollevels: hasLevels ? 1 : 0, enableorderby: 0, forceraster: 0 })
  if (elements.length === 1 && first.name === 0 && isBare(first.rule))
    return `<renderer-v2 type="singleSymbol"${level}>${all}</renderer-v2>`
  const list = elements.map(({ rule, name }) => ruleXml(rule, name, losses))
  return `<renderer-v2 type="RuleRenderer"${level}><rules key="rules">${list.join('')}</rules>${all}</renderer-v2>`
}

function isBare({ condition, isElse, minScale, maxScale, title, name }: Rule): boolean {
  return [condition, isElse, minScale, maxScale, title, name].every((part) => part === undefined)
}

function ruleXml(rule: Rule, symbol: number | undefined, losses: Losses): string {
  const { condition, isElse, title, name, abstract, minScale, maxScale } = rule
  const filter =
    isElse === true ? 'ELSE' : condition === undefined ? undefined : writeExpression(condition, losses)
  return `<rule${attributes({
    label: title ?? name,
    description: abstract,
    filter,
    symbol,
    scalemindenom: minScale,
    scalemaxdenom: maxScale,
  })}/>`
}
