import type { DatabaseSync } from 'node:sqlite'
import { findObject, findTable, quoteName } from '../../formats/geopackage/index.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { unionEnvelope } from '../../geo/envelope.ts'
import type { TableDescription } from '../store.ts'
import type { GeoPackageLoadPlan } from './load-plan.ts'

/** Returns a time for `last_change` that is later than all in the file. */
export function nextChange(db: DatabaseSync, now: Date): string {
  const latest = db.prepare('SELECT max(last_change) AS latest FROM gpkg_contents').get()?.['latest']
  const parsed = Date.parse(String(latest))
  return new Date(Number.isNaN(parsed) ? now.getTime() : Math.max(now.getTime(), parsed + 1)).toISOString()
}

/** Returns `last_change` of a table, undefined if it is not in the file. */
export function findChange(db: DatabaseSync, table: string): string | undefined {
  const row = db
    .prepare('SELECT last_change FROM gpkg_contents WHERE lower(table_name) = lower(?)')
    .get(table)
  return row === undefined ? undefined : String(row['last_change'])
}

export function setLastChange(db: DatabaseSync, table: string, lastChange: string): void {
  db.prepare('UPDATE gpkg_contents SET last_change = ? WHERE lower(table_name) = lower(?)').run(
    lastChange,
    table,
  )
}

/** Inserts a new table into the catalogue tables (OGC 12-128r18, sections 1.1.3 and 2.1.5). */
export function insertContents(db: DatabaseSync, plan: GeoPackageLoadPlan, srsId: number): void {
  const { table, geometry } = plan
  const isTaken = db.prepare('SELECT 1 FROM gpkg_contents WHERE identifier = ?').get(table) !== undefined
  db.prepare(`INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES (?, ?, ?, ?)`).run(
    table,
    geometry === undefined ? 'attributes' : 'features',
    isTaken ? null : table,
    geometry === undefined ? null : srsId,
  )
  if (geometry === undefined) return
  db.prepare(
    `INSERT INTO gpkg_geometry_columns (table_name, column_name, geometry_type_name, srs_id, z, m)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(
    table,
    geometry.name,
    geometry.type.toUpperCase(),
    srsId,
    geometry.hasZ ? 1 : 0,
    geometry.hasM ? 1 : 0,
  )
}

export interface ContentsChange {
  lastChange: string
  /** Envelope of the loaded rows. */
  envelope: Envelope | undefined
  rowsAdded: number
  /** Envelope of the table after the change, if known. */
  bounds?: { envelope: Envelope | undefined }
}

/** Updates the bounds, the time of change and, if the file stores it, the row count. */
export function updateContents(db: DatabaseSync, plan: GeoPackageLoadPlan, change: ContentsChange): void {
  const bounds = change.bounds === undefined ? boundsAfter(db, plan, change) : change.bounds.envelope
  const sides =
    bounds === undefined ? [null, null, null, null] : [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY]
  db.prepare(
    `UPDATE gpkg_contents SET last_change = ?, min_x = ?, min_y = ?, max_x = ?, max_y = ?
     WHERE lower(table_name) = lower(?)`,
  ).run(change.lastChange, ...sides, plan.table)
  if (findObject(db, 'gpkg_ogr_contents') === undefined) return
  const isAppended = plan.request.mode === 'APPEND' || plan.request.mode === 'UPSERT'
  db.prepare(
    `UPDATE gpkg_ogr_contents SET feature_count = ${isAppended ? 'feature_count +' : ''} ?
     WHERE lower(table_name) = lower(?)`,
  ).run(change.rowsAdded, plan.table)
}

/** Bounds unknown before an append stay unknown, unless the table was empty. */
function boundsAfter(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  change: ContentsChange,
): Envelope | undefined {
  if (plan.request.mode !== 'APPEND') return change.envelope
  const before = plan.existing?.envelope
  if (before !== undefined) {
    return change.envelope === undefined ? before : unionEnvelope(before, change.envelope)
  }
  const count = db.prepare(`SELECT count(*) AS n FROM main.${quoteName(plan.table)}`).get()?.['n']
  return Number(count) === change.rowsAdded ? change.envelope : undefined
}

export const referringTables = [
  'gpkg_geometry_columns',
  'gpkg_extensions',
  'gpkg_ogr_contents',
  'gpkg_data_columns',
  'gpkg_metadata_reference',
  'gpkg_contents',
]

/** Deletes every row about a table from the catalogue tables. */
export function deleteContents(db: DatabaseSync, table: string): void {
  for (const name of referringTables) {
    if (findObject(db, name) === undefined) continue
    db.prepare(`DELETE FROM ${quoteName(name)} WHERE lower(table_name) = lower(?)`).run(table)
  }
}

/** Returns the description of a table; undefined if there is none. */
export function describeTable(db: DatabaseSync, name: string): TableDescription | undefined {
  const table = findTable(db, name)
  if (table === undefined) return undefined
  const { idColumn, envelope, schema } = table
  return { name: table.name, schema, primaryKey: idColumn, envelope }
}
