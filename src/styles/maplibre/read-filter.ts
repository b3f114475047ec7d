import type { Expression, FilterComparison } from '../../filters/expression.ts'
import { conjunction, disjunction } from '../../filters/expression.ts'
import { escapePattern } from '../../filters/texts.ts'
import { comparison, hasDimension, isNull, likeness, negation } from '../condition.ts'
import type { Dimension, Literal } from '../model.ts'

const dimensions = ['Point', 'LineString', 'Polygon']
const maxDepth = 100
const signs = new Map<unknown, FilterComparison>([
  ['==', '='],
  ['!=', '<>'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])

/** One side of a comparison. */
type Side =
  | { kind: 'literal'; value: Literal | null }
  | { kind: 'attribute'; property: string; isLower?: true }
  | { kind: 'type' }
  | { kind: 'id' }

export function isLiteral(value: unknown): value is Literal {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Returns the attribute of `["get", "x"]`, including inside a type conversion. */
export function attributeOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const [op, inner] = value
  if (op === 'get') return typeof inner === 'string' && value.length === 2 ? inner : undefined
  return ['to-number', 'to-string', 'number', 'string'].includes(op) && value.length === 2
    ? attributeOf(inner)
    : undefined
}

/** In the older form of filters the left side is a name; in expressions it is a text. */
function sideOf(value: unknown, isOld: boolean): Side | undefined {
  if (value === null) return { kind: 'literal', value }
  if (isOld && typeof value === 'string') {
    if (value === '$type') return { kind: 'type' }
    return value === '$id' ? { kind: 'id' } : { kind: 'attribute', property: value }
  }
  if (isLiteral(value)) return { kind: 'literal', value }
  if (!Array.isArray(value)) return undefined
  const [op, inner] = value
  if (op === 'geometry-type') return { kind: 'type' }
  if (op === 'id') return { kind: 'id' }
  if (op === 'literal' && isLiteral(inner)) return { kind: 'literal', value: inner }
  const lower = op === 'downcase' ? attributeOf(inner) : undefined
  if (lower !== undefined) return { kind: 'attribute', property: lower, isLower: true }
  const property = attributeOf(value)
  return property === undefined ? undefined : { kind: 'attribute', property }
}

/** Reads a MapLibre filter in either of its forms; undefined if it has no counterpart. */
export function readMapLibreFilter(filter: unknown, depth = 0): Expression | undefined {
  if (typeof filter === 'boolean') return { kind: 'boolean', value: filter }
  if (!Array.isArray(filter) || depth > maxDepth) return undefined
  const [word, ...rest] = filter
  switch (word) {
    case 'all':
    case 'any':
    case 'none':
      return readGroup(word, rest, depth)
    case '!': {
      const condition = readMapLibreFilter(rest[0], depth + 1)
      return condition && negation(condition)
    }
    case 'literal':
      return typeof rest[0] === 'boolean' ? readMapLibreFilter(rest[0]) : undefined
    case 'in':
    case '!in':
      return readMembership(filter)
    case 'match':
      return readMatch(rest)
    case 'has':
      return typeof rest[0] === 'string' ? negation(isNull(rest[0])) : undefined
    case '!has':
      return typeof rest[0] === 'string' ? isNull(rest[0]) : undefined
    default:
      return readSlice(filter) ?? readComparison(filter)
  }
}

function readGroup(word: 'all' | 'any' | 'none', parts: unknown[], depth: number): Expression | undefined {
  if (word === 'all' && parts.length === 2) {
    const guarded = readGuarded(parts)
    if (guarded !== undefined) return guarded
  }
  const conditions = parts.map((part) => readMapLibreFilter(part, depth + 1))
  const known = conditions.filter((one) => one !== undefined)
  if (known.length < conditions.length) return undefined
  if (word === 'none') return negation(disjunction(known))
  return word === 'all' ? conjunction(known) : disjunction(known)
}

/**
 * Reads a comparison guarded by a check of its attribute's type, without which MapLibre fails for other
 * types.
 */
function readGuarded([guard, compared]: unknown[]): Expression | undefined {
  if (!Array.isArray(guard) || !Array.isArray(compared)) return undefined
  const [word, left, right] = guard
  const isType = word === '==' && Array.isArray(left) && left[0] === 'typeof' && typeof right === 'string'
  const isKnown = word === '!=' && right === null && compared[0] === '!='
  const property = attributeOf(isType ? left[1] : left)
  if ((!isType && !isKnown) || property === undefined || attributeOf(compared[1]) !== property)
    return undefined
  const [op, , value] = compared
  const known = signs.get(op)
  return known === undefined || !isLiteral(value) ? undefined : comparison(known, property, value)
}

function readComparison([word, first, second]: unknown[]): Expression | undefined {
  const op = signs.get(word)
  if (op === undefined) return undefined
  const [left, right] = [sideOf(first, true), sideOf(second, false)]
  if (left === undefined || right === undefined) return undefined
  if (left.kind === 'attribute' && right.kind === 'attribute') return comparison(op, left.property, right)
  if (right.kind !== 'literal') return undefined
  const { value } = right
  if (left.kind === 'type') return typeIs(op, value)
  if (left.kind === 'id')
    return op === '=' && value !== null ? { kind: 'ids', ids: [String(value)] } : undefined
  if (left.kind !== 'attribute') return undefined
  const { property, isLower } = left
  const nothing = isNull(property)
  if (value === null) return op === '=' ? nothing : op === '<>' ? negation(nothing) : undefined
  const compared = comparison(op, property, value, isLower)
  return op === '<>' ? disjunction([nothing, compared]) : compared
}

function typeIs(op: string, value: unknown): Expression | undefined {
  const dimension = dimensions.indexOf(String(value).replace('Multi', ''))
  if (dimension < 0 || (op !== '=' && op !== '<>')) return undefined
  const condition = hasDimension(dimension as Dimension)
  return op === '=' ? condition : negation(condition)
}

function readMembership([word, left, ...rest]: unknown[]): Expression | undefined {
  const [list] = rest
  if (typeof left === 'string' && Array.isArray(list)) return readContained(left, list)
  const side = sideOf(left, true)
  const isList = Array.isArray(list) && list[0] === 'literal' && Array.isArray(list[1])
  const condition = oneOf(side, isList ? list[1] : rest)
  return condition === undefined || word === 'in' ? condition : negation(condition)
}

function oneOf(side: Side | undefined, values: unknown[]): Expression | undefined {
  if (side === undefined || !values.every(isLiteral)) return undefined
  if (side.kind === 'id') return { kind: 'ids', ids: values.map(String) }
  const conditions = values.map((value) =>
    side.kind === 'type'
      ? typeIs('=', value)
      : side.kind === 'attribute'
        ? comparison('=', side.property, value, side.isLower)
        : undefined,
  )
  const known = conditions.filter((one) => one !== undefined)
  return known.length < conditions.length ? undefined : disjunction(known)
}

/** Reads `match` with boolean results. */
function readMatch([input, ...cases]: unknown[]): Expression | undefined {
  const side = sideOf(input, false)
  const [labels, met, otherwise] = cases
  if (cases.length !== 3 || typeof met !== 'boolean' || otherwise !== !met) return undefined
  const condition = oneOf(side, Array.isArray(labels) ? labels : [labels])
  return condition === undefined || met ? condition : negation(condition)
}

/** Reads `["in", "text", ["get", "x"]]`: the attribute contains the text. */
function readContained(text: string, list: unknown[]): Expression | undefined {
  const side = sideOf(list, false)
  if (side?.kind !== 'attribute') return undefined
  return likeness(side.property, `%${escapePattern(text)}%`, side.isLower)
}

/** Reads a comparison of the beginning or the end of an attribute with a text of that length. */
function readSlice([word, first, text]: unknown[]): Expression | undefined {
  if (word !== '==' || !Array.isArray(first) || first[0] !== 'slice' || typeof text !== 'string')
    return undefined
  const [, input, from, to] = first
  const side = sideOf(input, false)
  if (side?.kind !== 'attribute') return undefined
  const { property, isLower } = side
  if (from === 0 && to === text.length) return likeness(property, `${escapePattern(text)}%`, isLower)
  return from === -text.length && to === undefined
    ? likeness(property, `%${escapePattern(text)}`, isLower)
    : undefined
}
