/**
 * A filter as written: the tree that every notation (CQL2 text and JSON, ECQL, Filter Encoding, the filters of
 * style languages) is parsed to. `op` is the name in CQL2 JSON (OGC 21-065r2, Annex C): `and`, `=`, `like`,
 * `s_intersects`.
 */
export type Expression =
  /** `at` tells where a function or an arithmetic operator is written. */
  | { kind: 'call'; op: string; args: Expression[]; at?: string }
  | { kind: 'property'; name: string }
  /** A number with its original digits. */
  | { kind: 'number'; digits: string }
  | { kind: 'text'; value: string }
  | { kind: 'boolean'; value: boolean }
  /** RFC 3339 full-date. */
  | { kind: 'date'; text: string }
  /** RFC 3339 date-time. */
  | { kind: 'timestamp'; text: string }
  /** From one moment to another; `open` without an end. */
  | { kind: 'interval'; from: Expression; to: Expression }
  | { kind: 'open' }
  /** In the CRS that the request names for its filter. */
  | { kind: 'geometry'; wkb: Uint8Array }
  /** Four or six numbers, lower corner first; `srs`: the CRS, where it is not that of the filter. */
  | { kind: 'box'; sides: number[]; srs?: string }
  | { kind: 'list'; of: Expression[] }
  /** True for the features with one of these ids. */
  | { kind: 'ids'; ids: string[] }

/** Returns a call of an operator or a function. */
export function call(op: string, ...args: Expression[]): Expression {
  return { kind: 'call', op, args }
}

/** Joins conditions with AND; of none: true. */
export function conjunction(of: Expression[]): Expression {
  return of.length === 0 ? { kind: 'boolean', value: true } : { kind: 'call', op: 'and', args: of }
}

/** Joins conditions with OR; of none: false. */
export function disjunction(of: Expression[]): Expression {
  return of.length === 0 ? { kind: 'boolean', value: false } : { kind: 'call', op: 'or', args: of }
}

/** Maximum depth of a filter: each level is a nested function call. */
export const deepestFilter = 100
/** Operators that compare two values. */
export const filterComparisons = ['=', '<>', '<', '<=', '>', '>='] as const
/** An operator that compares two values. */
export type FilterComparison = (typeof filterComparisons)[number]

/** Relations of two geometries (OGC 06-103r4, section 6.1.15.3). */
export const spatialRelations = [
  's_intersects',
  's_disjoint',
  's_equals',
  's_touches',
  's_within',
  's_contains',
  's_overlaps',
  's_crosses',
] as const
/** A relation of two geometries. */
export type SpatialRelation = (typeof spatialRelations)[number]

/** True if two geometries are within a distance, given by a number and a text with its unit. */
export const withinDistance = 's_dwithin'

/** Relations of two moments or intervals (OGC 21-065r2, section 8.4). */
export const temporalRelations = [
  't_after',
  't_before',
  't_contains',
  't_disjoint',
  't_during',
  't_equals',
  't_finishedby',
  't_finishes',
  't_intersects',
  't_meets',
  't_metby',
  't_overlappedby',
  't_overlaps',
  't_startedby',
  't_starts',
] as const
/** A relation of two moments or intervals. */
export type TemporalRelation = (typeof temporalRelations)[number]
