import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/index.ts'
import type { EditDone, SavedRowState } from '../../edit-counts.ts'
import { editCounts, rowGrowth } from '../../edit-counts.ts'
import type { EditCounts } from '../../edits.ts'
import type { TableSnapshot } from '../../store.ts'
import { fillDifference } from '../snapshots/difference-rows.ts'
import type { RegisteredSnapshot } from '../snapshots/snapshot-registry.ts'
import {
  addedTable,
  findSnapshot,
  snapshotTable,
  takeNumber,
  writeSnapshot,
} from '../snapshots/snapshot-registry.ts'
import { recordTable, toTableSnapshot } from '../snapshots/snapshot-whole.ts'
import { estimateSize, tallyRows } from '../snapshots/table-size.ts'
import type { EditedRows } from './edited-table.ts'

/** Retains the previous values of edited rows: the first of several edits of a row stores its values. */
export interface EditKeeper {
  /** Call before an existing row is changed or removed. */
  beforeTouch(rowid: bigint): void
  /** Call after the row is written; returns how it differs from the retained state. */
  afterWrite(rowid: bigint, done: EditDone): EditCounts
  /** Call after the last row. */
  finish(): TableSnapshot
}

/** Returns undefined if the state retained by earlier edits is gone: then it cannot be extended. */
export function openKeeper(
  db: DatabaseSync,
  rows: EditedRows,
  { id: keepAs, isBegun }: { id: string; isBegun: boolean },
  lastChange: string,
): EditKeeper | undefined {
  const kept = isBegun ? findSnapshot(db, keepAs) : beginKeeping(db, rows, keepAs)
  if (kept === undefined || kept.form !== 'difference') return undefined
  const id = quoteName(rows.id)
  const [old, added] = [`main.${snapshotTable(kept.number)}`, `main.${addedTable(kept.number)}`]
  const has = (table: string, column: string, rowid: bigint): boolean =>
    db.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`).get(rowid) !== undefined
  const growth = { rows: 0, ids: 0 }
  let before: SavedRowState = 'untouched'
  const retain = (rowid: bigint): void => {
    before = has(old, id, rowid) ? 'kept' : has(added, 'id', rowid) ? 'added' : 'untouched'
  }
  return {
    beforeTouch: (rowid) => {
      retain(rowid)
      if (before !== 'untouched') return
      const copy = `INSERT INTO ${old} SELECT * FROM main.${quoteName(rows.name)} WHERE ${id} = ?`
      db.prepare(copy).run(rowid)
    },
    afterWrite: (rowid, done) => {
      if (done === 'added') retain(rowid)
      if (done === 'added' && before === 'untouched') db.prepare(`INSERT INTO ${added} VALUES (?)`).run(rowid)
      growth.rows += rowGrowth[done]
      growth.ids += rowGrowth[done] * Number(rowid)
      return editCounts(done, before)
    },
    finish: () => {
      const after = tallyAfter(db, rows, kept, growth)
      writeSnapshot(db, kept.number, { ...recordOf(kept), base: lastChange, after })
      return toTableSnapshot(kept, estimateSize(db, { ...rows.table, name: snapshotTable(kept.number) }))
    },
  }
}

function beginKeeping(db: DatabaseSync, rows: EditedRows, keepAs: string): RegisteredSnapshot {
  const record = recordTable(db, rows.table, [])
  const number = takeNumber(db, keepAs)
  fillDifference(db, number, rows.id, `SELECT * FROM main.${quoteName(rows.name)} WHERE 0`)
  return { ...record, form: 'difference', id: keepAs, number, after: tallyRows(db, rows.table) }
}

function recordOf({ id: _id, number: _number, ...record }: RegisteredSnapshot) {
  return record
}

/**
 * Like `tallyRows`, without scanning all rows; if others have written too, the result intentionally differs.
 */
function tallyAfter(
  db: DatabaseSync,
  { table }: EditedRows,
  { after = '' }: RegisteredSnapshot,
  growth: { rows: number; ids: number },
): string {
  if (growth.rows === 0 && growth.ids === 0) return after
  const [count = 0, sum = 0] = after.split(' ').map(Number)
  const next = sum + growth.ids
  if (![sum, growth.ids, next].every(Number.isSafeInteger)) return tallyRows(db, table)
  return `${count + growth.rows} ${next}`
}
