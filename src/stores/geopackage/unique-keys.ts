import type { DatabaseSync } from 'node:sqlite'
import { quoteText } from '../../formats/geopackage/index.ts'
import type { UniqueKey } from '../store.ts'

/** Returns the primary key of a table, and its unique indexes without condition or expression. */
export function uniqueKeys(db: DatabaseSync, table: string): UniqueKey[] {
  const primary = db
    .prepare(`SELECT name FROM pragma_table_info(${quoteText(table)}) WHERE pk > 0 ORDER BY pk`)
    .all()
  const indexes = db
    .prepare(
      `SELECT name FROM pragma_index_list(${quoteText(table)}) WHERE "unique" = 1 AND partial = 0 AND origin <> 'pk'`,
    )
    .all()
  const others = indexes
    .map((index) => db.prepare(`PRAGMA main.index_info(${quoteText(String(index['name']))})`).all())
    .filter((columns) => columns.every(({ name }) => name !== null))
  return [
    ...(primary.length === 0 ? [] : [{ columns: namesOf(primary), isPrimary: true }]),
    ...others.map((columns) => ({ columns: namesOf(columns), isPrimary: false })),
  ]
}

/** Returns first columns of indexes. */
export function indexedColumns(db: DatabaseSync, table: string): string[] {
  const indexes = db
    .prepare(`SELECT name FROM pragma_index_list(${quoteText(table)}) WHERE partial = 0`)
    .all()
  return indexes.flatMap((index) => {
    const [first] = db.prepare(`PRAGMA main.index_info(${quoteText(String(index['name']))})`).all()
    return first?.['name'] == null ? [] : [String(first['name'])]
  })
}

function namesOf(rows: Record<string, unknown>[]): string[] {
  return rows.map(({ name }) => String(name))
}
