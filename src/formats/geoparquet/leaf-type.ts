import { isValidUtf8 } from '../../core/text/text-encoding.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import type { Attribute } from '../../geo/schema.ts'
import type { ParquetNode } from './parquet-file.ts'
import { decimalText, halfFloat, intervalText, uuidText } from './special-values.ts'
import type { ParquetValueSource } from './value-source.ts'

/** Appends the current value of `source`; returns the reason if it cannot be represented, otherwise ''. */
export type AppendValue = (source: ParquetValueSource, builder: ColumnBuilder) => string

/** Attribute type of the values of a leaf column (Apache Parquet format, "LogicalTypes"). */
export interface LeafType {
  attribute: Omit<Attribute, 'name'>
  append: AppendValue
}

const microsPerDay = 86_400_000_000n
const julianDayOf1970 = 2_440_588n
const outOfRange = 'The time is out of range'

/** Appends a time in microseconds to a 64-bit column. */
function appendMicros(builder: ColumnBuilder, micros: bigint): string {
  if (builder.kind !== 'big' || BigInt.asIntN(64, micros) !== micros) return outOfRange
  builder.append(micros)
  return ''
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value % by < 0n ? quotient - 1n : quotient
}

const fixed =
  (read: (source: ParquetValueSource) => number): AppendValue =>
  (source, builder) => {
    if (builder.kind === 'fixed') builder.append(read(source))
    else if (builder.kind === 'big') builder.appendNumber(read(source))
    return ''
  }

const int32 = fixed(({ view, start }) => view.getInt32(start, true))
const uint32 = fixed(({ view, start }) => view.getUint32(start, true))

const int64: AppendValue = ({ view, start }, builder) => {
  if (builder.kind === 'big') builder.append(view.getBigInt64(start, true))
  return ''
}

/** Returns an appender of times whose units are converted to microseconds by a factor and a divisor. */
const micros64 =
  (multiply: bigint, divide: bigint): AppendValue =>
  ({ view, start }, builder) =>
    appendMicros(builder, floorDivide(view.getBigInt64(start, true) * multiply, divide))

/** Text must be UTF-8 without NUL, which no database accepts. */
const text: AppendValue = ({ bytes, start, end }, builder) => {
  if (builder.kind !== 'var') return ''
  let at = start
  while (at < end && (bytes[at] as number) > 0 && (bytes[at] as number) < 0x80) at += 1
  if (at < end) {
    if (!isValidUtf8(bytes, at, end)) return 'The text is not UTF-8'
    if (bytes.subarray(at, end).includes(0)) return 'The text has a NUL character'
  }
  builder.appendBytes(bytes, start, end)
  return ''
}

const binary: AppendValue = ({ bytes, start, end }, builder) => {
  if (builder.kind === 'var') builder.appendBytes(bytes, start, end)
  return ''
}

const made =
  (make: (source: ParquetValueSource) => string): AppendValue =>
  (source, builder) => {
    if (builder.kind === 'var') builder.appendString(make(source))
    return ''
  }

const type = (name: Attribute['type'], append: AppendValue): LeafType => ({
  attribute: { type: name },
  append,
})

function decimalType(node: ParquetNode): LeafType {
  const { element } = node
  const { precision, scale = 0 } = element.logical_type?.type === 'DECIMAL' ? element.logical_type : element
  const isGood = scale >= 0 && scale <= 1000
  const attribute: LeafType['attribute'] = { type: 'decimal', scale: isGood ? scale : 0 }
  if (precision !== undefined) attribute.precision = precision
  const unscaled = (source: ParquetValueSource): bigint => {
    if (element.type === 'INT32') return BigInt(source.view.getInt32(source.start, true))
    if (element.type === 'INT64') return source.view.getBigInt64(source.start, true)
    return bigEndian(source)
  }
  return {
    attribute,
    append: (source, builder) => {
      if (source.end - source.start > 512) return 'The number has more than 1200 digits'
      if (builder.kind === 'var') builder.appendString(decimalText(unscaled(source), isGood ? scale : 0))
      return ''
    },
  }
}

function bigEndian({ bytes, start, end }: ParquetValueSource): bigint {
  if (start === end) return 0n
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('hex')
  return BigInt.asIntN((end - start) * 8, BigInt(`0x${hex}`))
}

