import type { DatabaseSync } from 'node:sqlite'
import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import type { LoadHooks } from '../store.ts'
import type { GeoPackageLoadPlan } from './load-plan.ts'
import { stagedKey } from './load-plan.ts'

const largestId = Number.MAX_SAFE_INTEGER

/** Checks whether the ids of the source rows ascend, so that rows can be written in that order. */
export class IdOrderCheck {
  /** False from the first id on that is null, negative, above 2^53, or not greater than its predecessor. */
  areOrdered = true
  #last = -1

  /** Returns the id in a row of an `int64` column; 0 if it is not in order. */
  take(column: Column, row: number): number {
    if (column.kind !== 'big' || !isValid(column.validity, row)) this.areOrdered = false
    if (!this.areOrdered) return 0
    const id = Number(column.kind === 'big' ? column.values[row] : 0)
    if (id <= this.#last || id > largestId) this.areOrdered = false
    else this.#last = id
    return id
  }
}

/**
 * Makes the staged ids unique and complete, inside the caller's transaction: a row without an id, or with the
 * id of an earlier row, gets a new one, and a message reports it. Ids above 2^53 are also replaced, since not
 * all readers can distinguish them.
 */
export function removeUnusedIds(
  db: DatabaseSync,
  { keepsIds, keyColumn, table }: GeoPackageLoadPlan,
  { areIdsOrdered }: { areIdsOrdered: boolean },
  { onMessage }: Pick<LoadHooks, 'onMessage'>,
): void {
  if (!keepsIds || areIdsOrdered) return
  db.exec(
    `UPDATE side.t SET ${stagedKey} = NULL WHERE ${stagedKey} NOT BETWEEN -${largestId} AND ${largestId}
       OR id NOT IN (SELECT min(id) FROM side.t WHERE ${stagedKey} IS NOT NULL GROUP BY ${stagedKey})`,
  )
  const { missing, largest } =
    db
      .prepare(
        `SELECT count(*) - count(${stagedKey}) AS missing, max(0, coalesce(max(${stagedKey}), 0)) AS largest FROM side.t`,
      )
      .get() ?? {}
  const count = Number(missing)
  if (count === 0) return
  const isFull = Number(largest) + count > largestId
  db.exec(
    isFull
      ? `UPDATE side.t SET ${stagedKey} = id`
      : `UPDATE side.t SET ${stagedKey} = ${Number(largest)} + r.number
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM side.t WHERE ${stagedKey} IS NULL) r
         WHERE r.id = side.t.id`,
  )
  const rows = isFull ? 'All rows' : count === 1 ? '1 row' : `${count} rows`
  const column = keyColumn?.target.name ?? ''
  onMessage({
    level: 'warning',
    code: 'ids-replaced',
    message: `${rows} got new ids in "${table}": the identity column "${column}" has nulls, repeated values or values beyond 2^53`,
  })
}
