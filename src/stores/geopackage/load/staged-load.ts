import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../lib/errors.ts'
import type { LoadPlan } from '../load-plan.ts'
import type { StagedRows } from '../stage-rows.ts'

/** Rows in a side file and what they are meant for. */
export interface Staged {
  plan: LoadPlan
  /** What stands in every geometry. */
  srsId: number
  /** That of the file, which nodes of an R*Tree are made for. */
  pageSize: number
  rows: StagedRows
}

/** What has to be the same for rows to go into the table as they were staged. */
export function planShape({
  table,
  id,
  geometry,
  columns,
  keyColumn,
  keepsIds,
  isIndexed,
  existing,
}: LoadPlan): string {
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
