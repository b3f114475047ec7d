import type { AttributeType } from './schema.ts'

/** Fixed-width values in Arrow's primitive layout: `values[row]`, undefined where the row is null. */
export interface FixedColumn {
  kind: 'fixed'
  type: 'boolean' | 'int16' | 'int32' | 'float32' | 'float64' | 'date'
  values: Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array
  validity: Uint8Array
  nullCount: number
}

/**
 * 64-bit integers: `int64`, and microseconds for `time` and `timestamp`. Hot paths copy the bytes unchanged.
 */
export interface BigColumn {
  kind: 'big'
  type: 'int64' | 'time' | 'timestamp'
  values: BigInt64Array
  validity: Uint8Array
  nullCount: number
}

/** Values of any width: row r is `bytes[offsets[r] .. offsets[r + 1])`; UTF-8 for `text` and `decimal`. */
export interface VarColumn {
  kind: 'var'
  type: 'text' | 'decimal' | 'binary'
  offsets: Uint32Array
  bytes: Uint8Array
  validity: Uint8Array
  nullCount: number
}

/** Values of one attribute in a batch. */
export type Column = FixedColumn | BigColumn | VarColumn

/**
 * Types whose cells are 64-bit integers, and types whose cells are bytes with offsets. All other cells are
 * numbers.
 */
const bigTypes = ['int64', 'time', 'timestamp'] as const
const varTypes = ['text', 'decimal', 'binary'] as const

/** Reads an Arrow validity bitmap, least significant bit first: a set bit is a value, a clear bit is null. */
export function isValid(validity: Uint8Array, row: number): boolean {
  return (((validity[row >> 3] as number) >> (row & 7)) & 1) === 1
}

/** A value may begin with U+FEFF, which is not a byte order mark there. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns one value as a JavaScript value; for tests, rejects and small responses, never on the hot path. */
export function columnValue(
  column: Column,
  row: number,
): string | number | bigint | boolean | Uint8Array | null {
  if (!isValid(column.validity, row)) return null
  if (column.kind === 'var') {
    const bytes = column.bytes.subarray(column.offsets[row], column.offsets[row + 1])
    return column.type === 'binary' ? bytes : decoder.decode(bytes)
  }
  const value = column.values[row] as number | bigint
  return column.type === 'boolean' ? value === 1 : value
}

/** Returns the layout of a type's column. */
export function columnKind(type: AttributeType): Column['kind'] {
  if ((bigTypes as readonly string[]).includes(type)) return 'big'
  return (varTypes as readonly string[]).includes(type) ? 'var' : 'fixed'
}

/** True if a cell that is not null is text of spaces only; false for other types. */
export function isBlankText(column: Column, row: number): boolean {
  if (column.kind !== 'var' || column.type !== 'text') return false
  const { bytes, offsets } = column
  const end = offsets[row + 1] as number
  for (let at = offsets[row] as number; at < end; at += 1) if ((bytes[at] as number) > 0x20) return false
  return true
}
