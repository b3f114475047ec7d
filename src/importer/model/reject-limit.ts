import type { RejectLimit } from './task-record.ts'

/** 5 % of the rows, at least one; a REPLACE takes none. */
export function rejectLimitOf(task: { updateMode: string; rejectLimit?: RejectLimit }): RejectLimit {
  return task.rejectLimit ?? (task.updateMode === 'REPLACE' ? { rows: 0 } : { share: 0.05 })
}

/** Why so many rejects are too many, or undefined; all rows are too many whatever the limit. */
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
