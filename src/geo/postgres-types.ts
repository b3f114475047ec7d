import { ownValue } from '../core/values/record-keys.ts'
import type { Attribute, AttributeType } from './schema.ts'

/** `pg_type.typname` of the types whose values an attribute stores exactly. */
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
 * Returns the attribute for an existing column by its `pg_type.typname` and type modifier; undefined for
 * types that are read and written as text (enumerations, JSON, arrays, domains and the like).
 */
export function attributeOfColumn(name: string, typeName: string, typmod: number): Attribute | undefined {
  const type = ownValue(attributeTypeByName, typeName)
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
