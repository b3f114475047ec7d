import type { DatabaseSync } from 'node:sqlite'

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
