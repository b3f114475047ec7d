import type { RejectLimit } from './task-record.ts'

/** Returns the limit of rejected rows: by default 5 % of the rows, at least one; 0 for a REPLACE. */
export function rejectLimitOf(task: { updateMode: string; rejectLimit?: RejectLimit }): RejectLimit {
  return task.rejectLimit ?? (task.updateMode === 'REPLACE' ? { rows: 0 } : { share: 0.05 })
}

/** Returns why there are too many rejected rows, or undefined; rejecting all rows exceeds any limit. */
export function findRejectFault(
  limit: RejectLimit,
  counts: { rowsRead: number; rejected: number },
): string | undefined {
  const { rowsRead, rejected } = counts
  if (rejected > 0 && rejected === rowsRead) return `Every row was rejected: ${rejected} of ${rowsRead}`
  const allowed = 'rows' in limit ? limit.rows : Math.max(1, Math.floor(rowsRead * limit.share))
  if (rejected <= allowed) return undefined
  return `${rejected} of ${rowsRead} rows were rejected, more than the ${allowed} that rejectLimit allows`
}
