import { escapeXml } from '../../core/text/escape.ts'
import type { Expression } from '../../filters/expression.ts'
import type { ConditionOf, StyleComparison } from '../condition.ts'
import { getCondition } from '../condition.ts'
import { attributes, styleElement, styleTextElement } from '../style-xml.ts'
import type { SldDialect } from './dialect.ts'

const comparisonNames = {
  '=': 'PropertyIsEqualTo',
  '<>': 'PropertyIsNotEqualTo',
  '<': 'PropertyIsLessThan',
  '<=': 'PropertyIsLessThanOrEqualTo',
  '>': 'PropertyIsGreaterThan',
  '>=': 'PropertyIsGreaterThanOrEqualTo',
}

/** A condition as a `Filter` of Filter Encoding 1.0 or 1.1. */
export function writeSldFilter(condition: Expression, dialect: SldDialect): string {
  return styleElement('ogc:Filter', conditionXml(condition, dialect))
}

export function propertyXml(property: string): string {
  return styleTextElement('ogc:PropertyName', property)
}

export function literalXml(value: string | number | boolean): string {
  return styleTextElement('ogc:Literal', String(value))
}

function conditionXml(expression: Expression, dialect: SldDialect): string {
  const condition = getCondition(expression)
  switch (condition.op) {
    case 'all':
    case 'any':
      return groupXml(condition, dialect)
    case 'not':
      return styleElement('ogc:Not', conditionXml(condition.condition, dialect))
    case 'null':
      return styleElement('ogc:PropertyIsNull', propertyXml(condition.property))
    case 'ids':
      return idsXml(condition.ids)
    case 'box':
      return boxXml(condition, dialect)
    case 'like':
      return likeXml(condition, dialect)
    case 'dimension':
      return styleElement(
        'ogc:PropertyIsEqualTo',
        '<ogc:Function name="dimension"><ogc:Function name="geometry"/></ogc:Function>',
        literalXml(condition.value),
      )
    default:
      return comparisonXml(condition)
  }
}

/**
 * A group of one condition is that condition; an empty group is a comparison that is always true or false.
 */
function groupXml({ op, conditions }: ConditionOf<'all' | 'any'>, dialect: SldDialect): string {
  const [only] = conditions
  if (only === undefined)
    return styleElement('ogc:PropertyIsEqualTo', literalXml(1), literalXml(op === 'all' ? 1 : 0))
  if (conditions.length === 1) return conditionXml(only, dialect)
  const name = op === 'all' ? 'ogc:And' : 'ogc:Or'
  return styleElement(name, ...conditions.map((one) => conditionXml(one, dialect)))
}

function comparisonXml({ op, property, value, ignoresCase }: StyleComparison): string {
  const name = `ogc:${comparisonNames[op]}`
  const other = typeof value === 'object' ? propertyXml(value.property) : literalXml(value)
  return `<${name}${ignoresCase ? ' matchCase="false"' : ''}>${propertyXml(property)}${other}</${name}>`
}

function likeXml({ property, pattern, ignoresCase }: ConditionOf<'like'>, dialect: SldDialect): string {
  const signs = attributes({
    wildCard: '%',
    singleChar: '_',
    [dialect.escapeAttribute]: '\\',
    matchCase: ignoresCase ? 'false' : undefined,
  })
  return `<ogc:PropertyIsLike${signs}>${propertyXml(property)}${literalXml(pattern)}</ogc:PropertyIsLike>`
}

function idsXml(ids: string[]): string {
  return ids.map((id) => `<ogc:FeatureId fid="${escapeXml(id)}"/>`).join('')
}

function boxXml({ box: [minX, minY, maxX, maxY], srs }: ConditionOf<'box'>, { isSe }: SldDialect): string {
  const name = attributes({ srsName: srs })
  const corners = isSe
    ? `<gml:Envelope${name}><gml:lowerCorner>${minX} ${minY}</gml:lowerCorner><gml:upperCorner>${maxX} ${maxY}</gml:upperCorner></gml:Envelope>`
    : `<gml:Box${name}><gml:coordinates>${minX},${minY} ${maxX},${maxY}</gml:coordinates></gml:Box>`
  return styleElement('ogc:BBOX', propertyXml('geometry'), corners)
}
