import type { Comparison, SpatialRelation } from './expression.ts'

/** A number: of an attribute, in the digits that it was written with, or of the characters of a text. */
type PlainNumber = { attribute: string } | { digits: string } | { lengthOf: TextOperand }

/** A number, or what functions make of one: they are applied in this order, whichever way they were written. */
export type NumberOperand = PlainNumber | { of: PlainNumber; isAbsolute: boolean; isRounded: boolean }

/** How a text is changed: `case` to small letters, `upper` to capital letters, `accents` without accents. */
export type TextFolding = 'case' | 'upper' | 'accents'

/** A text, as it is or changed. */
export type TextOperand = { attribute: string } | { text: string } | { folded: TextFolding; of: TextOperand }

/** The attribute that a number is of; undefined where it is of none, or the length of a text. */
export function attributeOfNumber(side: NumberOperand): string | undefined {
  if ('of' in side) return attributeOfNumber(side.of)
  return 'attribute' in side ? side.attribute : undefined
}

/** A moment: where what an attribute names begins or ends (a date is its whole day in UTC), or one that was written. */
export type Moment =
  | { attribute: string; edge: 'begin' | 'end' }
  /** Microseconds since 1970-01-01T00:00:00Z. */
  | { micros: bigint }

/**
 * What a filter asks of a row: every attribute is there and of a type that can be compared with what it stands beside.
 * As in SQL what is compared with an empty value is neither true nor false. Plain data: it crosses threads.
 */
export type Filter =
  | { kind: 'all' | 'any'; of: Filter[] }
  | { kind: 'not'; of: Filter }
  | { kind: 'constant'; is: boolean }
  /** An attribute, or the geometry where none is named, is empty. */
  | { kind: 'empty'; attribute?: string }
  /** An attribute of type boolean is true. */
  | { kind: 'true'; attribute: string }
  | { kind: 'numbers'; op: Comparison; left: NumberOperand; right: NumberOperand }
  | { kind: 'texts'; op: Comparison; left: TextOperand; right: TextOperand }
  | { kind: 'moments'; op: Comparison; left: Moment; right: Moment }
  /** `%` stands for any characters, `_` for one, `\` before one of them for itself. */
  | { kind: 'like'; of: TextOperand; pattern: TextOperand }
  /** The geometry of the row beside one that was written, as WKB in the CRS of the filter; `isRowFirst`: in this order. */
  | { kind: 'relation'; relation: SpatialRelation; wkb: Uint8Array; isRowFirst: boolean }
  /** The geometry of the row lies no further from one that was written than a distance. */
  | { kind: 'near'; wkb: Uint8Array; reach: FilterReach }

/** What the distance of a filter is measured in: as it was written, or as coordinates that are multiplied by `scale` are. */
export interface FilterReach {
  distance: number
  unit: 'metre' | 'degree' | 'scaled'
  scale: [x: number, y: number]
}

/** All of some filters; itself where it is one. */
export function allOf(of: Filter[]): Filter {
  return of.length === 1 ? (of[0] as Filter) : { kind: 'all', of }
}

/** Any of some filters; itself where it is one. */
export function anyOf(of: Filter[]): Filter {
  return of.length === 1 ? (of[0] as Filter) : { kind: 'any', of }
}

/** What a filter does not let through, where it lets through what `of` does. */
export function notOf(of: Filter): Filter {
  return { kind: 'not', of }
}

/** A text that is the same for filters that ask the same in the same way. */
export function filterKey(filter: Filter | undefined): string {
  if (filter === undefined) return ''
  return JSON.stringify(filter, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
  })
}

/** The filter with other names for its attributes. */
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
