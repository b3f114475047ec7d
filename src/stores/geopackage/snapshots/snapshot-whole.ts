import type { DatabaseSync } from 'node:sqlite'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { TableDescription, TableSnapshot } from '../../store.ts'
import { findChange } from '../contents.ts'
import type { SetAside } from '../foreign-code.ts'
import { createRtree, hasRtree } from '../rtree-sql.ts'
import { readCatalogue } from './catalogue-rows.ts'
import { indexesOf, renameTable } from './rename-table.ts'
import type { RegisteredSnapshot, SnapshotRecord } from './snapshot-registry.ts'
import { contentOf, snapshotTable, takeNumber, writeSnapshot } from './snapshot-registry.ts'
import { estimateSize } from './table-size.ts'

/** Returns the record of a table in its present state. */
export function recordTable(
  db: DatabaseSync,
  table: GeoPackageTable,
  triggers: SetAside['triggers'],
): Omit<SnapshotRecord, 'form'> {
  const { rootPage: _, ...plain } = table
  const geometry = table.schema.geometry?.name
  const count = db.prepare(`SELECT count(*) AS n FROM main.${quoteName(table.name)}`).get()?.['n']
  return {
    table: plain,
    rowCount: Number(count),
    content: contentOf(db, table.name, findChange(db, table.name) ?? ''),
    catalogue: readCatalogue(db, table.name),
    triggers,
    indexes: [],
    isIndexed: geometry !== undefined && hasRtree(db, { table: table.name, geometry }),
  }
}

/**
 * Renames a table to retain it; its triggers must be removed first. References in other objects are not
 * changed.
 */
export function snapshotWhole(
  db: DatabaseSync,
  table: GeoPackageTable,
  keepAs: string,
  triggers: SetAside['triggers'],
): TableSnapshot {
  const sizeBytes = estimateSize(db, table)
  const written = recordTable(db, table, triggers)
  const number = takeNumber(db, keepAs)
  const aside = snapshotTable(number)
  const record: SnapshotRecord = { ...written, form: 'whole', indexes: indexesOf(db, table.name, aside) }
  renameTable(db, { table: table.name, geometry: table.schema.geometry?.name }, aside, record.indexes, true)
  writeSnapshot(db, number, record)
  return toTableSnapshot({ ...record, id: keepAs, number }, sizeBytes)
}

/** Renames a table and creates it again, empty, with its indexes, its R*Tree and the last assigned id. */
export function exchangeTable(
  db: DatabaseSync,
  table: GeoPackageTable,
  keepAs: string,
  triggers: SetAside['triggers'],
): TableSnapshot {
  const { name, schema } = table
  const sequence = findSequence(db, name)
  const statements = db
    .prepare(
      `SELECT sql FROM main.sqlite_schema WHERE lower(tbl_name) = lower(?) AND sql IS NOT NULL
       AND type IN ('table', 'index') ORDER BY type DESC`,
    )
    .all(name)
  const kept = snapshotWhole(db, table, keepAs, triggers)
  for (const { sql } of statements) db.prepare(String(sql)).run()
  if (sequence !== undefined) {
    db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, sequence)
  }
  const aside = snapshotTable(Number(kept.detail['number']))
  if (schema.geometry !== undefined && hasRtree(db, { table: aside, geometry: schema.geometry.name })) {
    createRtree(db, { table: name, geometry: schema.geometry.name, id: table.idColumn ?? '' })
  }
  return kept
}

/** Returns the last id that SQLite assigned in a table, if recorded. */
function findSequence(db: DatabaseSync, table: string): number | bigint | undefined {
  const isThere = db.prepare(`SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'`).get()
  if (isThere === undefined) return undefined
  const statement = db.prepare('SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)')
  statement.setReadBigInts(true)
  return statement.get(table)?.['seq'] as bigint | undefined
}

export function toTableSnapshot(
  { id, form, table, rowCount, number }: RegisteredSnapshot,
  sizeBytes: number,
): TableSnapshot {
  const description: TableDescription = {
    name: table.name,
    schema: table.schema,
    featureCount: rowCount,
    primaryKey: table.idColumn,
    envelope: table.envelope,
  }
  return { id, form, table: description, sizeBytes, detail: { number } }
}