function int32Type({ element }: ParquetNode): LeafType {
  const { converted_type: converted, logical_type: logical } = element
  if (converted === 'DATE' || logical?.type === 'DATE') return type('date', int32)
  if (converted === 'TIME_MILLIS' || logical?.type === 'TIME') {
    return type(
      'time',
      fixed(({ view, start }) => view.getInt32(start, true) * 1000),
    )
  }
  const isUnsigned = logical?.type === 'INTEGER' ? !logical.isSigned : converted?.startsWith('UINT') === true
  const width =
    logical?.type === 'INTEGER'
      ? logical.bitWidth
      : Number(/\d+$/.exec(converted?.includes('INT') ? converted : '')?.[0] ?? 32)
  if (isUnsigned && width === 32) return type('int64', uint32)
  return type(width < 16 || (width === 16 && !isUnsigned) ? 'int16' : 'int32', int32)
}

/** Factor and divisor for microseconds; the file may name an unknown unit. */
const units: Record<string, readonly [bigint, bigint]> = {
  MILLIS: [1000n, 1n],
  MICROS: [1n, 1n],
  NANOS: [1n, 1000n],
}

function inUnit(unit: string): AppendValue {
  const [multiply, divide] = ownValue(units, unit) ?? [1n, 1n]
  return micros64(multiply, divide)
}

function int64Type({ element }: ParquetNode): LeafType {
  const { converted_type: converted, logical_type: logical } = element
  if (logical?.type === 'TIMESTAMP') return type('timestamp', inUnit(logical.unit))
  if (logical?.type === 'TIME') return type('time', inUnit(logical.unit))
  if (converted === 'TIMESTAMP_MILLIS') return type('timestamp', inUnit('MILLIS'))
  if (converted === 'TIMESTAMP_MICROS') return type('timestamp', int64)
  if (converted === 'TIME_MICROS') return type('time', int64)
  if (converted === 'UINT_64' || (logical?.type === 'INTEGER' && !logical.isSigned)) {
    const attribute = { type: 'decimal', precision: 20, scale: 0 } as const
    return { attribute, append: made(({ view, start }) => String(view.getBigUint64(start, true))) }
  }
  return type('int64', int64)
}

/** Nanoseconds of the day and the Julian day. */
const int96: AppendValue = ({ view, start }, builder) => {
  const days = BigInt(view.getInt32(start + 8, true)) - julianDayOf1970
  return appendMicros(builder, days * microsPerDay + view.getBigInt64(start, true) / 1000n)
}

function bytesType({ element }: ParquetNode): LeafType {
  const { converted_type: converted, logical_type: logical, type: physical, type_length: length } = element
  const isText = ['STRING', 'ENUM', 'JSON'].includes(logical?.type ?? '')
  if (isText || ['UTF8', 'ENUM', 'JSON'].includes(converted ?? '')) return type('text', text)
  if (physical !== 'FIXED_LEN_BYTE_ARRAY') return type('binary', binary)
  if (logical?.type === 'UUID' && length === 16) return type('text', made(uuidText))
  if (logical?.type === 'FLOAT16' && length === 2) return type('float32', fixed(halfFloat))
  if (converted === 'INTERVAL' && length === 12) return type('text', made(intervalText))
  return type('binary', binary)
}

/** Returns how the values of a leaf column are represented. */
export function leafType(node: ParquetNode): LeafType {
  const { converted_type: converted, logical_type: logical, type: physical } = node.element
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') return decimalType(node)
  switch (physical) {
    case 'BOOLEAN':
      return type(
        'boolean',
        fixed(({ bytes, start }) => bytes[start] as number),
      )
    case 'INT32':
      return int32Type(node)
    case 'INT64':
      return int64Type(node)
    case 'INT96':
      return type('timestamp', int96)
    case 'FLOAT':
      return type(
        'float32',
        fixed(({ view, start }) => view.getFloat32(start, true)),
      )
    case 'DOUBLE':
      return type(
        'float64',
        fixed(({ view, start }) => view.getFloat64(start, true)),
      )
    default:
      return bytesType(node)
  }
}
