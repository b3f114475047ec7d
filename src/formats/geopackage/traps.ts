import type { DatabaseSync } from 'node:sqlite'
import { BatchBuilder } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { pendingFiles } from './open-database.ts'
import { RecordReader } from './record-reader.ts'
import { foldName } from './sql-names.ts'
import { PageSource } from './sqlite-pages/page-source.ts'
import { TableScan } from './sqlite-pages/table-scan.ts'
import type { GeoPackageTable } from './tables.ts'

/** A row of `sqlite_schema`: a table, index, view or trigger. */
interface SchemaEntry {
  type: string
  name: string
  /** The table of an index or trigger. */
  table: string
  sql: string
}

/** Maximum number of objects in a schema that is checked. */
const maxEntries = 200_000

/**
 * Kinds of objects by their statements, which alone matter to SQLite; it normalizes the first words like
 * this.
 */
const kinds = [
  { kind: 'table', begins: /^CREATE TABLE\b/i },
  { kind: 'virtual table', begins: /^CREATE VIRTUAL TABLE\b/i },
  { kind: 'index', begins: /^CREATE (?:UNIQUE )?INDEX\b/i },
  { kind: 'view', begins: /^CREATE VIEW\b/i },
  { kind: 'trigger', begins: /^CREATE TRIGGER\b/i },
]
/** The keyword of a generated column, also between comments; defaults and comments may contain it too. */
const mayGenerate = /\bAS(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)*\(/i

/**
 * Returns the risk of a database object, if any: a view or a generated column can run indefinitely or return
 * any amount of data, a virtual table runs other code, a trigger writes when others write. Undefined for
 * ordinary tables, indexes, R*Trees and their triggers.
 */
function trapOf({ type, name, table, sql }: SchemaEntry): string | undefined {
  const kind = kinds.find(({ begins }) => begins.test(sql))?.kind
  const own = type === 'index' && sql === '' ? type : kind
  if (own === undefined || own.split(' ').at(-1) !== type) return `object "${name}" that is not a ${type}`
  if (own === 'view') return `view "${name}"`
  if (own === 'trigger') return isBookkeeping(name, table) ? undefined : `trigger "${name}"`
  if (own === 'virtual table') {
    return /^[^(]*\sUSING\s+rtree\s*\(/i.test(sql) ? undefined : `virtual table "${name}"`
  }
  return own === 'table' && mayGenerate.test(sql) ? `generated column in "${name}"` : undefined
}

/**
 * Tables with triggers that reject wrong values, in GeoPackages of early versions (OGC 12-128r11, annex D).
 */
const judgedTables = ['gpkg_tile_matrix', 'gpkg_metadata', 'gpkg_metadata_reference']

/**
 * Triggers by which GeoPackages maintain R*Trees and row counts (OGC 12-128r18, annex F.3; GDAL), and
 * validating triggers.
 */
function isBookkeeping(name: string, table: string): boolean {
  const [trigger, owner] = [foldName(name), foldName(table)]
  const counts = ['insert', 'delete'].map((event) => `trigger_${event}_feature_count_${owner}`)
  if (counts.includes(trigger)) return true
  if (judgedTables.includes(owner) && trigger.startsWith(`${owner}_`)) return true
  return trigger.startsWith(`rtree_${owner}_`) && /_(?:insert|update[1-7]|delete)$/.test(trigger)
}

/** Returns the first risk of an open database; undefined if there is none. */
export function findTrap(db: DatabaseSync): string | undefined {
  const statement = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema')
  for (const row of statement.iterate()) {
    const [type, name, table, sql] = ['type', 'name', 'tbl_name', 'sql'].map((key) => String(row[key] ?? ''))
    const trap = trapOf({ type, name, table, sql } as SchemaEntry)
    if (trap !== undefined) return trap
  }
  return undefined
}

const text = (name: string) => ({ name, type: 'text' as const })
/** `sqlite_schema` as a table of its own file (SQLite file format, section 2.6). */
const schemaTable: GeoPackageTable = {
  name: 'sqlite_schema',
  kind: 'table',
  schema: {
    attributes: [
      text('type'),
      text('name'),
      text('tbl_name'),
      { name: 'rootpage', type: 'int64' },
      text('sql'),
    ],
    geometry: undefined,
  },
  columns: ['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((name, attribute) => ({ name, attribute })),
}

/**
 * True if a thread may query the database at `path`: it contains no such risk. Does not use SQLite, since a
 * malicious file can make even reading the schema take arbitrarily long. False if undetermined.
 */
export function mayThreadsRead(path: string): boolean {
  try {
    if (pendingFiles(path).length > 0) return false
    const pages = new PageSource(path)
    try {
      return !hasTrap(pages)
    } finally {
      pages.close()
    }
  } catch {
    return false
  }
}

function hasTrap(pages: PageSource): boolean {
  const scan = new TableScan(pages, 1)
  const reader = new RecordReader(scan, schemaTable)
  for (let entries = 1; scan.next(); entries += 1) {
    if (entries > maxEntries) return true
    const builder = new BatchBuilder(schemaTable.schema, 1)
    reader.append(builder, entries)
    const { columns, rejects } = builder.finish()
    if (rejects.length > 0) return true
    const [type, name, table, , sql] = columns.map((column) => String(columnValue(column, 0) ?? ''))
    if (trapOf({ type, name, table, sql } as SchemaEntry) !== undefined) return true
  }
  return false
}
