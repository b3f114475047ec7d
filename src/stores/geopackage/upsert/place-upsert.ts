import type { DatabaseSync } from 'node:sqlite'
import { isSameName, quoteName } from '../../../formats/geopackage/index.ts'
import type { ChangeCounts } from '../../changes.ts'
import { missingRows } from '../../spared-texts.ts'
import type { ChangeSource } from '../compare/changed-rows.ts'
import type { ComparedColumn } from '../compare/compared-columns.ts'
import { keyColumns, typesOf, writtenColumns } from '../compare/compared-columns.ts'
import { differencesTable, findByKeys } from '../compare/find-differences.ts'
import { requireSingleKeys } from '../compare/single-keys.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { stagedKey } from '../load-plan.ts'
import { lastId } from '../move-staged-rows.ts'
import type { Refusal } from '../record-encoder.ts'
import type { StagedRows } from '../stage-rows.ts'
import { moveBoxes } from './move-boxes.ts'
import { rejectKeys } from './reject-keys.ts'
import type { Statements } from './write-rows.ts'
import { writeUpsertRows } from './write-rows.ts'

/** Previous state of the changed or removed rows of the table. */
export const oldRowsTable = 'side.old_rows'

export interface UpsertPlaced {
  counts: ChangeCounts
  /** Number of rows rejected because of their keys or by constraints. */
  refused: number
  /** Triggers that were not run. */
  foreignTriggers: string[]
}

/** Returns the source of the changes of a placed `UPSERT`. */
export function upsertSource(plan: GeoPackageLoadPlan): ChangeSource {
  return { plan, before: oldRowsTable, isAddition: false, added: 'side.added' }
}

interface Upsert {
  onRefused: (stagedId: number, refusal: Refusal) => void
  /** Called when the changes are known, before they are written. */
  beforeWriting?: (() => void) | undefined
}

/**
 * Updates rows with existing keys whose values differ and inserts rows with new keys; runs none of the
 * table's triggers.
 */
export function placeUpsert(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  { onRefused, beforeWriting }: Upsert,
): UpsertPlaced {
  const { upsert } = plan.request
  if (upsert === undefined) throw new Error('An UPSERT says by which keys')
  const keys = keyColumns(plan, upsert.keys)
  const rows = rejectKeys(db, staged, keys, onRefused)
  requireSingleKeys(db, plan, keys)
  const found = findByKeys(db, { plan, rows }, keys, missingRows(upsert, typesOf(keys)))
  copyOldRows(db, plan)
  numberAdded(db, plan)
  beforeWriting?.()
  db.exec('PRAGMA defer_foreign_keys = ON')
  const triggers = setTableTriggersAside(db, plan.table, plan.geometry?.name)
  const refused = writeUpsertRows(db, plan.table, statementsOf(db, plan), onRefused)
  moveBoxes(db, plan)
  triggers.restore()
  return {
    counts: countAll(found, refused),
    refused: staged.rowCount - rows.rowCount + refused.added + refused.changed,
    foreignTriggers: triggers.foreign,
  }
}

/**
 * Finds the rows that `writeUpsertRows` would reject, by filling the table `into`, which has the definition of the
 * plan's table and is discarded.
 */
export function tryUpsert(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  rows: StagedRows,
  { into, onRefused }: Pick<Upsert, 'onRefused'> & { into: string },
): void {
  const { upsert } = plan.request
  if (upsert === undefined) throw new Error('An UPSERT says by which keys')
  const keys = keyColumns(plan, upsert.keys)
  requireSingleKeys(db, plan, keys)
  findByKeys(db, { plan, rows }, keys, missingRows(upsert, typesOf(keys)))
  copyOldRows(db, plan)
  numberAdded(db, plan)
  writeUpsertRows(db, plan.table, statementsOf(db, plan, into), onRefused)
}

function countAll(found: ChangeCounts, refused: { added: number; changed: number }): ChangeCounts {
  const changed = (found.changed ?? 0) - refused.changed
  return { ...found, added: found.added - refused.added, changed }
}

