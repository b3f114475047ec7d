import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { findObject, quoteName } from '../../../formats/geopackage/index.ts'
import { deleteContents, referringTables } from '../contents.ts'
import type { CatalogueRows } from './snapshot-registry.ts'

/** Returns the rows of all catalogue tables about a table. */
export function readCatalogue(db: DatabaseSync, table: string): CatalogueRows {
  const rows: CatalogueRows = {}
  for (const name of referringTables) {
    if (findObject(db, name) === undefined) continue
    const found = db.prepare(`SELECT * FROM ${quoteName(name)} WHERE lower(table_name) = lower(?)`).all(table)
    rows[name] = found.map((row) => ({ ...row }) as Record<string, SQLInputValue>)
  }
  return rows
}

/** Restores the rows of the catalogue tables about a table; the caller sets the time of the change. */
export function writeCatalogue(db: DatabaseSync, table: string, rows: CatalogueRows): void {
  deleteContents(db, table)
  for (const name of [...referringTables].reverse()) {
    if (findObject(db, name) === undefined) continue
    const known = new Set(
      db
        .prepare(`PRAGMA main.table_info(${quoteName(name)})`)
        .all()
        .map((info) => String(info['name'])),
    )
    for (const row of rows[name] ?? []) {
      const columns = Object.keys(row).filter((column) => known.has(column))
      const values = columns.map((column) => freeValue(db, name, column, row[column] ?? null))
      db.prepare(
        `INSERT INTO main.${quoteName(name)} (${columns.map(quoteName).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ).run(...values)
    }
  }
}

/** An identifier is unique in the catalogue; another table may use it now. */
function freeValue(db: DatabaseSync, table: string, column: string, value: SQLInputValue): SQLInputValue {
  if (table !== 'gpkg_contents' || column !== 'identifier' || value === null) return value
  const isTaken = db.prepare('SELECT 1 FROM gpkg_contents WHERE identifier = ?').get(value) !== undefined
  return isTaken ? null : value
}
