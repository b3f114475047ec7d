import type { DatabaseSync } from 'node:sqlite'
import { appendRow, iterateRows, type SqliteValue } from '../../formats/geopackage/index.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { LoadHooks } from '../store.ts'
import type { GeoPackageLoadPlan } from './load-plan.ts'
import type { Refusal } from './record-encoder.ts'
import type { StagedRows } from './stage-rows.ts'

/** Reports a row that a constraint rejected, with its values read back from the staging table. */
export function rejectStaged(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  id: number,
  refusal: Refusal,
  hooks: LoadHooks,
): void {
  const { geometry, columns, request } = plan
  const first = geometry === undefined ? 0 : 1
  const builder = new BatchBuilder(
    { attributes: columns.map(({ target }) => target), geometry: request.schema.geometry && geometry },
    1,
  )
  const list = [
    'id',
    geometry === undefined ? 'NULL' : 'c0',
    ...columns.map((_, index) => `c${index + first}`),
  ]
  const statement = db.prepare(`SELECT ${list.join(', ')} FROM side.t WHERE id = ?`)
  for (const values of iterateRows(statement, id as unknown as SqliteValue)) {
    appendRow(builder, values, staged.rowNumbers.rowNumber(id))
  }
  hooks.onReject(builder.finish(), 0, refusal)
}
