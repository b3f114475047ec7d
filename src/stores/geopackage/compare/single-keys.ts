import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/sql-names.ts'
import { conflict } from '../../../lib/errors.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import type { ComparedColumn } from './compared-columns.ts'
import { binary } from './find-keys.ts'

/** Throws `Failure` if a key occurs twice in the table, so that the row to update is ambiguous. */
export function requireSingleKeys(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  keys: readonly ComparedColumn[],
): void {
  if (keys.some(({ name }) => name === plan.id)) return
  const columns = keys.map(({ before }) => before)
  const found = db.prepare(
    `SELECT count(*) AS n, ${columns.map((column, index) => `min(${column}) AS k${index}`).join(', ')}
       FROM main.${quoteName(plan.table)} x WHERE ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}
       GROUP BY ${columns.map(binary).join(', ')} HAVING count(*) > 1 LIMIT 1`,
  )
  found.setReadBigInts(true)
  const row = found.get()
  if (row === undefined) return
  const values = keys.map(({ name }, index) => `${name} = ${String(row[`k${index}`])}`).join(', ')
  throw conflict('ambiguous-key', `${row['n']} rows of "${plan.table}" have the same key: ${values}`)
}
