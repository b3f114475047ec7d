import type { Expression, FilterComparison } from '../filters/expression.ts'
import { call, conjunction, disjunction, filterComparisons } from '../filters/expression.ts'
import type { Dimension, Literal, StyleAttribute } from './model.ts'

/** A rectangle: its minimum and then its maximum coordinates. */
export type Box = [minX: number, minY: number, maxX: number, maxY: number]

/**
 * The outermost part of an expression, in the forms that style languages have. Numbers and texts of numbers
 * are compared as numbers; a comparison with null is false.
 */
export type StyleCondition =
  | { op: 'all' | 'any'; conditions: Expression[] }
  | { op: 'not'; condition: Expression }
  | StyleComparison
  /** In `pattern`, `%` matches any text, `_` one character, and a backslash escapes the next character. */
  | { op: 'like'; property: string; pattern: string; ignoresCase: boolean }
  | { op: 'null'; property: string }
  | { op: 'ids'; ids: string[] }
  /** The geometry's envelope meets the box; coordinates x, y in `srs`, or in the layer's own where it is absent. */
  | { op: 'box'; box: Box; srs?: string }
  | { op: 'dimension'; value: Dimension }

/** A comparison of an attribute with a literal or with another attribute. */
export interface StyleComparison {
  op: FilterComparison
  property: string
  value: Literal | StyleAttribute
  ignoresCase: boolean
}

/** The conditions with one of these operators. */
export type ConditionOf<Op extends StyleCondition['op']> = Extract<StyleCondition, { op: Op }>

/** The comparison that is true with its sides exchanged. */
const exchanged: Record<FilterComparison, FilterComparison> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** Returns a literal as an expression. */
export function literal(value: Literal): Expression {
  if (typeof value === 'string') return { kind: 'text', value }
  return typeof value === 'boolean' ? { kind: 'boolean', value } : { kind: 'number', digits: String(value) }
}

/** Returns the reference to an attribute. */
export function attribute(name: string): Expression {
  return { kind: 'property', name }
}

/** Compares an attribute with a literal or with another attribute. */
export function comparison(
  op: FilterComparison,
  property: string,
  value: Literal | StyleAttribute,
  ignoresCase = false,
): Expression {
  const other = typeof value === 'object' ? attribute(value.property) : literal(value)
  return call(op, folded(attribute(property), ignoresCase), folded(other, ignoresCase))
}

/** Matches an attribute with a LIKE pattern. */
export function likeness(property: string, pattern: string, ignoresCase = false): Expression {
  return call('like', folded(attribute(property), ignoresCase), folded(literal(pattern), ignoresCase))
}

/** True if an attribute is null. */
export function isNull(property: string): Expression {
  return call('isNull', attribute(property))
}

/** Negates a condition. */
export function negation(condition: Expression): Expression {
  return call('not', condition)
}

/** True for features whose geometry has this dimension. */
export function hasDimension(value: Dimension): Expression {
  return call('=', call('dimension'), literal(value))
}

function folded(of: Expression, ignoresCase: boolean): Expression {
  return ignoresCase ? call('casei', of) : of
}

/** Returns the outermost part of a condition; throws for an expression that no style language has. */
export function getCondition(expression: Expression): StyleCondition {
  const condition = findCondition(expression)
  if (condition === undefined) throw new Error(`No condition of a style: ${expression.kind}`)
  return condition
}

/** Returns the outermost part of a condition; undefined for an expression that no style language has. */
export function findCondition(expression: Expression): StyleCondition | undefined {
  if (expression.kind === 'boolean') return { op: expression.value ? 'all' : 'any', conditions: [] }
  if (expression.kind === 'ids') return { op: 'ids', ids: expression.ids }
  if (expression.kind !== 'call') return undefined
  const { op, args } = expression
  if (op === 'and' || op === 'or') return { op: op === 'and' ? 'all' : 'any', conditions: args }
  const [left, right, more] = args
  if (left === undefined) return undefined
  if (op === 'not') return { op, condition: left }
  if (op === 'isNull') return left.kind === 'property' ? { op: 'null', property: left.name } : undefined
  if (right === undefined) return undefined
  if (op === 'between') return more && betweenOf(left, right, more)
  if (op === 's_intersects') return boxOf(left.kind === 'box' ? left : right)
  if (op === 'like') return likeOf(left, right)
  const sign = filterComparisons.find((one) => one === op)
  return sign === undefined ? undefined : comparisonOf(sign, left, right)
}

function betweenOf(value: Expression, least: Expression, most: Expression): StyleCondition | undefined {
  if (value.kind !== 'property' || literalValue(least) === undefined || literalValue(most) === undefined)
    return undefined
  return { op: 'all', conditions: [call('>=', value, least), call('<=', value, most)] }
}

function boxOf(written: Expression): StyleCondition | undefined {
  if (written.kind !== 'box') return undefined
  const { sides, srs } = written
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = sides
  return { op: 'box', box: [minX, minY, maxX, maxY], srs }
}

function likeOf(left: Expression, right: Expression): StyleCondition | undefined {
  const [of, pattern] = [unfolded(left), unfolded(right)]
  if (of.kind !== 'property' || pattern.kind !== 'text') return undefined
  return { op: 'like', property: of.name, pattern: pattern.value, ignoresCase: of !== left }
}

function comparisonOf(op: FilterComparison, left: Expression, right: Expression): StyleCondition | undefined {
  const [first, second] = [unfolded(left), unfolded(right)]
  const ignoresCase = first !== left
  const value = second.kind === 'property' ? { property: second.name } : literalValue(second)
  if (value === undefined) return undefined
  if (first.kind === 'property') return { op, property: first.name, value, ignoresCase }
  if (first.kind === 'call') return first.op === 'dimension' ? dimensionOf(op, value) : undefined
  const constant = literalValue(first)
  if (constant === undefined) return undefined
  if (typeof value === 'object')
    return { op: exchanged[op], property: value.property, value: constant, ignoresCase }
  if (op !== '=' && op !== '<>') return undefined
  return { op: (constant === value) === (op === '=') ? 'all' : 'any', conditions: [] }
}

function dimensionOf(op: FilterComparison, value: Literal | StyleAttribute): StyleCondition | undefined {
  if ((value !== 0 && value !== 1 && value !== 2) || (op !== '=' && op !== '<>')) return undefined
  return op === '=' ? { op: 'dimension', value } : { op: 'not', condition: hasDimension(value) }
}

function unfolded(of: Expression): Expression {
  const [inner] = of.kind === 'call' && of.op === 'casei' ? of.args : []
  return inner ?? of
}

function literalValue(of: Expression): Literal | undefined {
  if (of.kind === 'number') return Number(of.digits)
  return of.kind === 'text' || of.kind === 'boolean' ? of.value : undefined
}

/** Joins conditions with AND; returns a single condition unchanged. */
export function everyOf(conditions: Expression[]): Expression {
  const [only] = conditions
  return conditions.length === 1 && only !== undefined ? only : conjunction(conditions)
}

/** Joins conditions with OR; returns a single condition unchanged. */
export function someOf(conditions: Expression[]): Expression {
  const [only] = conditions
  return conditions.length === 1 && only !== undefined ? only : disjunction(conditions)
}
