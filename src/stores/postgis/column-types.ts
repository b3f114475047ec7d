import type { Attribute, AttributeType, GeometryField } from '../../geo/schema.ts'

const maxVarchar = 10_485_760

const plainTypes = {
  boolean: 'boolean',
  int16: 'smallint',
  int32: 'integer',
  int64: 'bigint',
  float32: 'real',
  float64: 'double precision',
  date: 'date',
  time: 'time',
  timestamp: 'timestamptz',
  binary: 'bytea',
} as const

/** The PostgreSQL type of a new column. */
export function columnType(attribute: Attribute): string {
  const { type, maxLength, precision, scale } = attribute
  if (type === 'text') {
    return maxLength !== undefined && maxLength > 0 && maxLength <= maxVarchar
      ? `varchar(${maxLength})`
      : 'text'
  }
  if (type === 'decimal') {
    const isBounded = precision !== undefined && precision >= 1 && precision <= 1000
    return isBounded && (scale ?? 0) <= precision ? `numeric(${precision}, ${scale ?? 0})` : 'numeric'
  }
  return plainTypes[type]
}

/** The type of a new geometry column, such as `geometry(MultiPolygonZ, 25832)`. */
export function geometryColumnType(geometry: GeometryField, srid: number): string {
  const dimensions = (geometry.hasZ ? 'Z' : '') + (geometry.hasM ? 'M' : '')
  return `geometry(${geometry.type}${dimensions}, ${srid})`
}

/** `pg_type.typname` of the types whose values an attribute holds exactly. */
const attributeTypeByName: Record<string, AttributeType> = {
  bool: 'boolean',
  int2: 'int16',
  int4: 'int32',
  int8: 'int64',
  float4: 'float32',
  float8: 'float64',
  numeric: 'decimal',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  bytea: 'binary',
}

/**
 * The attribute for an existing column of `pg_type.typname` with its type modifier; `undefined` for types that are
 * read and written as text (enumerations, JSON, arrays, domains and the like).
 */
export function attributeOfColumn(name: string, typeName: string, typmod: number): Attribute | undefined {
  const type = attributeTypeByName[typeName]
  if (type === undefined) return undefined
  if (typmod < 4) return { name, type }
  if (typeName === 'varchar' || typeName === 'bpchar') return { name, type, maxLength: typmod - 4 }
  if (typeName === 'numeric') {
    // numeric_typmod_scale in PostgreSQL 15: eleven bits, signed.
    const scale = (((typmod - 4) & 0x7ff) ^ 1024) - 1024
    return { name, type, precision: ((typmod - 4) >> 16) & 0xffff, scale }
  }
  return { name, type }
}
