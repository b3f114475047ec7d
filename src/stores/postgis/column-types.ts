import type { Attribute, GeometryField } from '../../geo/schema.ts'

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

/** Returns the PostgreSQL type of a new column. */
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

/** Returns the type of a new geometry column, such as `geometry(MultiPolygonZ, 25832)`. */
export function geometryColumnType(
  geometry: Pick<GeometryField, 'type' | 'hasZ' | 'hasM'>,
  srid: number,
): string {
  const dimensions = (geometry.hasZ ? 'Z' : '') + (geometry.hasM ? 'M' : '')
  return `geometry(${geometry.type}${dimensions}, ${srid})`
}
