import { isValidUtf8 } from '../../core/text/text-encoding.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { isoDateTime } from '../../core/values/time-rules.ts'
import type { ColumnBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { FgbColumnType, FgbHeader } from './fgb-header.ts'

const times = new TimeReader(isoDateTime)

/** The error for bytes of a value that do not match its column. */
export class ValueError extends Error {
  readonly value: string

  constructor(value: string, message: string) {
    super(message)
    this.name = 'ValueError'
    this.value = value
  }
}

/** Appends the value at `at` to its column and returns the offset after it. Throws `ValueError`. */
export type FgbValueReader = (view: DataView, bytes: Uint8Array, at: number, end: number) => number

const fixedBytes: Partial<Record<FgbColumnType, number>> = {
  Byte: 1,
  UByte: 1,
  Bool: 1,
  Short: 2,
  UShort: 2,
  Int: 4,
  UInt: 4,
  Long: 8,
  ULong: 8,
  Float: 4,
  Double: 8,
}

/** Returns a reader that fills `builder` with values of a column type (feature.fbs, properties). */
export function bindFgbReader(type: FgbColumnType, builder: ColumnBuilder): FgbValueReader {
  const count = fixedBytes[type]
  if (count === undefined) return lengthReader(type, builder)
  const append = fixedAppender(type, builder)
  return (view, _bytes, at, end) => {
    if (at + count > end) throw new ValueError('', `ends early: ${end - at} of ${count} bytes`)
    append(view, at)
    return at + count
  }
}

type Append = (view: DataView, at: number) => void

function fixedAppender(type: FgbColumnType, builder: ColumnBuilder): Append {
  if (builder.kind === 'var') return (view, at) => builder.appendString(String(view.getBigUint64(at, true)))
  if (builder.kind === 'big') {
    if (type === 'UInt') return (view, at) => builder.appendNumber(view.getUint32(at, true))
    return (view, at) => builder.append(view.getBigInt64(at, true))
  }
  switch (type) {
    case 'Byte':
      return (view, at) => builder.append(view.getInt8(at))
    case 'UByte':
      return (view, at) => builder.append(view.getUint8(at))
    case 'Bool':
      return (view, at) => builder.append(view.getUint8(at) === 0 ? 0 : 1)
    case 'Short':
      return (view, at) => builder.append(view.getInt16(at, true))
    case 'UShort':
      return (view, at) => builder.append(view.getUint16(at, true))
    case 'Int':
      return (view, at) => builder.append(view.getInt32(at, true))
    case 'Float':
      return (view, at) => builder.append(view.getFloat32(at, true))
    default:
      return (view, at) => builder.append(view.getFloat64(at, true))
  }
}

/** Texts, times and binary values follow their length. */
function lengthReader(type: FgbColumnType, builder: ColumnBuilder): FgbValueReader {
  return (view, bytes, at, end) => {
    const start = at + 4
    const length = start > end ? 0 : view.getUint32(at, true)
    if (start + length > end) throw new ValueError('', `ends early: ${length} bytes, ${end - start} left`)
    if (builder.kind === 'var') {
      if (type === 'Binary') builder.appendBytes(bytes, start, start + length)
      else appendText(builder, bytes, start, start + length)
    } else if (builder.kind === 'big') {
      if (length === 0) builder.appendNull()
      else builder.appendExact(timestampAt(bytes, start, start + length))
    }
    return start + length
  }
}

/**
 * Texts must be UTF-8 without NUL, which no database accepts; ASCII is copied by the loop that searches for
 * other bytes.
 */
function appendText(builder: VarBuilder, bytes: Uint8Array, start: number, end: number): void {
  const target = builder.reserve(end - start)
  const to = builder.byteLength - start
  let at = start
  for (; at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte === 0 || byte >= 0x80) break
    target[to + at] = byte
  }
  if (at === end) {
    builder.commit(end - start)
    return
  }
  if (!isValidUtf8(bytes, at, end)) throw new ValueError(sample(bytes, start, end), 'is not UTF-8 text')
  if (bytes.subarray(at, end).includes(0))
    throw new ValueError(sample(bytes, start, end), 'holds a NUL character')
  builder.appendBytes(bytes, start, end)
}

function timestampAt(bytes: Uint8Array, start: number, end: number): number | bigint {
  if (times.parse(bytes, start, end)) return times.sinceEpoch
  throw new ValueError(sample(bytes, start, end), 'is not a date and time of ISO 8601')
}

function sample(bytes: Uint8Array, start: number, end: number): string {
  return new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + 200)))
}

/** Returns the readable raw values by column name, for rejected rows. */
export function rawValues(
  columns: FgbHeader['columns'],
  view: DataView,
  start: number,
  end: number,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  let at = start
  while (at + 2 <= end) {
    const column = columns[view.getUint16(at, true)]
    if (column === undefined) break
    at += 2
    const fixed = fixedBytes[column.type]
    const length = fixed ?? (at + 4 <= end ? view.getUint32(at, true) : end)
    if (fixed === undefined) at += 4
    if (at + length > end) break
    values[column.attribute.name] = rawValue(
      column.type,
      new DataView(view.buffer, view.byteOffset + at, length),
    )
    at += length
  }
  return values
}

function rawValue(type: FgbColumnType, view: DataView): unknown {
  switch (type) {
    case 'Byte':
      return view.getInt8(0)
    case 'UByte':
      return view.getUint8(0)
    case 'Bool':
      return view.getUint8(0) !== 0
    case 'Short':
      return view.getInt16(0, true)
    case 'UShort':
      return view.getUint16(0, true)
    case 'Int':
      return view.getInt32(0, true)
    case 'UInt':
      return view.getUint32(0, true)
    case 'Long':
      return String(view.getBigInt64(0, true))
    case 'ULong':
      return String(view.getBigUint64(0, true))
    case 'Float':
      return view.getFloat32(0, true)
    case 'Double':
      return view.getFloat64(0, true)
    case 'Binary':
      return Buffer.from(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength).toString('base64')
    default:
      return new TextDecoder().decode(view)
  }
}
