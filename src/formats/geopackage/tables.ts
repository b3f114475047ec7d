import type { DatabaseSync } from 'node:sqlite'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Attribute, GeometryField, GeometryType, Schema } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'
import { attributeOfColumn } from './column-types.ts'
import { foldName, isSameName, quoteText } from './sql-names.ts'

/** A user table or view of a GeoPackage, according to its catalogue tables and SQLite. */
export interface GeoPackageTable {
  name: string
  /** `kind` is `view` also for tables without rowid: they are only read by queries. */
  kind: 'table' | 'view'
  schema: Schema
  /** The INTEGER PRIMARY KEY: the feature id; an attribute only after `withIdentity`. */
  idColumn?: string
  /** Columns in table order, with the index of the corresponding attribute (-1 for id and geometry). */
  columns: { name: string; attribute: number }[]
  envelope?: Envelope
  srsId?: number
  /** The root page of its B-tree, if every record contains all columns unchanged. */
  rootPage?: number
}

type Row = Record<string, unknown>

/** Tables that a reader depends on; each must be an ordinary table, since a view could be malicious. */
const catalogueTables = ['gpkg_contents', 'gpkg_spatial_ref_sys', 'gpkg_geometry_columns'] as const

/** Maximum length of a text that is accepted as a CRS definition. */
const maxDefinition = 100_000

/** True if the database contains the catalogue of a GeoPackage as ordinary tables. */
export function hasCatalogue(db: DatabaseSync): boolean {
  return catalogueTables.slice(0, 2).every((name) => isPlainTable(db, name))
}

/** True if there is an ordinary table of that name: a view could be malicious. */
export function isPlainTable(db: DatabaseSync, name: string): boolean {
  const row = findObject(db, name)
  return row?.['type'] === 'table' && !/^\s*CREATE\s+VIRTUAL/i.test(String(row['sql']))
}

/** Returns the table or view of that name, ignoring case. */
export function findObject(db: DatabaseSync, name: string): Row | undefined {
  if (!isKnown(db, name)) return undefined
  const sql = `SELECT name, type, sql, rootpage FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(?)`
  return db.prepare(sql).get(name)
}

/**
 * Uses SQLite's in-memory schema to find out that a name does not exist without scanning the whole schema
 * table.
 */
function isKnown(db: DatabaseSync, name: string): boolean {
  try {
    return db.prepare(`PRAGMA main.table_xinfo(${quoteText(name)})`).get() !== undefined
  } catch {
    return true
  }
}

/** Lists every existing feature and attribute table of the catalogue. */
export function listTables(db: DatabaseSync): GeoPackageTable[] {
  const contents = db
    .prepare(`SELECT * FROM gpkg_contents WHERE data_type IN ('features', 'attributes') ORDER BY rowid`)
    .all()
  return contents.flatMap((row) => describeTable(db, row) ?? [])
}

/** Returns one table by name, ignoring case. */
export function findTable(db: DatabaseSync, name: string): GeoPackageTable | undefined {
  const row = db
    .prepare(
      `SELECT * FROM gpkg_contents WHERE lower(table_name) = lower(?) AND data_type IN ('features', 'attributes')`,
    )
    .get(name)
  return row === undefined ? undefined : describeTable(db, row)
}

/** Returns the table with its id column as an attribute, at the position of the column. */
export function withIdentity(table: GeoPackageTable): GeoPackageTable {
  const { idColumn, schema } = table
  if (idColumn === undefined) return table
  const idIndex = table.columns.findIndex(({ name }) => name === idColumn)
  const index = table.columns.slice(0, idIndex).filter(({ attribute }) => attribute >= 0).length
  const identity: Attribute = { name: idColumn, type: 'int64', isIdentity: true }
  return {
    ...table,
    schema: { ...schema, attributes: schema.attributes.toSpliced(index, 0, identity) },
    columns: table.columns.map(({ name, attribute }) => {
      if (name === idColumn) return { name, attribute: index }
      return { name, attribute: attribute < index ? attribute : attribute + 1 }
    }),
  }
}

