import type { Comparison, SpatialRelation } from './expression.ts'

/** A number: of an attribute, a literal with its original digits, or the length of a text. */
type PlainNumber = { attribute: string } | { digits: string } | { lengthOf: TextOperand }

/** A number, or the result of functions on it, which are applied in this order however they were written. */
export type NumberOperand = PlainNumber | { of: PlainNumber; isAbsolute: boolean; isRounded: boolean }

/** Modifications of a text: `case` to lower case, `upper` to upper case, `accents` without accents. */
export type TextFolding = 'case' | 'upper' | 'accents'

/** A text, unchanged or modified. */
export type TextOperand = { attribute: string } | { text: string } | { folded: TextFolding; of: TextOperand }

/** Returns the attribute of a number; undefined for a literal or the length of a text. */
export function attributeOfNumber(side: NumberOperand): string | undefined {
  if ('of' in side) return attributeOfNumber(side.of)
  return 'attribute' in side ? side.attribute : undefined
}

/** A moment: start or end of an attribute value (a date is its whole day in UTC), or a literal. */
export type Moment =
  | { attribute: string; edge: 'begin' | 'end' }
  /** Microseconds since 1970-01-01T00:00:00Z. */
  | { micros: bigint }

/**
 * A resolved filter: every attribute exists and has a type comparable with the other side. As in SQL, a
 * comparison with null is neither true nor false. Plain data: it is passed between threads.
 */
export type Filter =
  | { kind: 'all' | 'any'; of: Filter[] }
  | { kind: 'not'; of: Filter }
  | { kind: 'constant'; is: boolean }
  /** An attribute, or the geometry if none is named, is null. */
  | { kind: 'empty'; attribute?: string }
  /** An attribute of type boolean is true. */
  | { kind: 'true'; attribute: string }
  | { kind: 'numbers'; op: Comparison; left: NumberOperand; right: NumberOperand }
  | { kind: 'texts'; op: Comparison; left: TextOperand; right: TextOperand }
  | { kind: 'moments'; op: Comparison; left: Moment; right: Moment }
  /** `%` matches any characters, `_` one; `\` before one of them makes it literal. */
  | { kind: 'like'; of: TextOperand; pattern: TextOperand }
  /**
   * The geometry of the row related to a literal, as WKB in the CRS of the filter; `isRowFirst`: in this
   * order.
   */
  | { kind: 'relation'; relation: SpatialRelation; wkb: Uint8Array; isRowFirst: boolean }
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

/** Returns the filter with other attribute names. */
export function inColumns(filter: Filter, nameOf: (attribute: string) => string): Filter {
  const named = <Side extends object>(side: Side): Side =>
    'attribute' in side && typeof side.attribute === 'string'
      ? { ...side, attribute: nameOf(side.attribute) }
      : 'of' in side
        ? { ...side, of: named(side.of as object) }
        : 'lengthOf' in side
          ? { ...side, lengthOf: named(side.lengthOf as object) }
          : side
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { ...filter, of: filter.of.map((one) => inColumns(one, nameOf)) }
    case 'not':
      return { ...filter, of: inColumns(filter.of, nameOf) }
    case 'numbers':
      return { ...filter, left: named(filter.left), right: named(filter.right) }
    case 'texts':
      return { ...filter, left: named(filter.left), right: named(filter.right) }
    case 'moments':
      return { ...filter, left: named(filter.left), right: named(filter.right) }
    case 'like':
      return { ...filter, of: named(filter.of), pattern: named(filter.pattern) }
    default:
      return named(filter)
  }
}
