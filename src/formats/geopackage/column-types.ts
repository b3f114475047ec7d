import { ownValue } from '../../core/values/record-keys.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'

/** Data types of the standard (OGC 12-128r18, table 1), and those that other programs declare. */
const typesByName: Record<string, AttributeType> = {
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TINYINT: 'int16',
  SMALLINT: 'int16',
  INT2: 'int16',
  MEDIUMINT: 'int32',
  INT4: 'int32',
  INT: 'int64',
  INTEGER: 'int64',
  FLOAT: 'float32',
  DOUBLE: 'float64',
  REAL: 'float64',
  DECIMAL: 'decimal',
  NUMERIC: 'decimal',
  TEXT: 'text',
  BLOB: 'binary',
  DATE: 'date',
  DATETIME: 'timestamp',
  TIMESTAMP: 'timestamp',
}

const declaredForm = /^\s*([^(]*?)\s*(?:\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\))?\s*$/

/**
 * Returns the attribute of a column by its declared type; for unknown types by SQLite's affinity (datatype3,
 * section 3.1).
 */
export function attributeOfColumn(name: string, declared: string): Attribute {
  const [, word = '', length, scale] = declaredForm.exec(declared) ?? []
  const upper = word.toUpperCase()
  const type = ownValue(typesByName, upper) ?? affinityType(upper)
  if (type === 'text' && length !== undefined && Number(length) > 0) {
    return { name, type, maxLength: Number(length) }
  }
  if (type !== 'decimal' || length === undefined) return { name, type }
  return { name, type, precision: Number(length), scale: Number(scale ?? 0) }
}

function affinityType(upper: string): AttributeType {
  if (upper.includes('INT')) return 'int64'
  if (/CHAR|CLOB|TEXT/.test(upper)) return 'text'
  if (/BLOB|BINARY/.test(upper) || geometryNames.has(upper)) return 'binary'
  return /REAL|FLOA|DOUB/.test(upper) ? 'float64' : 'text'
}

const geometryNames = new Set([
  'GEOMETRY',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
])
