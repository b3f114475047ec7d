import type { Expression } from '../../filters/expression.ts'
import { conjunction, disjunction } from '../../filters/expression.ts'
import { comparison, isNull, negation } from '../condition.ts'
import type { Dimension, Rule, Style, Symbolizer } from '../model.ts'
import type { PaletteName } from './palettes.ts'
import { colorsOf } from './palettes.ts'
import type { ValueSummary } from './summary.ts'

/** Input of a style with classes or categories. */
export interface Classified {
  attribute: string
  palette: PaletteName
  summary: ValueSummary
  dimension: Dimension
  /** Number of features of the layer: many features are drawn smaller. */
  featureCount: number
}

const gray = '#bdbdbd'

/** Creates a style with a rule per class or category, one for all other values, and one for null. */
export function classifiedStyle(classified: Classified): Style {
  const { attribute: property, summary } = classified
  const ruled = summary.categories === undefined ? classRules(classified) : categoryRules(classified)
  const isEmpty = disjunction([isNull(property), comparison('=', property, '')])
  const rest: Rule[] =
    summary.empty === 0 ? [] : [rule('no value', 'No value', isEmpty, symbolOf(classified, gray))]
  return { title: property, rules: [...ruled, ...rest], lost: [] }
}

function rule(name: string, title: string, condition: Expression, symbol: Symbolizer): Rule {
  return { name, title, condition, symbols: [symbol] }
}

/** Returns a rule for each class. A bound belongs to the class below it. */
function classRules(classified: Classified): Rule[] {
  const { attribute: property, palette, summary } = classified
  const { bounds = [], min = 0 } = summary
  const colors = colorsOf(palette, bounds.length)
  return bounds.map((upper, index) => {
    const lower = bounds[index - 1]
    const from = comparison(lower === undefined ? '>=' : '>', property, lower ?? min)
    const condition = conjunction([from, comparison('<=', property, upper)])
    return rule(
      `class ${index + 1}`,
      `${shown(lower ?? min)} – ${shown(upper)}`,
      condition,
      symbolOf(classified, colors[index] ?? gray),
    )
  })
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)))
}

function categoryRules(classified: Classified): Rule[] {
  const { attribute: property, palette, summary } = classified
  const { categories = [], hasOthers = false } = summary
  const colors = colorsOf(palette, categories.length)
  const conditions = categories.map(({ value }) => comparison('=', property, value))
  const rules = categories.map(({ value }, index) =>
    rule(
      `category ${index + 1}`,
      String(value),
      conditions[index] ?? disjunction([]),
      symbolOf(classified, colors[index] ?? gray),
    ),
  )
  if (!hasOthers) return rules
  const none = [isNull(property), comparison('=', property, '')]
  const condition = negation(disjunction([...conditions, ...none]))
  return [...rules, rule('other values', 'Other values', condition, symbolOf(classified, '#636363'))]
}

/**
 * Returns the symbol of a class. Many features are drawn smaller and with thinner edges, so that they do not
 * hide each other.
 */
function symbolOf({ dimension, featureCount }: Classified, color: string): Symbolizer {
  const isMany = featureCount > 5000
  if (dimension === 0) {
    const stroke = { color: '#ffffff', width: isMany ? 0.5 : 1, opacity: 1 }
    return { kind: 'point', shape: 'circle', size: isMany ? 5 : 9, fill: { color, opacity: 1 }, stroke }
  }
  if (dimension === 1) return { kind: 'line', stroke: { color, width: isMany ? 1.25 : 2, opacity: 1 } }
  const stroke = { color: '#ffffff', width: isMany ? 0.25 : 0.75, opacity: 1 }
  return { kind: 'polygon', fill: { color, opacity: 0.85 }, stroke }
}
