import type { EditCounts } from './edits.ts'

/** Kind of change of a row. */
export type EditDone = 'added' | 'changed' | 'removed'

/**
 * Data retained about the row before the edit: nothing yet, its previous values, or the fact that it was
 * added.
 */
export type SavedRowState = 'untouched' | 'kept' | 'added'

/** Change in the number of rows of a table. */
export const rowGrowth = { added: 1, changed: 0, removed: -1 } as const

/** Returns how an edit changes the numbers of rows that differ from the retained state. */
export function editCounts(done: EditDone, before: SavedRowState = 'untouched'): EditCounts {
  const none = { added: 0, changed: 0, removed: 0 }
  if (before === 'untouched') return { ...none, [done]: 1 }
  if (before === 'added') return done === 'removed' ? { ...none, added: -1 } : none
  if (done === 'removed') return { ...none, changed: -1, removed: 1 }
  return done === 'added' ? { ...none, changed: 1, removed: -1 } : none
}

/** Counts of a table without an edit. */
export const noEdits: EditCounts = { added: 0, changed: 0, removed: 0 }

export function addEdits(one: EditCounts, other: EditCounts): EditCounts {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    removed: one.removed + other.removed,
  }
}
