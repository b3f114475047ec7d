import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import { quoteName } from '../../../formats/geopackage/index.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import type { ComparedColumn } from './compared-columns.ts'

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

/** True if each row has a unique key without nulls. */
export function areKeysUnique(db: DatabaseSync, relation: string, keys: readonly string[]): boolean {
  const isNull = keys.map((key) => `${key} IS NULL`).join(' OR ')
  const found = db
    .prepare(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${relation} WHERE ${isNull})
       OR EXISTS (SELECT 1 FROM ${relation} GROUP BY ${keys.map(binary).join(', ')} HAVING count(*) > 1)`,
    )
    .get()
  return found === undefined
}

/** Returns SQL that compares keys byte by byte, whatever the collation of the column. */
export function binary(key: string): string {
  return `${key} COLLATE BINARY`
}