function copyOldRows(db: DatabaseSync, { table, id }: GeoPackageLoadPlan): void {
  db.exec(
    `DROP TABLE IF EXISTS ${oldRowsTable};
     CREATE TABLE ${oldRowsTable} AS SELECT x.* FROM ${differencesTable} d
       CROSS JOIN main.${quoteName(table)} x ON x.${quoteName(id)} = d.target;
     CREATE INDEX ${oldRowsTable}_id ON old_rows (${quoteName(id)})`,
  )
}

/** Assigns ids to all new rows, and indexes changed rows by id. */
function numberAdded(db: DatabaseSync, plan: GeoPackageLoadPlan): void {
  const { keys = [] } = plan.request.upsert ?? {}
  const isKeyed =
    plan.keyColumn !== undefined && keys.length === 1 && keys.some((key) => isSameName(key, plan.id))
  const number = isKeyed ? `s.${stagedKey}` : `${lastId(db, plan)} + row_number() OVER (ORDER BY s.id)`
  db.exec(
    `DROP TABLE IF EXISTS side.added; DROP TABLE IF EXISTS side.changed;
     CREATE TABLE side.added (staged INTEGER PRIMARY KEY, id INTEGER);
     CREATE TABLE side.changed (id INTEGER PRIMARY KEY, staged INTEGER);
     INSERT INTO side.added SELECT s.id, ${number}
       FROM ${differencesTable} d CROSS JOIN side.t s ON s.id = d.staged WHERE d.target IS NULL;
     INSERT INTO side.changed SELECT target, staged FROM ${differencesTable}
       WHERE target IS NOT NULL AND staged IS NOT NULL ORDER BY target`,
  )
}

function statementsOf(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  table = `main.${quoteName(plan.table)}`,
): Statements {
  const { id } = plan
  const columns = writtenColumns(db, plan)
  const names = columns.map(({ name }) => quoteName(name))
  const values = columns.map(({ after }) => after)
  const [list, staged] = [names.join(', '), values.join(', ')]
  const set =
    columns.length === 0
      ? undefined
      : `UPDATE ${table} AS x SET (${list}) = (SELECT ${staged} FROM side.changed c
           CROSS JOIN side.t s ON s.id = c.staged WHERE c.id = x.${quoteName(id)})`
  return {
    remove: `DELETE FROM ${table} WHERE ${quoteName(id)} IN (
      SELECT target FROM ${differencesTable} WHERE staged IS NULL)`,
    change:
      set === undefined ? undefined : `${set} WHERE x.${quoteName(id)} IN (SELECT id FROM side.changed)`,
    changeOne: set === undefined ? undefined : `${set} WHERE x.${quoteName(id)} = ?`,
    takeOut: `DELETE FROM ${table} WHERE ${quoteName(id)} = ?`,
    restore: restoreStatement(db, plan, columns, table),
    add: `INSERT INTO ${table} (${[quoteName(id), ...names].join(', ')})
      SELECT ${['a.id', ...values].join(', ')} FROM side.added a CROSS JOIN side.t s ON s.id = a.staged`,
  }
}

/** Returns the statement of a changed row, from its previous and staged values. */
function restoreStatement(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  columns: ComparedColumn[],
  table: string,
): string {
  const infos = db.prepare(`PRAGMA main.table_xinfo(${quoteName(plan.table)})`).all()
  const all = infos.filter(({ hidden }) => Number(hidden) === 0).map(({ name }) => String(name))
  const values = all.map((name) => {
    const compared = columns.find((column) => column.name === name)
    return compared?.after ?? `o.${quoteName(name)}`
  })
  return `INSERT INTO ${table} (${all.map(quoteName).join(', ')})
    SELECT ${values.join(', ')} FROM side.changed c CROSS JOIN side.t s ON s.id = c.staged
    CROSS JOIN ${oldRowsTable} o ON o.${quoteName(plan.id)} = c.id WHERE c.id = ?`
}
