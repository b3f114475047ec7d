import type { EditCounts } from './store.ts'

/** What an edit does to a row. */
export type EditDone = 'added' | 'changed' | 'removed'

/** What was kept of the row before: nothing yet, what it was, or that it was added. */
export type KeptBefore = 'untouched' | 'kept' | 'added'

/** By how many rows a table grows. */
export const rowGrowth = { added: 1, changed: 0, removed: -1 } as const

/** What an edit adds to the numbers of rows that differ from what is kept. */
export function editCounts(done: EditDone, before: KeptBefore = 'untouched'): EditCounts {
  const none = { added: 0, changed: 0, removed: 0 }
  if (before === 'untouched') return { ...none, [done]: 1 }
  if (before === 'added') return done === 'removed' ? { ...none, added: -1 } : none
  if (done === 'removed') return { ...none, changed: -1, removed: 1 }
  return done === 'added' ? { ...none, changed: 1, removed: -1 } : none
}
