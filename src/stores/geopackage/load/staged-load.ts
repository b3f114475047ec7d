import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import type { StagedRows } from '../stage-rows.ts'

/** Rows in a side file and their target. */
export interface StagedTable {
  plan: GeoPackageLoadPlan
  /** `srs_id` in every geometry. */
  srsId: number
  /** Page size of the file, which determines the R*Tree nodes. */
  pageSize: number
  rows: StagedRows
}

/** Returns what must be unchanged so that rows can go into the table as staged. */
export function planShape({
  table,
  id,
  geometry,
  columns,
  keyColumn,
  keepsIds,
  isIndexed,
  existing,
}: GeoPackageLoadPlan): string {
  return JSON.stringify([
    table,
    id,
    geometry,
    columns,
    keyColumn,
    keepsIds,
    isIndexed,
    existing === undefined,
  ])
}

export function pageSizeOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA main.page_size').get()?.['page_size'])
}

export function tableChanged(table: string): Error {
  return conflict('table-changed', `The table "${table}" was changed by others during the load`)
}
