import type { StatementSync } from 'node:sqlite'
import type { BatchBuilder, RejectedRow } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { SqliteValue } from './append-value.ts'
import { appendSqlValue } from './append-value.ts'
import { wkbStart } from './geometry-blob.ts'
import { quoteName } from './sql-names.ts'
import type { GeoPackageTable } from './tables.ts'

/**
 * Returns a select list with id, geometry and attributes of a table; null for missing ones. `alias`: alias of
 * the table.
 */
export function selectList({ idColumn, schema }: GeoPackageTable, alias?: string): string {
  const names = [idColumn, schema.geometry?.name, ...schema.attributes.map(({ name }) => name)]
  const prefix = alias === undefined ? '' : `${alias}.`
  return names.map((name) => (name === undefined ? 'NULL' : `${prefix}${quoteName(name)}`)).join(', ')
}

/** Iterates over the rows of a statement with `selectList`, as arrays with integers as bigint. */
export function iterateRows(statement: StatementSync, ...bound: SqliteValue[]): Iterable<SqliteValue[]> {
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return statement.iterate(...bound) as Iterable<unknown> as Iterable<SqliteValue[]>
}

/** Appends one row of `selectList`, or rejects it; returns true if it was appended. */
export function appendRow(builder: BatchBuilder, values: SqliteValue[], rowNumber: number): boolean {
  const { attributes } = builder.schema
  for (let index = 0; index < attributes.length; index += 1) {
    const { name, type } = attributes[index] as { name: string; type: Parameters<typeof appendSqlValue>[1] }
    const value = values[index + 2] as SqliteValue
    const reason = appendSqlValue(builder.columns[index] as ColumnBuilder, type, value)
    if (reason === undefined) continue
    builder.rejectRow({ ...reject(builder, values, rowNumber, reason), field: name, value: shown(value) })
    return false
  }
  const geometry = values[1] as SqliteValue
  if (builder.geometry !== undefined && geometry !== null) {
    const reason = appendGeometry(builder, geometry)
    if (reason !== undefined) {
      builder.rejectRow(reject(builder, values, rowNumber, reason))
      return false
    }
  }
  builder.endRow(rowNumber)
  return true
}

function appendGeometry(builder: BatchBuilder, value: SqliteValue): string | undefined {
  if (!(value instanceof Uint8Array)) return 'The geometry is not binary'
  try {
    builder.geometry?.appendWkb(value, wkbStart(value, 0, value.length))
    return undefined
  } catch (error) {
    if (error instanceof GeometryError) return error.message
    throw error
  }
}

function shown(value: SqliteValue): string {
  return value instanceof Uint8Array ? `${value.length} bytes` : String(value).slice(0, 200)
}

function reject(builder: BatchBuilder, values: SqliteValue[], row: number, reason: string): RejectedRow {
  const properties: Record<string, unknown> = {}
  builder.schema.attributes.forEach(({ name }, index) => {
    const value = values[index + 2] as SqliteValue
    properties[name] = value instanceof Uint8Array ? shown(value) : value
  })
  return { row, reason, properties }
}
