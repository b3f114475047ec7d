import type { DatabaseSync } from 'node:sqlite'
import { findTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { TableSnapshot } from '../../store.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import { writeCatalogue } from './catalogue-rows.ts'
import {
  fillAdded,
  fillDifference,
  findTouched,
  moveTouchedBoxes,
  touchedTable,
  undoDifferences,
} from './difference-rows.ts'
import type { RegisteredSnapshot, SnapshotRecord } from './snapshot-registry.ts'
import { snapshotTable, takeNumber, writeSnapshot } from './snapshot-registry.ts'
import { recordTable, toTableSnapshot } from './snapshot-whole.ts'
import { estimateSize, tallyRows } from './table-size.ts'

/** Applies differences to the present table; retains its previous rows as the reverse difference. */
export function restoreDifferences(
  db: DatabaseSync,
  name: string,
  differences: RegisteredSnapshot[],
  keep: { as: string | undefined; content?: string },
): TableSnapshot | undefined {
  const keepAs = keep.as
  if (differences.length === 0) return undefined
  const table = findTable(db, name)
  const last = differences.at(-1)
  if (table === undefined || last === undefined) throw new Error(`There is no table "${name}" to go back in`)
  const geometry = table.schema.geometry?.name
  const id = table.idColumn ?? 'rowid'
  const triggers = setTableTriggersAside(db, table.name, geometry)
  findTouched(db, differences)
  const here = `main.${quoteName(table.name)} WHERE ${quoteName(id)} IN (SELECT id FROM ${touchedTable})`
  let number: number | undefined
  let record: SnapshotRecord | undefined
  if (keepAs !== undefined) {
    record = { ...recordTable(db, table, triggers.triggers), form: 'difference', base: last.content }
    if (keep.content !== undefined) record.content = keep.content
    number = takeNumber(db, keepAs)
    fillDifference(db, number, id, `SELECT * FROM ${here}`)
  }
  undoDifferences(db, table.name, differences)
  moveTouchedBoxes(db, table.name, geometry, id)
  triggers.restore()
  writeCatalogue(db, table.name, last.catalogue)
  if (keepAs === undefined || number === undefined || record === undefined) return undefined
  fillAdded(db, number, `SELECT ${quoteName(id)} FROM ${here}`)
  writeSnapshot(db, number, { ...record, after: tallyRows(db, table) })
  return toTableSnapshot(
    { ...record, id: keepAs, number },
    estimateSize(db, { ...table, name: snapshotTable(number) }),
  )
}
