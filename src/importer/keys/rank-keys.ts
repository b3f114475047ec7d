import type { AttributeType } from '../../geo/schema.ts'
import type { UniqueKey } from '../../stores/store.ts'
import type { ComparableColumn } from './comparable-columns.ts'
import { keyLikeness } from './key-names.ts'

/** Columns by which rows may be matched, with what speaks for them before any row is read. */
export interface KeyCandidate {
  columns: ComparableColumn[]
  /** A rule of the table lets no two rows have the same: its primary key, or a unique index. */
  rule?: 'primary key' | 'unique index'
}

const plainTypes: readonly AttributeType[] = ['int16', 'int32', 'int64', 'text', 'decimal']

/** Where a candidate stands before any row is read: smaller is likelier. What is alike stays in the order of the table. */
function placeOf({ columns, rule }: KeyCandidate): number {
  const likeness = Math.min(...columns.map(({ name }) => keyLikeness(name)))
  const isPlain = columns.every(({ type }) => plainTypes.includes(type))
  const isIdentity = columns.length === 1 && columns[0]?.isIdentity === true
  const ruled = rule === 'primary key' || isIdentity ? 0 : rule === 'unique index' ? 1 : 2
  return ruled * 100 + (2 - likeness) * 10 + (isPlain ? 0 : 5) + columns.length
}

/** The likeliest first. */
function rankCandidates(candidates: readonly KeyCandidate[]): KeyCandidate[] {
  return [...candidates].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Each column alone, and what the rules of the table take together. */
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

/** Each two of the likeliest columns. */
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
