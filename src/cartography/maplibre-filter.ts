import type { Condition, Literal } from './drawing.ts'

const dimensions = ['Point', 'LineString', 'Polygon']
const comparisons = ['==', '!=', '<', '<=', '>', '>='] as const

function isLiteral(value: unknown): value is Literal {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The property that one side of a comparison means: `["get", "x"]`, or `"x"` in the older form. */
function propertyOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return undefined
  const [op, inner] = value
  if (op === 'get' && typeof inner === 'string') return inner
  return op === 'to-number' || op === 'to-string' ? propertyOf(inner) : undefined
}

function isGeometryType(value: unknown): boolean {
  return value === '$type' || (Array.isArray(value) && value[0] === 'geometry-type')
}

function comparison([word, left, right]: unknown[]): Condition | undefined {
  const op = comparisons.find((one) => one === word)
  if (op === undefined || !isLiteral(right)) return undefined
  if (isGeometryType(left)) {
    const value = dimensions.indexOf(String(right).replace('Multi', ''))
    if (value < 0 || (op !== '==' && op !== '!=')) return undefined
    const condition: Condition = { op: 'dimension', value: value as 0 | 1 | 2 }
    return op === '==' ? condition : { op: 'not', condition }
  }
  const property = propertyOf(left)
  return property === undefined ? undefined : { op, property, value: right }
}

function membership([word, left, ...rest]: unknown[]): Condition | undefined {
  const property = propertyOf(left)
  const [list] = rest
  const values = Array.isArray(list) && list[0] === 'literal' && Array.isArray(list[1]) ? list[1] : rest
  if (property === undefined || !values.every(isLiteral)) return undefined
  const any: Condition = {
    op: 'any',
    conditions: values.map((value: Literal) => ({ op: '==', property, value })),
  }
  return word === 'in' ? any : { op: 'not', condition: any }
}

function group(word: string, parts: unknown[]): Condition | undefined {
  const conditions = parts.map(readFilter)
  if (conditions.some((one) => one === undefined)) return undefined
  const known = conditions.filter((one) => one !== undefined)
  if (word === 'none') return { op: 'not', condition: { op: 'any', conditions: known } }
  return { op: word === 'all' ? 'all' : 'any', conditions: known }
}

/** A MapLibre filter in either of its forms; undefined for what has no counterpart. */
export function readFilter(filter: unknown): Condition | undefined {
  if (!Array.isArray(filter)) return undefined
  const [word, ...rest] = filter
  if (word === 'all' || word === 'any' || word === 'none') return group(word, rest)
  if (word === '!') {
    const condition = readFilter(rest[0])
    return condition === undefined ? undefined : { op: 'not', condition }
  }
  if (word === 'in' || word === '!in') return membership(filter)
  const property = propertyOf(rest[0])
  if (word === '!has' && property !== undefined) return { op: 'null', property }
  if (word === 'has' && property !== undefined) {
    return { op: 'not', condition: { op: 'null', property } }
  }
  return comparison(filter)
}

export function writeFilter(condition: Condition): unknown[] {
  switch (condition.op) {
    case 'all':
    case 'any':
      return [condition.op, ...condition.conditions.map(writeFilter)]
    case 'not':
      return ['!', writeFilter(condition.condition)]
    case 'null':
      return ['==', ['get', condition.property], null]
    case 'dimension':
      return ['==', ['geometry-type'], dimensions[condition.value]]
    default:
      return [condition.op, ['get', condition.property], condition.value]
  }
}
