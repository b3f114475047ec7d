import type { OfRow } from '../filters/evaluate.ts'
import { compared, evaluator, matchLike } from '../filters/evaluate.ts'
import type { Expression } from '../filters/expression.ts'
import type { Logic } from '../filters/filter.ts'
import type { Box, StyleComparison, StyleCondition } from './condition.ts'
import { getCondition } from './condition.ts'
import type { Dimension } from './model.ts'

/** A feature as input of rules. */
export interface DrawnFeature {
  dimension: Dimension
  /** Returns the value of an attribute in tiles or JSON; null or undefined if there is none. */
  get(property: string): unknown
  id?: string
  /** Returns the envelope of the geometry in a CRS, or in that of the layer. Absent: every box matches. */
  boxIn?(srs: string | undefined): Box | undefined
}

type Of<Value> = OfRow<DrawnFeature, Value>

/** A condition of one feature. */
interface FeaturePredicate {
  kind: 'feature'
  condition: Exclude<StyleCondition, { op: 'all' | 'any' | 'not' }>
}

const evaluators = new WeakMap<Expression, Of<boolean>>()

/** True if a rule with this condition draws a feature. */
export function meetsCondition(condition: Expression, feature: DrawnFeature): boolean {
  let evaluate = evaluators.get(condition)
  if (evaluate === undefined) {
    evaluate = evaluator(logicOf(condition), predicate)
    evaluators.set(condition, evaluate)
  }
  return evaluate(feature, 0) === true
}

function logicOf(expression: Expression): Logic<FeaturePredicate> {
  const condition = getCondition(expression)
  switch (condition.op) {
    case 'all':
    case 'any':
      return { kind: condition.op, of: condition.conditions.map(logicOf) }
    case 'not':
      return { kind: 'not', of: logicOf(condition.condition) }
    default:
      return { kind: 'feature', condition }
  }
}

/** Predicates of styles are never unknown: a comparison with null is false, unlike in requests and in SQL. */
function predicate({ condition }: FeaturePredicate): Of<boolean> {
  switch (condition.op) {
    case 'null':
      return (feature) => feature.get(condition.property) == null
    case 'dimension':
      return ({ dimension }) => dimension === condition.value
    case 'ids':
      return ({ id }) => id !== undefined && condition.ids.includes(id)
    case 'box':
      return (feature) => meetsBox(condition.box, feature.boxIn?.(condition.srs))
    case 'like': {
      const { pattern, ignoresCase } = condition
      const written = ignoresCase ? pattern.toLowerCase() : pattern
      const text: Of<string> = (feature) => textOf(feature.get(condition.property), ignoresCase)
      return settled(matchLike(text, () => written))
    }
    default:
      return settled(comparisonOf(condition))
  }
}

function settled(of: Of<boolean>): Of<boolean> {
  return (feature, row) => of(feature, row) === true
}

function comparisonOf({ op, property, value, ignoresCase }: StyleComparison): Of<boolean> {
  const left: Of<unknown> = (feature) => feature.get(property) ?? undefined
  const right: Of<unknown> =
    typeof value === 'object' ? (feature) => feature.get(value.property) ?? undefined : () => value
  return compared(op, left, right, (a, b) => orderOfValues(a, b, ignoresCase))
}

function meetsBox([minX, minY, maxX, maxY]: Box, box: Box | undefined): boolean {
  if (box === undefined) return true
  return box[0] <= maxX && box[2] >= minX && box[1] <= maxY && box[3] >= minY
}

function textOf(value: unknown, ignoresCase: boolean): string | undefined {
  if (value == null) return undefined
  return ignoresCase ? String(value).toLowerCase() : String(value)
}

/**
 * Returns the order of two values of any type, since a style knows no schema: negative if the left value comes
 * first, 0 if both are equal, NaN for a number and a non-numeric text.
 */
export function orderOfValues(left: unknown, right: unknown, ignoresCase = false): number {
  if (isNumeric(left) || isNumeric(right)) return conditionNumber(left) - conditionNumber(right)
  const [a = '', b = ''] = [textOf(left, ignoresCase), textOf(right, ignoresCase)]
  if (a === b) return 0
  return a < b ? -1 : 1
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Returns a number, or the number in a text; otherwise NaN. */
export function conditionNumber(value: unknown): number {
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value)
  return isNumeric(value) ? Number(value) : Number.NaN
}