function describeTable(db: DatabaseSync, contents: Row): GeoPackageTable | undefined {
  const object = findObject(db, String(contents['table_name']))
  if (object === undefined) return undefined
  const isView = object['type'] === 'view' || hasNoRowid(db, String(object['name']))
  if (object['type'] === 'table' && /^\s*CREATE\s+VIRTUAL/i.test(String(object['sql']))) return undefined
  const name = String(object['name'])
  const infos = db.prepare(`PRAGMA table_xinfo(${quoteText(name)})`).all()
  const declared = contents['data_type'] === 'features' ? findGeometry(db, name) : undefined
  const idColumn = findIdColumn(infos, isView)
  const attributes: Attribute[] = []
  let geometryName: string | undefined
  const columns = infos.map((info) => {
    const column = String(info['name'])
    if (column === idColumn) return { name: column, attribute: -1 }
    if (declared !== undefined && isSameName(column, String(declared['column_name']))) {
      geometryName = column
      return { name: column, attribute: -1 }
    }
    attributes.push(toAttribute(info))
    return { name: column, attribute: attributes.length - 1 }
  })
  const geometry =
    declared === undefined || geometryName === undefined ? undefined : toGeometry(db, geometryName, declared)
  const envelope = toEnvelope(contents)
  return {
    name,
    kind: isView || idColumn === undefined ? 'view' : 'table',
    schema: { attributes, geometry },
    columns,
    idColumn,
    envelope,
    rootPage: isView || infos.some(isComputed) ? undefined : Number(object['rootpage']),
    srsId: declared === undefined ? undefined : Number(declared['srs_id']),
  }
}

/**
 * True for columns that may be absent from a record: generated ones, and those added later with a default.
 */
function isComputed(info: Row): boolean {
  return (
    Number(info['hidden']) !== 0 ||
    (info['dflt_value'] !== null && !/^null$/i.test(String(info['dflt_value'])))
  )
}

function findGeometry(db: DatabaseSync, table: string): Row | undefined {
  if (!isPlainTable(db, 'gpkg_geometry_columns')) return undefined
  return db.prepare(`SELECT * FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)`).get(table)
}

/**
 * For a table name, `index_info` lists the key of a WITHOUT ROWID table and returns nothing for other tables.
 */
function hasNoRowid(db: DatabaseSync, table: string): boolean {
  return db.prepare(`PRAGMA main.index_info(${quoteText(table)})`).get() !== undefined
}

/**
 * Returns the only primary key column, declared INTEGER; in a view, a column with the name of an id column.
 */
function findIdColumn(infos: Row[], isView: boolean): string | undefined {
  const isInteger = (info: Row): boolean => String(info['type']).toUpperCase() === 'INTEGER'
  if (isView) {
    const first = infos[0]
    const isId = first !== undefined && isInteger(first) && /^(ogc_)?fid$/i.test(String(first['name']))
    return isId ? String(first['name']) : undefined
  }
  const keys = infos.filter((info) => Number(info['pk']) > 0)
  const key = keys[0]
  return keys.length === 1 && key !== undefined && isInteger(key) ? String(key['name']) : undefined
}

function toAttribute(info: Row): Attribute {
  const attribute = attributeOfColumn(String(info['name']), String(info['type'] ?? ''))
  return Number(info['notnull']) === 1 ? { ...attribute, isNullable: false } : attribute
}

function toGeometry(db: DatabaseSync, name: string, declared: Row): GeometryField {
  const typeName = foldName(String(declared['geometry_type_name']))
  const type: GeometryType = geometryTypes.find((known) => foldName(known) === typeName) ?? 'Geometry'
  return {
    name,
    type,
    hasZ: Number(declared['z']) > 0,
    hasM: Number(declared['m']) > 0,
    crs: findCrs(db, Number(declared['srs_id'])),
  }
}

/** Returns the CRS of an id; undefined for ids that mean an undefined CRS (section 1.1.2). */
function findCrs(db: DatabaseSync, srsId: number): CrsDeclaration | undefined {
  if (srsId === 0 || srsId === -1) return undefined
  const row = db.prepare('SELECT * FROM gpkg_spatial_ref_sys WHERE srs_id = ?').get(srsId)
  if (row === undefined) return undefined
  const wkt = [row['definition_12_063'], row['definition']].find(isDefinition)
  const organization = String(row['organization']).trim().toUpperCase()
  const code = Number(row['organization_coordsys_id'])
  const hasCode = /^[A-Z][A-Z0-9_-]{0,31}$/.test(organization) && organization !== 'NONE' && code > 0
  if (!hasCode && wkt === undefined) return undefined
  return { srs: hasCode ? `${organization}:${code}` : undefined, wkt }
}

function isDefinition(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length <= maxDefinition &&
    !['', 'undefined'].includes(text.trim().toLowerCase())
  )
}

function toEnvelope(contents: Row): Envelope | undefined {
  const [minX, minY, maxX, maxY] = ['min_x', 'min_y', 'max_x', 'max_y'].map((name) => contents[name])
  if (![minX, minY, maxX, maxY].every((value) => typeof value === 'number' && Number.isFinite(value))) {
    return undefined
  }
  const envelope = { minX, minY, maxX, maxY } as Envelope
  return envelope.minX <= envelope.maxX && envelope.minY <= envelope.maxY ? envelope : undefined
}
