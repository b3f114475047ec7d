import type { ArithmeticOperator, NumberFunction, NumberType } from './calculate.ts'
import type { FilterComparison, SpatialRelation } from './expression.ts'

/** A number: of an attribute, in the digits that it was written with, of the characters of a text, or calculated. */
export type NumberOperand =
  | { attribute: string }
  | { digits: string }
  | { lengthOf: TextOperand }
  | Calculation

/** An operator or a function of numbers. Integer calculations have integer operands; those of doubles are `real`. */
export interface Calculation {
  calculate: ArithmeticOperator | NumberFunction
  of: NumberOperand[]
  type: NumberType
}

/** Modifications of a text: `case` to lower case, `upper` to upper case, `accents` without accents. */
export type TextFolding = 'case' | 'upper' | 'accents'

/** A text, unchanged or modified. */
export type TextOperand = { attribute: string } | { text: string } | { folded: TextFolding; of: TextOperand }

/** The attribute whose number, absolute or rounded value this is. */
export function attributeOfNumber(side: NumberOperand): string | undefined {
  if ('attribute' in side) return side.attribute
  const [of] = 'of' in side && (side.calculate === 'abs' || side.calculate === 'round') ? side.of : []
  return of && attributeOfNumber(of)
}

/** A moment: start or end of an attribute value (a date is its whole day in UTC), or a literal. */
export type Moment =
  | { attribute: string; edge: 'begin' | 'end' }
  /** Microseconds since 1970-01-01T00:00:00Z. */
  | { micros: bigint }

/** Filters joined by AND (`all`; of nothing: true) or OR (`any`; of nothing: false). */
export interface Junction<Leaf> {
  kind: 'all' | 'any'
  of: Logic<Leaf>[]
}

/** A negated filter. */
export interface Negation<Leaf> {
  kind: 'not'
  of: Logic<Leaf>
}

/** A filter that all features meet, or none. */
export interface Constant {
  kind: 'constant'
  is: boolean
}

/** Predicates joined by AND, OR and NOT. */
export type Logic<Leaf> = Junction<Leaf> | Negation<Leaf> | Constant | Leaf

/**
 * An expression resolved for the schema of a layer: every attribute exists and has a type comparable with the
 * other side. As in SQL, a comparison with null is neither true nor false. Plain data: it is passed between
 * threads.
 */
export type Filter = Logic<Predicate>

/** A condition of one row. */
export type Predicate =
  /** An attribute, or the geometry if none is named, is null. */
  | { kind: 'empty'; attribute?: string }
  /** A calculation has no result. */
  | { kind: 'noResult'; of: Calculation }
  /** An attribute of type boolean is true. */
  | { kind: 'true'; attribute: string }
  | { kind: 'numbers'; op: FilterComparison; left: NumberOperand; right: NumberOperand }
  | { kind: 'texts'; op: FilterComparison; left: TextOperand; right: TextOperand }
  | { kind: 'moments'; op: FilterComparison; left: Moment; right: Moment }
  /** `%` matches any characters, `_` one; `\` before one of them makes it literal. */
  | { kind: 'like'; of: TextOperand; pattern: TextOperand }
  /**
   * The geometry of the row related to a literal, as WKB in the CRS of the filter; `isRowFirst`: in this
   * order. `turn`: distance in x after which locations repeat, if the row is moved and cut to one turn around
   * the literal.
   */
  | { kind: 'relation'; relation: SpatialRelation; wkb: Uint8Array; isRowFirst: boolean; turn?: number }
  /** The geometry of the row is within a distance from a literal geometry. */
  | { kind: 'near'; wkb: Uint8Array; reach: FilterReach }

/** Unit of the distance of a filter: as written, or in units of coordinates multiplied by `scale`. */
export interface FilterReach {
  distance: number
  unit: 'metre' | 'degree' | 'scaled'
  scale: [x: number, y: number]
}

/** Joins filters with AND; returns a single filter unchanged. */
export function allOf(of: Filter[]): Filter {
  return of.length === 1 ? (of[0] as Filter) : { kind: 'all', of }
}

/** Joins filters with OR; returns a single filter unchanged. */
export function anyOf(of: Filter[]): Filter {
  return of.length === 1 ? (of[0] as Filter) : { kind: 'any', of }
}

/** Negates a filter. */
export function notOf(of: Filter): Filter {
  return { kind: 'not', of }
}

/** Returns a text that is equal for filters with the same structure. */
export function filterKey(filter: Filter | undefined): string {
  if (filter === undefined) return ''
  return JSON.stringify(filter, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
  })
}

/** A filter, or a part of one, with other names for its attributes. */
export function inColumns<Part extends object>(part: Part, nameOf: (attribute: string) => string): Part {
  const renamed = (key: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => renamed('', one))
    if (key === 'attribute' && typeof value === 'string') return nameOf(value)
    const isPart = typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    return isPart ? inColumns(value, nameOf) : value
  }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, renamed(key, value)])) as Part
}
