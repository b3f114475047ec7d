import type { DatabaseSync } from 'node:sqlite'
import { nameForm, quoteName } from '../../../formats/geopackage/index.ts'
import { hasRtree, rtreeName } from '../rtree-sql.ts'
import type { SnapshotRecord } from './snapshot-registry.ts'

type Indexes = SnapshotRecord['indexes']

interface Named {
  table: string
  geometry: string | undefined
}

/**
 * Renames a table, its R*Tree and its indexes without changing references in other objects (views, triggers
 * of other tables). The triggers of the table itself must be removed first.
 */
export function renameTable(
  db: DatabaseSync,
  from: Named,
  to: string,
  indexes: Indexes,
  isAway: boolean,
): void {
  db.exec('PRAGMA legacy_alter_table = ON')
  try {
    db.exec(`ALTER TABLE main.${quoteName(from.table)} RENAME TO ${quoteName(to)}`)
    const { geometry } = from
    if (geometry !== undefined && hasRtree(db, { table: from.table, geometry })) {
      const [old, now] = [from.table, to].map((table) => quoteName(rtreeName({ table, geometry })))
      db.exec(`ALTER TABLE main.${old} RENAME TO ${now}`)
    }
  } finally {
    db.exec('PRAGMA legacy_alter_table = OFF')
  }
  if (indexes.length > 0) renameIndexes(db, indexes, isAway)
}

/** SQLite has no statement to rename an index, which would have to be rebuilt. */
function renameIndexes(db: DatabaseSync, indexes: Indexes, isAway: boolean): void {
  db.exec('PRAGMA writable_schema = ON')
  try {
    const update = db.prepare(
      `UPDATE main.sqlite_schema SET name = ?, sql = ? WHERE type = 'index' AND name = ?`,
    )
    for (const { name, sql, keptName, keptSql } of indexes) {
      if (isAway) update.run(keptName, keptSql, name)
      else update.run(name, sql, keptName)
    }
  } finally {
    db.exec('PRAGMA writable_schema = RESET')
  }
}

const indexForm = new RegExp(
  `^(CREATE\\s+(?:UNIQUE\\s+)?INDEX\\s+)${nameForm}\\s+ON\\s*${nameForm}\\s*\\(`,
  'is',
)

/**
 * Returns the indexes of a table that were created by a statement, with their names while the table is
 * renamed.
 */
export function indexesOf(db: DatabaseSync, table: string, aside: string): Indexes {
  const rows = db
    .prepare(
      `SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND lower(tbl_name) = lower(?) AND sql IS NOT NULL`,
    )
    .all(table)
  return rows.map((row, index) => {
    const [name, sql] = [String(row['name']), String(row['sql'])]
    const keptName = `${aside}_${index}`
    const keptSql = sql.replace(
      indexForm,
      (_, start: string) => `${start}${quoteName(keptName)} ON ${quoteName(aside)}(`,
    )
    return { name, sql, keptName, keptSql }
  })
}
