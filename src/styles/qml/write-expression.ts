import type { Expression } from '../../filters/expression.ts'
import { getCondition } from '../condition.ts'
import type { Losses } from '../losses.ts'
import type { Literal, StyleAttribute } from '../model.ts'

const geometryNames = ['Point', 'Line', 'Polygon']

/** Writes a condition as a QGIS expression; undefined, with a recorded loss, if it cannot be expressed. */
export function writeExpression(expression: Expression, losses: Losses): string | undefined {
  const condition = getCondition(expression)
  switch (condition.op) {
    case 'all':
    case 'any':
      return group(condition.op, condition.conditions, losses)
    case 'not': {
      const inner = writeExpression(condition.condition, losses)
      return inner === undefined ? undefined : `NOT (${inner})`
    }
    case 'null':
      return `${quoted(condition.property)} IS NULL`
    case 'ids':
      return `$id IN (${condition.ids.map((id) => literal(/^\d{1,15}$/.test(id) ? Number(id) : id)).join(', ')})`
    case 'box':
      return losses.add('a filter by a box')
    case 'like': {
      const { property, pattern, ignoresCase } = condition
      return `${quoted(property)} ${ignoresCase ? 'ILIKE' : 'LIKE'} ${patternText(pattern)}`
    }
    case 'dimension':
      return `geometry_type($geometry) = '${geometryNames[condition.value]}'`
    default: {
      const { op, property, value, ignoresCase } = condition
      if (ignoresCase) losses.add('a comparison without case')
      return `${quoted(property)} ${op} ${typeof value === 'object' ? quoted(value.property) : literal(value)}`
    }
  }
}

function group(op: 'all' | 'any', conditions: Expression[], losses: Losses): string | undefined {
  if (conditions.length === 0) return op === 'all' ? 'TRUE' : 'FALSE'
  const parts = conditions.map((one) => writeExpression(one, losses))
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0 || (op === 'any' && known.length < parts.length)) return undefined
  return known.map((part) => `(${part})`).join(op === 'all' ? ' AND ' : ' OR ')
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(value: Literal): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  return typeof value === 'number' ? String(value) : textLiteral(value)
}

function textLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** In a pattern a backslash is literal unless it escapes the next character. */
function patternText(pattern: string): string {
  return `'${pattern.replace(/\\(?![%_])/g, '\\\\').replaceAll("'", "''")}'`
}

/** Writes a concatenation of texts and attributes. */
export function writeConcatenation(label: (string | StyleAttribute)[]): string {
  return label
    .map((part) => (typeof part === 'string' ? textLiteral(part) : quoted(part.property)))
    .join(' || ')
}
