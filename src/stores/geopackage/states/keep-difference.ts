import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/sql-names.ts'
import type { GeoPackageTable } from '../../../formats/geopackage/tables.ts'
import type { KeptState } from '../../store.ts'
import { differencesTable } from '../compare/find-differences.ts'
import type { LoadPlan } from '../load-plan.ts'
import { lastId } from '../place-rows.ts'
import { oldRowsTable } from '../upsert/place-upsert.ts'
import { fillAdded, fillDifference } from './difference-rows.ts'
import { recordTable, toKeptState } from './keep-whole.ts'
import type { KeptRecord } from './kept-registry.ts'
import { keptTable, takeNumber, writeKept } from './kept-registry.ts'
import { estimateSize, tallyRows } from './table-size.ts'

/**
 * Retains the rows that a load adds, changes and removes in a table that is not exchanged; call `finish`
 * afterwards.
 */
export function keepDifference(
  db: DatabaseSync,
  { plan, existing, keepAs }: { plan: LoadPlan; existing: GeoPackageTable; keepAs: string },
  lastChange: string,
): { finish(): KeptState } {
  const record: KeptRecord = { ...recordTable(db, existing, []), form: 'difference', base: lastChange }
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
      writeKept(db, number, { ...record, after: tallyRows(db, existing) })
      const size = estimateSize(db, { ...existing, name: keptTable(number) })
      return toKeptState({ ...record, id: keepAs, number }, size)
    },
  }
}
