import type { DatabaseSync } from 'node:sqlite'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { TableSnapshot } from '../../store.ts'
import { differencesTable } from '../compare/find-differences.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { lastId } from '../move-staged-rows.ts'
import { oldRowsTable } from '../upsert/place-upsert.ts'
import { fillAdded, fillDifference } from './difference-rows.ts'
import type { SnapshotRecord } from './snapshot-registry.ts'
import { snapshotTable, takeNumber, writeSnapshot } from './snapshot-registry.ts'
import { recordTable, toTableSnapshot } from './snapshot-whole.ts'
import { estimateSize, tallyRows } from './table-size.ts'

/**
 * Retains the rows that a load adds, changes and removes in a table that is not exchanged; call `finish`
 * afterwards.
 */
export function snapshotDifference(
  db: DatabaseSync,
  { plan, existing, keepAs }: { plan: GeoPackageLoadPlan; existing: GeoPackageTable; keepAs: string },
  lastChange: string,
): { finish(): TableSnapshot } {
  const record: SnapshotRecord = { ...recordTable(db, existing, []), form: 'difference', base: lastChange }
  const number = takeNumber(db, keepAs)
  const id = quoteName(plan.id)
  const table = `main.${quoteName(plan.table)}`
  const { mode } = plan.request
  const last = lastId(db, plan)
  if (mode !== 'UPSERT') {
    fillDifference(db, number, plan.id, `SELECT * FROM ${table} ${mode === 'APPEND' ? 'WHERE 0' : ''}`)
  }
  return {
    finish: () => {
      if (mode === 'UPSERT') {
        const old = `SELECT o.* FROM ${oldRowsTable} o WHERE o.${id} IN (SELECT target FROM ${differencesTable})`
        fillDifference(db, number, plan.id, old)
        fillAdded(db, number, 'SELECT id FROM side.added')
      } else {
        fillAdded(
          db,
          number,
          `SELECT ${id} FROM ${table} ${mode === 'APPEND' ? `WHERE ${id} > ${last}` : ''}`,
        )
      }
      writeSnapshot(db, number, { ...record, after: tallyRows(db, existing) })
      const size = estimateSize(db, { ...existing, name: snapshotTable(number) })
      return toTableSnapshot({ ...record, id: keepAs, number }, size)
    },
  }
}
