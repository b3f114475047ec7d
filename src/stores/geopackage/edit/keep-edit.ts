import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/index.ts'
import type { EditDone, SavedRowState } from '../../edit-counts.ts'
import { editCounts, rowGrowth } from '../../edit-counts.ts'
import type { EditCounts, TableSnapshot } from '../../store.ts'
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
  /** Call after the row is written. `counts` compares the row with the retained state. */
  finish(rowid: bigint, done: EditDone): { kept: TableSnapshot; counts: EditCounts }
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
    finish: (rowid, done) => {
      if (done === 'added') retain(rowid)
      if (done === 'added' && before === 'untouched') db.prepare(`INSERT INTO ${added} VALUES (?)`).run(rowid)
      const after = tallyAfter(db, rows, kept, { rowid, done })
      writeSnapshot(db, kept.number, { ...recordOf(kept), base: lastChange, after })
      const size = estimateSize(db, { ...rows.table, name: snapshotTable(kept.number) })
      return { kept: toTableSnapshot(kept, size), counts: editCounts(done, before) }
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
  { rowid, done }: { rowid: bigint; done: EditDone },
): string {
  if (done === 'changed') return after
  const sign = rowGrowth[done]
  const [count = 0, sum = 0] = after.split(' ').map(Number)
  const next = sum + sign * Number(rowid)
  if (!Number.isSafeInteger(sum) || !Number.isSafeInteger(next)) return tallyRows(db, table)
  return `${count + sign} ${next}`
}
