import type { AttributeType } from '../../geo/schema.ts'
import type { UniqueKey } from '../../stores/index.ts'
import type { ComparableColumn } from './comparable-columns.ts'
import { keyLikeness } from './key-names.ts'

/** Columns that may identify rows, with the evidence available before any row is read. */
export interface KeyCandidate {
  columns: ComparableColumn[]
  /** Constraint that makes the columns unique in the table: its primary key, or a unique index. */
  rule?: 'primary key' | 'unique index'
}

const plainTypes: readonly AttributeType[] = ['int16', 'int32', 'int64', 'text', 'decimal']

/**
 * Returns the rank of a candidate before any row is read: a smaller rank is more likely. Candidates of equal
 * rank retain the column order.
 */
function placeOf({ columns, rule }: KeyCandidate): number {
  const likeness = Math.min(...columns.map(({ name }) => keyLikeness(name)))
  const isPlain = columns.every(({ type }) => plainTypes.includes(type))
  const isIdentity = columns.length === 1 && columns[0]?.isIdentity === true
  const ruled = rule === 'primary key' || isIdentity ? 0 : rule === 'unique index' ? 1 : 2
  return ruled * 100 + (2 - likeness) * 10 + (isPlain ? 0 : 5) + columns.length
}

/** Sorts candidates, most likely first. */
function rankCandidates(candidates: readonly KeyCandidate[]): KeyCandidate[] {
  return [...candidates].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Returns each single column, and the column sets of constraints of the table. */
export function singleCandidates(
  columns: readonly ComparableColumn[],
  rules: readonly UniqueKey[],
): KeyCandidate[] {
  const together = rules.flatMap(({ columns: names }): KeyCandidate[] => {
    const found = names.flatMap((name) => columns.find((one) => one.name === name) ?? [])
    return names.length > 1 && found.length === names.length ? [withRule(found, rules)] : []
  })
  return rankCandidates([...columns.map((column) => withRule([column], rules)), ...together])
}

/** Returns all pairs of the most likely columns. */
export function pairCandidates(columns: readonly ComparableColumn[]): KeyCandidate[] {
  const pairs = columns.flatMap((first, at) =>
    columns.slice(at + 1).map((second): KeyCandidate => ({ columns: [first, second] })),
  )
  return rankCandidates(pairs)
}

function withRule(columns: ComparableColumn[], rules: readonly UniqueKey[]): KeyCandidate {
  const own = rules.filter(
    (rule) =>
      rule.columns.length === columns.length && columns.every(({ name }) => rule.columns.includes(name)),
  )
  if (own.length === 0) return { columns }
  return { columns, rule: own.some(({ isPrimary }) => isPrimary) ? 'primary key' : 'unique index' }
}
