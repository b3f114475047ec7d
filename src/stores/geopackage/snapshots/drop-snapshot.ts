import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/sql-names.ts'
import { findObject } from '../../../formats/geopackage/tables.ts'
import { rtreeName } from '../rtree-sql.ts'
import { addedTable, findSnapshot, forgetSnapshot, snapshotTable } from './snapshot-registry.ts'

/** Removes the contents retained under an id; the file reuses their pages. */
export function dropSnapshot(db: DatabaseSync, id: string): void {
  const kept = findSnapshot(db, id)
  if (kept === undefined) return
  const { number, table } = kept
  const names = [snapshotTable(number), addedTable(number)]
  const geometry = table.schema.geometry?.name
  if (geometry !== undefined) names.unshift(rtreeName({ table: snapshotTable(number), geometry }))
  for (const name of names) {
    if (findObject(db, name) !== undefined) db.exec(`DROP TABLE main.${quoteName(name)}`)
  }
  forgetSnapshot(db, number)
}
