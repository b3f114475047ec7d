import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../core/errors/errors.ts'
import { isSameName, quoteName, quoteText } from '../../formats/geopackage/index.ts'
import type { IndexedTable } from './rtree-sql.ts'
import { rtreeName } from './rtree-sql.ts'

/** Catalogue tables that loads write in addition to their own. */
const bookkeepingTables = [
  'gpkg_contents',
  'gpkg_geometry_columns',
  'gpkg_spatial_ref_sys',
  'gpkg_extensions',
  'gpkg_ogr_contents',
] as const

interface Trigger {
  name: string
  table: string
  sql: string
}

/** Triggers that are removed from the file during a write. */
export interface SetAside {
  names: string[]
  triggers: Pick<Trigger, 'name' | 'sql'>[]
  /** Restores them, in the same transaction. */
  restore(): void
}

function triggersOf(db: DatabaseSync, tables: readonly string[]): Trigger[] {
  const rows = db
    .prepare(
      `SELECT name, tbl_name AS "table", sql FROM main.sqlite_schema WHERE type = 'trigger'
       AND lower(tbl_name) IN (${tables.map(() => 'lower(?)').join(', ')})`,
    )
    .all(...tables)
  return rows.map(({ name, table, sql }) => ({ name: String(name), table: String(table), sql: String(sql) }))
}

function setAside(db: DatabaseSync, triggers: Trigger[]): SetAside {
  for (const { name } of triggers) db.exec(`DROP TRIGGER main.${quoteName(name)}`)
  return {
    names: triggers.map(({ name }) => name),
    triggers: triggers.map(({ name, sql }) => ({ name, sql })),
    restore: () => {
      for (const { sql } of triggers) db.exec(sql)
    },
  }
}

/**
 * True if a trigger only maintains the R*Tree or the row count of its table, which Terrane maintains itself.
 */
function isBookkeeping(name: string, table: string, geometry: string | undefined): boolean {
  const prefixes = [`trigger_insert_feature_count_${table}`, `trigger_delete_feature_count_${table}`]
  if (geometry !== undefined) prefixes.push(`${rtreeName({ table, geometry })}_`)
  return prefixes.some((prefix) => name.toLowerCase().startsWith(prefix.toLowerCase()))
}

function triggerTables(table: string, geometry: string | undefined): string[] {
  return geometry === undefined ? [table] : [table, rtreeName({ table, geometry })]
}

/**
 * Returns the names of triggers that, judging by their names, do more than maintain index and row count of a
 * table.
 */
export function foreignTriggers(db: DatabaseSync, table: string, geometry: string | undefined): string[] {
  const names = triggersOf(db, triggerTables(table, geometry)).map(({ name }) => name)
  return names.filter((name) => !isBookkeeping(name, table, geometry))
}

/**
 * Removes every trigger of a table and its R*Tree temporarily, so that none runs during our writes. `foreign`
 * are those that, judging by their names, do more than maintain index and row count.
 */
export function setTableTriggersAside(
  db: DatabaseSync,
  table: string,
  geometry: string | undefined,
): SetAside & { foreign: string[] } {
  const aside = setAside(db, triggersOf(db, triggerTables(table, geometry)))
  return { ...aside, foreign: aside.names.filter((name) => !isBookkeeping(name, table, geometry)) }
}

/**
 * Removes the triggers of the catalogue tables temporarily. Throws `Failure` if one of these is a view or a
 * virtual table, which would run foreign code.
 */
export function setCatalogueTriggersAside(db: DatabaseSync): SetAside {
  const names = bookkeepingTables.map(quoteText).join(', ')
  const odd = db
    .prepare(
      `SELECT name FROM main.sqlite_schema WHERE lower(name) IN (${names})
       AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%')`,
    )
    .get()
  if (odd !== undefined) {
    throw conflict(
      'store-file',
      `"${odd['name']}" of the GeoPackage is not a plain table: nothing is written to it`,
    )
  }
  return setAside(db, triggersOf(db, bookkeepingTables))
}

/** Throws `Failure` if deleting the rows of a table would delete rows, or set nulls, in other tables. */
export function refuseCascades(db: DatabaseSync, table: string): void {
  const rows = db
    .prepare(
      `SELECT s.name FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
       WHERE s.type = 'table' AND s.sql LIKE '%REFERENCES%' AND lower(f."table") = lower(?)
       AND f.on_delete NOT IN ('NO ACTION', 'RESTRICT')`,
    )
    .all(table)
  const others = rows.map(({ name }) => String(name)).filter((name) => !isSameName(name, table))
  if (others.length === 0) return
  throw conflict(
    'table-referenced',
    `Replacing the rows of "${table}" would delete or empty rows of other tables: ${others.join(', ')}`,
  )
}

/** True if the rows of a table reference other rows. */
export function refersToOthers(db: DatabaseSync, table: string): boolean {
  return db.prepare(`PRAGMA main.foreign_key_list(${quoteText(table)})`).get() !== undefined
}

/** True if other rows may reference the rows of a table. */
export function isReferenced(db: DatabaseSync, table: string): boolean {
  const found = db
    .prepare(
      `SELECT 1 FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
       WHERE s.type = 'table' AND s.sql LIKE '%REFERENCES%' AND lower(f."table") = lower(?)`,
    )
    .get(table)
  return found !== undefined
}

/** Columns that SQLite computes itself. */
export function generatedColumns(db: DatabaseSync, table: string): Set<string> {
  const infos = db.prepare(`PRAGMA main.table_xinfo(${quoteText(table)})`).all()
  return new Set(infos.flatMap(({ name, hidden }) => (Number(hidden) > 1 ? [String(name)] : [])))
}

/**
 * Throws `Failure` if a table or its R*Tree is not an ordinary table, so that writing rows would run other
 * code.
 */
export function refuseVirtual(
  db: DatabaseSync,
  { table, geometry }: Pick<IndexedTable, 'table'> & { geometry?: string | undefined },
): void {
  const sqlOf = db.prepare(
    `SELECT sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(?)`,
  )
  const isVirtual = /^\s*create\s+virtual/i.test(String(sqlOf.get(table)?.['sql']))
  const index = geometry === undefined ? undefined : sqlOf.get(rtreeName({ table, geometry }))?.['sql']
  const isOddIndex =
    index != null && !/^\s*create\s+virtual\s+table\s.*\susing\s+rtree\s*\(/is.test(String(index))
  if (!isVirtual && !isOddIndex) return
  const what = isVirtual ? `"${table}" is a virtual table` : `The index of "${table}" is not an R*Tree`
  throw conflict('table-read-only', `${what}: nothing is written to it`)
}
