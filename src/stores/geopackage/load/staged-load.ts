import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../lib/clock.ts'
import type { FindCrsDefinition } from '../crs-rows.ts'
import type { LoadPlan } from '../load-plan.ts'
import type { StagedRows } from '../stage-rows.ts'
import type { Writer } from '../writer.ts'

export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}

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
  isIndexed,
  existing,
}: LoadPlan): string {
  return JSON.stringify([table, id, geometry, columns, keyColumn, isIndexed, existing === undefined])
}

export function pageSizeOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA main.page_size').get()?.['page_size'])
}
