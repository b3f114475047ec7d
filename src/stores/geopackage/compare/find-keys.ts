import type { DatabaseSync } from 'node:sqlite'

/** Whether each row has a key of its own, without null. */
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

/** Keys are compared as they stand, whatever the column takes for the same. */
export function binary(key: string): string {
  return `${key} COLLATE BINARY`
}
