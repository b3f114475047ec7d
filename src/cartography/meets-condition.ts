import type { Dimension, Literal, StyleAttribute, StyleComparison, StyleCondition } from './model.ts'

/** A rectangle: its least coordinates, then its largest. */
type Box = [minX: number, minY: number, maxX: number, maxY: number]

/** A feature as input of rules. */
export interface DrawnFeature {
  dimension: Dimension
  /** An attribute as tiles and JSON give it; null or undefined where there is none. */
  get(property: string): unknown
  id?: string
  /** The envelope of the geometry in a CRS, or in the layer's own; absent: every box is met. */
  boxIn?(srs: string | undefined): Box | undefined
}

/** True if a rule with this condition draws a feature. */
export function meetsCondition(condition: StyleCondition, feature: DrawnFeature): boolean {
  switch (condition.op) {
    case 'all':
      return condition.conditions.every((one) => meetsCondition(one, feature))
    case 'any':
      return condition.conditions.some((one) => meetsCondition(one, feature))
    case 'not':
      return !meetsCondition(condition.condition, feature)
    case 'null':
      return feature.get(condition.property) == null
    case 'dimension':
      return feature.dimension === condition.value
    case 'id':
      return feature.id !== undefined && condition.ids.includes(feature.id)
    case 'bbox':
      return meetsBox(condition.box, feature.boxIn?.(condition.srs))
    case 'like':
      return isLike(feature.get(condition.property), condition.pattern, condition.ignoresCase === true)
    default: {
      const { op, property, value, ignoresCase = false } = condition
      return compares(op, feature.get(property), otherSide(value, feature), ignoresCase)
    }
  }
}

function otherSide(value: Literal | StyleAttribute, feature: DrawnFeature): unknown {
  return typeof value === 'object' ? feature.get(value.property) : value
}

function meetsBox([minX, minY, maxX, maxY]: Box, box: Box | undefined): boolean {
  if (box === undefined) return true
  return box[0] <= maxX && box[2] >= minX && box[1] <= maxY && box[3] >= minY
}

/** True if the comparison holds for two values; false for null. */
function compares(op: StyleComparison, left: unknown, right: unknown, ignoresCase: boolean): boolean {
  if (left == null || right == null) return false
  const order = orderOf(left, right, ignoresCase)
  if (order === undefined) return op === '!='
  if (op === '==') return order === 0
  if (op === '!=') return order !== 0
  if (op === '<') return order < 0
  if (op === '<=') return order <= 0
  return op === '>' ? order > 0 : order >= 0
}

/**
 * Negative if the left value comes first, 0 if both are equal; undefined for a number and a non-numeric text.
 */
function orderOf(left: unknown, right: unknown, ignoresCase: boolean): number | undefined {
  if (isNumeric(left) || isNumeric(right)) {
    const difference = conditionNumber(left) - conditionNumber(right)
    return Number.isNaN(difference) ? undefined : difference
  }
  const [a, b] = ignoresCase
    ? [String(left).toLowerCase(), String(right).toLowerCase()]
    : [String(left), String(right)]
  if (a === b) return 0
  return a < b ? -1 : 1
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** A number, or the number that a text is; NaN for others. */
export function conditionNumber(value: unknown): number {
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value)
  return isNumeric(value) ? Number(value) : Number.NaN
}

/** A part of a pattern: a literal text, or a wildcard for one or many characters. */
export type PatternPiece = { text: string } | { wild: 'one' | 'many' }

/** The pieces of a pattern with `%`, `_` and backslashes. */
export function patternPieces(pattern: string): PatternPiece[] {
  const pieces: PatternPiece[] = []
  let isPlain = false
  for (const char of pattern) {
    if (isPlain || !/[%_\\]/.test(char)) pieces.push({ text: char })
    else if (char !== '\\') pieces.push({ wild: char === '%' ? 'many' : 'one' })
    isPlain = !isPlain && char === '\\'
  }
  return pieces
}

/** In time that grows by the product of both lengths at most, whatever the pattern. */
function isLike(value: unknown, pattern: string, ignoresCase: boolean): boolean {
  if (value == null) return false
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text)
  const chars = [...fold(String(value))]
  const pieces = patternPieces(fold(pattern))
  let [at, piece] = [0, 0]
  let [star, starAt] = [-1, 0]
  while (at < chars.length) {
    const wanted = pieces[piece]
    if (wanted !== undefined && 'wild' in wanted && wanted.wild === 'many') {
      ;[star, starAt] = [piece, at]
      piece += 1
    } else if (wanted !== undefined && ('wild' in wanted || wanted.text === chars[at])) {
      at += 1
      piece += 1
    } else if (star >= 0) {
      starAt += 1
      ;[at, piece] = [starAt, star + 1]
    } else return false
  }
  return pieces.slice(piece).every((one) => 'wild' in one && one.wild === 'many')
}
