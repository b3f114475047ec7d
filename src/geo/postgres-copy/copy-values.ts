import { isUtf8Range } from '../../core/text/utf8.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../column-builder.ts'
import type { GeometryBuilder } from '../geometry-builder.ts'
import { firstDay, firstMicros, lastDay, lastMicros } from '../infinite-times.ts'
import { GeometryError } from '../wkb.ts'
import { NumericText } from './numeric-text.ts'

/** PostgreSQL counts from 2000-01-01. */
const epochDays = 10_957
const epochMicroseconds = epochDays * 86_400_000_000
const latestMicroseconds = 2n ** 63n - 1n - BigInt(epochMicroseconds)
const two32 = 4_294_967_296

const widths = {
  boolean: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  float32: 4,
  float64: 8,
  date: 4,
  time: 8,
  timestamp: 8,
} as const

const malformed = 'The database sent a value of an unexpected size'

/** Appends the field `bytes[start, end)` of a binary COPY to its column, or returns why it cannot. */
export function appendField(
  column: ColumnBuilder,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): string | undefined {
  if (column.kind === 'var') return appendBytes(column, bytes, view, start, end)
  if (end - start !== widths[column.type]) return malformed
  return column.kind === 'big' ? appendBig(column, view, start) : appendFixed(column, view, start)
}

function appendFixed(column: FixedBuilder, view: DataView, start: number): string | undefined {
  switch (column.type) {
    case 'boolean':
      column.append(view.getUint8(start))
      return undefined
    case 'int16':
      column.append(view.getInt16(start))
      return undefined
    case 'int32':
      column.append(view.getInt32(start))
      return undefined
    case 'float32':
      column.append(view.getFloat32(start))
      return undefined
    case 'float64':
      column.append(view.getFloat64(start))
      return undefined
    case 'date': {
      const days = view.getInt32(start)
      // Infinite dates are the ends of the range here and there.
      column.append(days === lastDay || days === firstDay ? days : days + epochDays)
      return undefined
    }
  }
}

function appendBig(column: BigBuilder, view: DataView, start: number): string | undefined {
  const high = view.getInt32(start)
  const isInstant = column.type === 'timestamp'
  if (isInstant) {
    const low = view.getUint32(start + 4)
    if (high === lastDay && low === two32 - 1) {
      column.append(lastMicros)
      return undefined
    }
    if (high === firstDay && low === 0) {
      column.append(firstMicros)
      return undefined
    }
    if (high > 0x7ff00000 && view.getBigInt64(start) >= latestMicroseconds) return 'The time is too late'
  }
  const offset = isInstant ? epochMicroseconds : 0
  const value = high * two32 + view.getUint32(start + 4) + offset
  if (Number.isSafeInteger(value)) column.appendNumber(value)
  else column.append(view.getBigInt64(start) + BigInt(offset))
  return undefined
}

const numeric = new NumericText()

function appendBytes(
  column: VarBuilder,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): string | undefined {
  if (column.type === 'decimal') {
    if (!numeric.read(view, start, end)) return malformed
    column.appendBytes(numeric.bytes, 0, numeric.length)
    return undefined
  }
  if (column.type === 'text' && !isUtf8Range(bytes, start, end)) return 'The text is not UTF-8'
  column.appendBytes(bytes, start, end)
  return undefined
}

const pointBytes = 21

/** Appends the WKB `bytes[start, end)`, or returns why it is not a supported geometry. */
export function appendGeometry(
  geometry: GeometryBuilder,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): string | undefined {
  try {
    const isPoint = end - start === pointBytes && bytes[start] === 1 && view.getUint32(start + 1, true) === 1
    if (isPoint && appendPoint(geometry, view, start)) return undefined
    geometry.appendWkb(bytes, start, end)
    return undefined
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error
    return error.message
  }
}

/** Appends a 2D point without a scan; false for an empty one. */
function appendPoint(geometry: GeometryBuilder, view: DataView, start: number): boolean {
  const x = view.getFloat64(start + 5, true)
  const y = view.getFloat64(start + 13, true)
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false
  geometry.header(1, false, false)
  geometry.coordinate(x, y)
  geometry.endGeometry()
  return true
}
