import type { Dimension, Literal, StyleCondition } from '../model.ts'
import { comparisons } from '../model.ts'

const dimensions = ['Point', 'LineString', 'Polygon']
const maxDepth = 100

/** One side of a comparison. */
type Side =
  | { kind: 'literal'; value: Literal | null }
  | { kind: 'attribute'; property: string; isLower?: true }
  | { kind: 'type' }
  | { kind: 'id' }

export function isLiteral(value: unknown): value is Literal {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The attribute of `["get", "x"]`, also where its type is changed. */
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

function not(condition: StyleCondition): StyleCondition {
  return { op: 'not', condition }
}

/** A MapLibre filter in either of its forms; undefined for what has no counterpart. */
export function readMapLibreFilter(filter: unknown, depth = 0): StyleCondition | undefined {
  if (typeof filter === 'boolean') return { op: filter ? 'all' : 'any', conditions: [] }
  if (!Array.isArray(filter) || depth > maxDepth) return undefined
  const [word, ...rest] = filter
  switch (word) {
    case 'all':
    case 'any':
    case 'none':
      return readGroup(word, rest, depth)
    case '!': {
      const condition = readMapLibreFilter(rest[0], depth + 1)
      return condition === undefined ? undefined : not(condition)
    }
    case 'literal':
      return typeof rest[0] === 'boolean' ? readMapLibreFilter(rest[0]) : undefined
    case 'in':
    case '!in':
      return readMembership(filter)
    case 'match':
      return readMatch(rest)
    case 'has':
      return typeof rest[0] === 'string' ? not({ op: 'null', property: rest[0] }) : undefined
    case '!has':
      return typeof rest[0] === 'string' ? { op: 'null', property: rest[0] } : undefined
    default:
      return readSlice(filter) ?? readComparison(filter)
  }
}

function readGroup(
  word: 'all' | 'any' | 'none',
  parts: unknown[],
  depth: number,
): StyleCondition | undefined {
  if (word === 'all' && parts.length === 2) {
    const guarded = readGuarded(parts)
    if (guarded !== undefined) return guarded
  }
  const conditions = parts.map((part) => readMapLibreFilter(part, depth + 1))
  const known = conditions.filter((one) => one !== undefined)
  if (known.length < conditions.length) return undefined
  if (word === 'none') return not({ op: 'any', conditions: known })
  return { op: word, conditions: known }
}

/**
 * Reads a comparison guarded by a check of its attribute's type, without which MapLibre fails for other
 * types.
 */
function readGuarded([guard, compared]: unknown[]): StyleCondition | undefined {
  if (!Array.isArray(guard) || !Array.isArray(compared)) return undefined
  const [word, left, right] = guard
  const isType = word === '==' && Array.isArray(left) && left[0] === 'typeof' && typeof right === 'string'
  const isKnown = word === '!=' && right === null && compared[0] === '!='
  const property = attributeOf(isType ? left[1] : left)
  if ((!isType && !isKnown) || property === undefined || attributeOf(compared[1]) !== property)
    return undefined
  const [op, , value] = compared
  const known = comparisons.find((one) => one === op)
  return known === undefined || !isLiteral(value) ? undefined : { op: known, property, value }
}

function readComparison([word, first, second]: unknown[]): StyleCondition | undefined {
  const op = comparisons.find((one) => one === word)
  if (op === undefined) return undefined
  const [left, right] = [sideOf(first, true), sideOf(second, false)]
  if (left === undefined || right === undefined) return undefined
  if (left.kind === 'attribute' && right.kind === 'attribute')
    return { op, property: left.property, value: { property: right.property } }
  if (right.kind !== 'literal') return undefined
  const { value } = right
  if (left.kind === 'type') return typeIs(op, value)
  if (left.kind === 'id')
    return op === '==' && value !== null ? { op: 'id', ids: [String(value)] } : undefined
  if (left.kind !== 'attribute') return undefined
  const { property, isLower } = left
  const isNull: StyleCondition = { op: 'null', property }
  if (value === null) return op === '==' ? isNull : op === '!=' ? not(isNull) : undefined
  const compared: StyleCondition = { op, property, value, ...(isLower === true ? { ignoresCase: true } : {}) }
  return op === '!=' ? { op: 'any', conditions: [isNull, compared] } : compared
}

function typeIs(op: string, value: unknown): StyleCondition | undefined {
  const dimension = dimensions.indexOf(String(value).replace('Multi', ''))
  if (dimension < 0 || (op !== '==' && op !== '!=')) return undefined
  const condition: StyleCondition = { op: 'dimension', value: dimension as Dimension }
  return op === '==' ? condition : not(condition)
}

function readMembership([word, left, ...rest]: unknown[]): StyleCondition | undefined {
  const [list] = rest
  if (typeof left === 'string' && Array.isArray(list)) return readContained(left, list)
  const side = sideOf(left, true)
  const isList = Array.isArray(list) && list[0] === 'literal' && Array.isArray(list[1])
  const condition = oneOf(side, isList ? list[1] : rest)
  return condition === undefined || word === 'in' ? condition : not(condition)
}

function oneOf(side: Side | undefined, values: unknown[]): StyleCondition | undefined {
  if (side === undefined || !values.every(isLiteral)) return undefined
  if (side.kind === 'id') return { op: 'id', ids: values.map(String) }
  const conditions = values.map((value): StyleCondition | undefined =>
    side.kind === 'type'
      ? typeIs('==', value)
      : side.kind === 'attribute'
        ? {
            op: '==',
            property: side.property,
            value,
            ...(side.isLower === true ? { ignoresCase: true } : {}),
          }
        : undefined,
  )
  const known = conditions.filter((one) => one !== undefined)
  return known.length < conditions.length ? undefined : { op: 'any', conditions: known }
}

/** `match` with truths as results. */
function readMatch([input, ...cases]: unknown[]): StyleCondition | undefined {
  const side = sideOf(input, false)
  const [labels, met, otherwise] = cases
  if (cases.length !== 3 || typeof met !== 'boolean' || otherwise !== !met) return undefined
  const condition = oneOf(side, Array.isArray(labels) ? labels : [labels])
  return condition === undefined || met ? condition : not(condition)
}

function escaped(text: string): string {
  return text.replace(/[%_\\]/g, '\\$&')
}

/** `["in", "text", ["get", "x"]]`: the text is somewhere in the attribute. */
function readContained(text: string, list: unknown[]): StyleCondition | undefined {
  const side = sideOf(list, false)
  if (side?.kind !== 'attribute') return undefined
  return likeOf(side, `%${escaped(text)}%`)
}

function likeOf(
  { property, isLower }: Extract<Side, { kind: 'attribute' }>,
  pattern: string,
): StyleCondition {
  return { op: 'like', property, pattern, ...(isLower === true ? { ignoresCase: true } : {}) }
}

/** Reads a comparison of the beginning or the end of an attribute with a text of that length. */
function readSlice([word, first, text]: unknown[]): StyleCondition | undefined {
  if (word !== '==' || !Array.isArray(first) || first[0] !== 'slice' || typeof text !== 'string')
    return undefined
  const [, input, from, to] = first
  const side = sideOf(input, false)
  if (side?.kind !== 'attribute') return undefined
  if (from === 0 && to === text.length) return likeOf(side, `${escaped(text)}%`)
  return from === -text.length && to === undefined ? likeOf(side, `%${escaped(text)}`) : undefined
}
