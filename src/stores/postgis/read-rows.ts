import { quoteIdentifier } from '../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { firstDay, firstMicros, lastDay, lastMicros } from '../../geo/infinite-times.ts'
import type { Attribute, AttributeType, Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { TableFacts } from './table-facts.ts'

/** A row from `pg` with `rowMode: 'array'` and every value as text. */
export type TextRow = (string | null)[]

/** Makes `pg` return every value as the server sent it. */
export const textTypes = {
  getTypeParser:
    () =>
    (text: string): string =>
      text,
}

/** The first moment whose microseconds since 1970 exceed 64 bits; PostgreSQL supports 29 more years. */
const endOfMicros = `timestamptz '294247-01-10 04:00:54.775807Z'`

/** Returns an expression that converts a column to text from which `appendText` restores the exact value. */
export function attributeSql(column: string, type: AttributeType, sqlType: string): string {
  if (type === 'date')
    return `(case ${column} when 'infinity' then ${lastDay} when '-infinity' then ${firstDay} else ${column} - date '1970-01-01' end)::text`
  if (type === 'timestamp') {
    const micros = microsSql(column, sqlType)
    return `case ${column} when 'infinity' then '${lastMicros}' when '-infinity' then '${firstMicros}' else ${micros} end`
  }
  if (type === 'time') return `(extract(epoch from ${column}) * 1000000)::int8::text`
  return type === 'binary' ? `encode(${column}, 'hex')` : `${column}::text`
}

/** The same for values shown in features: infinite dates and times are null. */
function finiteSql(column: string, type: AttributeType, sqlType: string): string {
  if (type === 'date') return `case when isfinite(${column}) then (${column} - date '1970-01-01')::text end`
  if (type === 'timestamp') return `case when isfinite(${column}) then ${microsSql(column, sqlType)} end`
  return attributeSql(column, type, sqlType)
}

/** Null for later times. */
function microsSql(column: string, sqlType: string): string {
  const instant = sqlType.startsWith('timestamp without') ? `(${column} at time zone 'UTC')` : column
  return `case when ${instant} < ${endOfMicros} then trunc(extract(epoch from ${instant}) * 1000000)::int8::text end`
}

/**
 * Returns SQL for a geometry column as hexadecimal WKB; curves are converted to lines, which all other parts
 * require.
 */
export function geometrySql(column: string, isGeography: boolean): string {
  const geometry = isGeography ? `${column}::geometry` : column
  return `encode(ST_AsBinary(case when ST_HasArc(${geometry}) then ST_CurveToLine(${geometry}) else ${geometry} end, 'NDR'), 'hex')`
}

/**
 * Returns expressions for the attributes and geometry of a table, in the order of its schema. With `isExact`,
 * infinite dates and times are the ends of their ranges, otherwise null.
 */
export function selectList(
  facts: TableFacts,
  attributes: Attribute[],
  { isExact }: { isExact: boolean },
): string[] {
  const valueSql = isExact ? attributeSql : finiteSql
  const list = attributes.map((attribute) => {
    const column = facts.columns.find(({ name }) => name === attribute.name)
    return valueSql(quoteIdentifier(attribute.name), attribute.type, column?.sqlType ?? '')
  })
  const { geometry } = facts
  if (geometry !== undefined) list.push(geometrySql(quoteIdentifier(geometry.name), geometry.isGeography))
  return list
}

/**
 * Creates a batch from rows whose values start at `first`, in the order of the above expressions with the
 * geometry last. An unreadable geometry becomes null.
 */
export function batchOfRows(
  schema: Schema,
  rows: TextRow[],
  first: number,
  rowNumber: (row: TextRow, index: number) => number,
): FeatureBatch {
  const builder = new BatchBuilder(schema, Math.max(rows.length, 1))
  const geometryAt = first + schema.attributes.length
  rows.forEach((row, index) => {
    builder.columns.forEach((column, number) => {
      appendText(column, row[first + number] ?? null)
    })
    const geometry = row[geometryAt]
    if (geometry != null) appendGeometry(builder, Buffer.from(geometry, 'hex'))
    builder.endRow(rowNumber(row, index))
  })
  return builder.finish()
}

function appendGeometry(builder: BatchBuilder, bytes: Uint8Array): void {
  try {
    builder.geometry?.appendWkb(bytes)
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error
    builder.geometry?.abandon()
  }
}

function appendText(builder: ColumnBuilder, text: string | null): void {
  if (text === null) builder.appendNull()
  else if (builder.kind === 'big') builder.append(BigInt(text))
  else if (builder.kind === 'fixed') {
    builder.append(builder.type === 'boolean' ? Number(text === 'true' || text === 't') : Number(text))
  } else if (builder.type === 'binary') builder.appendBytes(Buffer.from(text, 'hex'))
  else builder.appendString(text)
}
