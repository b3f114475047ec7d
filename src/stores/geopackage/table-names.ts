import { foldName } from '../../formats/geopackage/sql-names.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { DistinctNames } from '../../lib/text/free-name.ts'

export const idColumn = 'fid'
const defaultGeometryColumn = 'geom'
const maxNameLength = 120

/** A name like `wanted` for a table: none of those kept for SQLite, the standard and its indexes. */
export function toTableName(wanted: string, suffix = ''): string {
  const name = cleanName(wanted, 'layer')
  return (/^(sqlite|gpkg|rtree)_/i.test(name) ? `a_${name}` : name) + suffix
}

/** NFC, blanks as `_`, no control characters, no lone surrogates, cut to a sensible length. */
function cleanName(wanted: string, fallback: string): string {
  const cleaned = wanted
    .normalize('NFC')
    .toWellFormed()
    .trim()
    .replace(/\s/gu, '_')
    .replace(/\p{Cc}/gu, '')
  return [...cleaned].slice(0, maxNameLength).join('') || fallback
}

function fold(name: string): string {
  return foldName(name.toLowerCase())
}

/** Column names of a new table: the geometry's, then one for each attribute, all different whatever their case. */
export function toColumnNames(schema: Schema): { geometry: string; attributes: string[] } {
  const geometry = cleanName(schema.geometry?.name ?? '', defaultGeometryColumn)
  const isFree = fold(geometry) !== idColumn
  const geometryName = isFree ? geometry : defaultGeometryColumn
  const taken = [idColumn, ...(schema.geometry === undefined ? [] : [fold(geometryName)])]
  const names = new DistinctNames({ taken, fold, separator: '_', first: 1 })
  const attributes = schema.attributes.map(({ name }) => names.take(cleanName(name, 'column')))
  return { geometry: geometryName, attributes }
}

/** The data type of a new column (OGC 12-128r18, table 1); what it has no type for is kept as text. */
export function columnType({ type, maxLength }: Attribute): string {
  if (type === 'text') return maxLength !== undefined && maxLength > 0 ? `TEXT(${maxLength})` : 'TEXT'
  return plainTypes[type]
}

const plainTypes = {
  boolean: 'BOOLEAN',
  int16: 'SMALLINT',
  int32: 'MEDIUMINT',
  int64: 'INTEGER',
  float32: 'FLOAT',
  float64: 'DOUBLE',
  decimal: 'TEXT',
  date: 'DATE',
  time: 'TEXT',
  timestamp: 'DATETIME',
  binary: 'BLOB',
} as const

/** The attribute that a new column of an attribute is read back as. */
export function storedAttribute(attribute: Attribute): Attribute {
  const { type, name, maxLength } = attribute
  if (type === 'decimal' || type === 'time') return { name, type: 'text' }
  return type === 'text' && maxLength !== undefined && maxLength > 0
    ? { name, type, maxLength }
    : { name, type }
}
