import { TimeReader } from '../../core/values/time-reader.ts'
import { geopackageDateTime } from '../../core/values/time-rules.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { AttributeType } from '../../geo/schema.ts'

const encoder = new TextEncoder()
const reader = new TimeReader(geopackageDateTime)

/** Parses a DATE, `YYYY-MM-DD`, to days since 1970-01-01. */
export function parseDate(text: string): number | undefined {
  const bytes = encoder.encode(text)
  return reader.parseDate(bytes, 0, bytes.length) ? reader.days : undefined
}

/**
 * Parses a DATETIME to microseconds since 1970-01-01T00:00:00Z. The form of the standard is
 * `YYYY-MM-DDTHH:MM:SS.SSSZ`; other forms of `geopackageDateTime` are accepted too.
 */
export function parseTimestamp(text: string): bigint | undefined {
  return reader.parseText(text) ? BigInt(reader.sinceEpoch) : undefined
}

/** Values that SQLite returns; integers are bigint. */
export type SqliteValue = null | bigint | number | string | Uint8Array

const integerRanges = {
  boolean: [0n, 1n],
  int16: [-32_768n, 32_767n],
  int32: [-2_147_483_648n, 2_147_483_647n],
} as const

/**
 * Appends an SQLite value to a column of `type`. SQLite stores any kind of value in any column: a value that
 * does not match the type is not appended, and the reason is returned.
 */
export function appendSqlValue(
  column: ColumnBuilder,
  type: AttributeType,
  value: SqliteValue,
): string | undefined {
  if (value === null) {
    column.appendNull()
    return undefined
  }
  const isAppended =
    column.kind === 'var'
      ? appendVar(column, value)
      : column.kind === 'big'
        ? appendBig(column, value)
        : appendFixed(column, type, value)
  return isAppended ? undefined : `A value of type ${type} was expected, found ${describeValue(value)}`
}

/** Describes a value, truncated to 80 characters. */
function describeValue(value: SqliteValue): string {
  if (value instanceof Uint8Array) return `${value.length} bytes of binary`
  return typeof value === 'string' ? `the text "${value.slice(0, 80)}"` : String(value)
}

function appendVar(column: VarBuilder, value: SqliteValue): boolean {
  if (value instanceof Uint8Array) {
    if (column.type !== 'binary') return false
    column.appendBytes(value)
    return true
  }
  if (column.type === 'binary' || value === null) return false
  if (column.type === 'decimal' && typeof value === 'string' && !/^[+-]?\d+(\.\d+)?$/.test(value))
    return false
  if (column.type === 'decimal' && typeof value === 'number' && !Number.isFinite(value)) return false
  column.appendString(typeof value === 'number' ? numberText(value) : String(value))
  return true
}

/** Formats a double with as many digits as needed, without exponent. */
function numberText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  return Math.abs(value) < 1 ? value.toFixed(100).replace(/0+$/, '') : BigInt(Math.round(value)).toString()
}

function appendBig(column: BigBuilder, value: SqliteValue): boolean {
  if (column.type === 'int64') {
    if (typeof value !== 'bigint') return false
    column.append(value)
    return true
  }
  const micros = typeof value === 'string' ? parseTimestamp(value) : undefined
  if (micros === undefined) return false
  column.append(micros)
  return true
}

function appendFixed(column: FixedBuilder, type: AttributeType, value: SqliteValue): boolean {
  if (type === 'date') {
    const days = typeof value === 'string' ? parseDate(value) : undefined
    if (days === undefined) return false
    column.append(days)
    return true
  }
  if (type === 'float32' || type === 'float64') {
    if (typeof value !== 'number' && typeof value !== 'bigint') return false
    column.append(Number(value))
    return true
  }
  const [least, most] = integerRanges[type as keyof typeof integerRanges]
  if (typeof value !== 'bigint' || value < least || value > most) return false
  column.append(Number(value))
  return true
}
