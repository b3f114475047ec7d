import type { FilterComparison } from './expression.ts'

const microsPerDay = 86_400_000_000n

/** Returns a comparison with its sides exchanged. */
export function flipped(op: FilterComparison): FilterComparison {
  const other = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const
  return op === '=' || op === '<>' ? op : other[op]
}

/**
 * Returns the comparison of a day equivalent to comparing its start or end with a moment: `day` in days since
 * 1970-01-01. `always` or `never` if it holds for all days or none.
 */
export function dayComparison(
  op: FilterComparison,
  edge: 'begin' | 'end',
  micros: bigint,
): { op: FilterComparison; day: number } | 'never' | 'always' {
  const moment = edge === 'begin' ? micros : micros - microsPerDay + 1n
  const rest = ((moment % microsPerDay) + microsPerDay) % microsPerDay
  const day = Number((moment - rest) / microsPerDay)
  if (rest === 0n) return { op, day }
  if (op === '=') return 'never'
  if (op === '<>') return 'always'
  return { op: op === '<' || op === '<=' ? '<=' : '>', day }
}
