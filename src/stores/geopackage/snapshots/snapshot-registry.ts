import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import { findObject, type GeoPackageTable } from '../../../formats/geopackage/index.ts'
import type { TableSnapshot } from '../../store.ts'

/**
 * The names start like the tables of the standard, since GDAL and QGIS list all other tables that are not
 * feature tables. One table lists the retained states, the other the content id of each table.
 */
const statesTable = 'gpkg_terrane_states'
const contentsTable = 'gpkg_terrane_contents'

/** Rows about a table in the catalogue tables, by name of the catalogue table. */
export type CatalogueRows = Record<string, Record<string, SQLInputValue>[]>

/** Stored record of a retained state. */
export interface SnapshotRecord {
  form: TableSnapshot['form']
  /** The table in its previous state. */
  table: GeoPackageTable
  rowCount: number
  /** Content id of the retained rows. */
  content: string
  /** For a difference: the content id that it applies to. */
  base?: string
  /** For a difference: a checksum of the rows of the table that it applies to. */
  after?: string
  catalogue: CatalogueRows
  triggers: { name: string; sql: string }[]
  indexes: { name: string; keptName: string; sql: string; keptSql: string }[]
  isIndexed: boolean
}

/** A retained state, and the number in the names of its tables. */
export interface RegisteredSnapshot extends SnapshotRecord {
  id: string
  number: number
}

export function snapshotTable(number: number): string {
  return `gpkg_terrane_kept_${number}`
}

/**
 * Name of the table with the ids of rows that were added by the load after which a difference is retained.
 */
export function addedTable(number: number): string {
  return `gpkg_terrane_added_${number}`
}

/** Reserves the number of a state to retain under an id. Throws `Failure` if the id is taken. */
export function takeNumber(db: DatabaseSync, id: string): number {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${statesTable} (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL)`,
  )
  if (findSnapshot(db, id) !== undefined) throw conflict('state-exists', `A state "${id}" is kept already`)
  return Number(
    db.prepare(`INSERT INTO ${statesTable} (id, record) VALUES (?, '{}')`).run(id).lastInsertRowid,
  )
}

export function writeSnapshot(db: DatabaseSync, number: number, record: SnapshotRecord): void {
  db.prepare(`UPDATE ${statesTable} SET record = ? WHERE number = ?`).run(JSON.stringify(record), number)
}

export function forgetSnapshot(db: DatabaseSync, number: number): void {
  db.prepare(`DELETE FROM ${statesTable} WHERE number = ?`).run(number)
}

export function findSnapshot(db: DatabaseSync, id: string): RegisteredSnapshot | undefined {
  if (findObject(db, statesTable) === undefined) return undefined
  const row = db.prepare(`SELECT number, record FROM ${statesTable} WHERE id = ?`).get(id)
  if (row === undefined) return undefined
  return { ...(JSON.parse(String(row['record'])) as SnapshotRecord), id, number: Number(row['number']) }
}

export function getSnapshot(db: DatabaseSync, id: string): RegisteredSnapshot {
  const kept = findSnapshot(db, id)
  if (kept === undefined) throw conflict('not-restorable', `The state "${id}" is not kept any more`)
  return kept
}

export function allSnapshots(db: DatabaseSync): RegisteredSnapshot[] {
  return listSnapshots(db).map((id) => getSnapshot(db, id))
}

export function listSnapshots(db: DatabaseSync): string[] {
  if (findObject(db, statesTable) === undefined) return []
  return db
    .prepare(`SELECT id FROM ${statesTable} ORDER BY number`)
    .all()
    .map(({ id }) => String(id))
}

/**
 * Returns the content id of a table: that of the state it was restored to, otherwise one derived from the
 * last change.
 */
export function contentOf(db: DatabaseSync, table: string, lastChange: string): string {
  if (findObject(db, contentsTable) === undefined) return lastChange
  const row = db
    .prepare(`SELECT content FROM ${contentsTable} WHERE table_name = lower(?) AND last_change = ?`)
    .get(table, lastChange)
  return row === undefined ? lastChange : String(row['content'])
}

export function setContent(db: DatabaseSync, table: string, lastChange: string, content: string): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${contentsTable} (table_name TEXT PRIMARY KEY, last_change TEXT NOT NULL, content TEXT NOT NULL)`,
  )
  db.prepare(`INSERT OR REPLACE INTO ${contentsTable} VALUES (lower(?), ?, ?)`).run(
    table,
    lastChange,
    content,
  )
}
