import { DistinctNames } from '../../core/text/free-name.ts'
import { foldName } from '../../formats/geopackage/index.ts'
import type { Attribute, AttributeType, Schema } from '../../geo/schema.ts'

export const idColumn = 'fid'
const defaultGeometryColumn = 'geom'
const maxNameLength = 120

/**
 * Returns a table name similar to `requested` that is not reserved by SQLite, the standard or its indexes.
 */
export function toTableName(requested: string, suffix = ''): string {
  const name = cleanName(requested, 'layer')
  return (/^(sqlite|gpkg|rtree)_/i.test(name) ? `a_${name}` : name) + suffix
}

/**
 * Normalizes to NFC, replaces blanks by `_`, removes control characters and lone surrogates, and truncates.
 */
function cleanName(requested: string, fallback: string): string {
  const cleaned = requested
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

/**
 * Returns the column names of a new table: the geometry's, then one for each attribute, unique without case.
 * The attribute `identity` is stored in the id column.
 */
export function toColumnNames(schema: Schema, identity?: number): { geometry: string; attributes: string[] } {
  const geometry = cleanName(schema.geometry?.name ?? '', defaultGeometryColumn)
  const isFree = fold(geometry) !== idColumn
  const geometryName = isFree ? geometry : defaultGeometryColumn
  const taken = [idColumn, ...(schema.geometry === undefined ? [] : [fold(geometryName)])]
  const names = new DistinctNames({ taken, fold, separator: '_', first: 1 })
  const attributes = schema.attributes.map(({ name }, index) =>
    index === identity ? idColumn : names.take(cleanName(name, 'column')),
  )
  return { geometry: geometryName, attributes }
}

/** Returns the data type of a new column (OGC 12-128r18, table 1). */
export function columnType(attribute: Attribute): string {
  const { type, maxLength } = storedAttribute(attribute)
  if (type === 'text' && maxLength !== undefined && maxLength > 0) return `TEXT(${maxLength})`
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
  text: 'TEXT',
  date: 'DATE',
  time: 'TEXT',
  timestamp: 'DATETIME',
  binary: 'BLOB',
} as const

/** Decimal digits that a double represents exactly (DBL_DIG). */
const doubleDigits = 15
/** Number of decimal digits that always fit into integers of 16, 32 and 64 bits. */
const integerDigits = [
  ['int16', 4],
  ['int32', 9],
  ['int64', 18],
] as const

/** Returns the attribute as read back from a new column. GeoPackage has no decimals and no times. */
export function storedAttribute(attribute: Attribute): Attribute {
  const { type, name, maxLength } = attribute
  if (type === 'decimal') return { name, type: decimalType(attribute) }
  if (type === 'time') return { name, type: 'text' }
  return type === 'text' && maxLength !== undefined && maxLength > 0
    ? { name, type, maxLength }
    : { name, type }
}

/** Returns an integer if the scale is 0, a double if it represents every value, otherwise text. */
function decimalType({ precision, scale = 0 }: Attribute): AttributeType {
  if (precision === undefined || scale < 0 || scale > precision) return 'text'
  const integer = integerDigits.find(([, digits]) => precision <= digits)
  if (scale === 0) return integer?.[0] ?? 'text'
  return precision <= doubleDigits ? 'float64' : 'text'
}
