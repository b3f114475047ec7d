import { microsPerDay as dayMicros } from '../core/values/calendar.ts'
import { TimeReader } from '../core/values/time-reader.ts'
import { storedDateTime } from '../core/values/time-rules.ts'
import type { Column } from '../geo/column.ts'
import { columnValue, isBlankText } from '../geo/column.ts'
import type { ColumnBuilder } from '../geo/column-builder.ts'
import { createColumnBuilder } from '../geo/column-builder.ts'
import { dayOfMicros, microsOfDay } from '../geo/infinite-times.ts'
import type { Attribute, AttributeType } from '../geo/schema.ts'
import { dateText, timestampText, timeText } from '../geo/time-text.ts'
import type { LostKind } from './lost-values.ts'
import { lostKind } from './lost-values.ts'

type Value = string | number | bigint | boolean | Uint8Array
type Rule = (value: Value) => Value | undefined

const integerRanges: Partial<Record<AttributeType, readonly [bigint, bigint]>> = {
  int16: [-32_768n, 32_767n],
  int32: [-2_147_483_648n, 2_147_483_647n],
  int64: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
}

const microsPerDay = BigInt(dayMicros)
const encoder = new TextEncoder()
const times = new TimeReader(storedDateTime)
const maxFloat32 = 3.4028235677973366e38
/** Larger exponents are unlikely to be intended, and expand to long digit strings. */
const maxExponent = 400

/**
 * Converts a column to the type of `target`: the same column if the types match, otherwise a new one; blank
 * text becomes null. For a value that cannot be converted without loss, calls `fail` with its row and a
 * reason and stores null. Rounding to the nearest float is not a loss. If `lose` is given, NaN and infinite
 * numbers become null in integer and boolean columns and call `lose` instead.
 */
export function convertColumn(
  column: Column,
  rowCount: number,
  target: Attribute,
  fail: (row: number, reason: string) => void,
  lose?: (kind: LostKind) => void,
): Column {
  if (column.type === target.type) return column
  const builder = createColumnBuilder(target.type, rowCount)
  const rule = conversionRule(column.type, target.type)
  for (let row = 0; row < rowCount; row += 1) {
    const value = isBlankText(column, row) ? null : columnValue(column, row)
    const converted = value === null ? undefined : rule(value)
    if (converted === undefined) builder.appendNull()
    else appendValue(builder, converted)
    if (value !== null && converted === undefined) {
      if (lose !== undefined && isSpecialNumber(column.type, value)) {
        lose(lostKind(value))
        continue
      }
      const shown = value instanceof Uint8Array ? 'binary' : `"${String(value).slice(0, 80)}"`
      fail(row, `The value ${shown} cannot become ${target.type}`)
    }
  }
  return builder.finish()
}

/** NaN and the infinities, as numbers or as text of a decimal. */
const specialNumbers: readonly string[] = ['NaN', 'Infinity', '-Infinity']

function isSpecialNumber(type: AttributeType, value: Value): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return type === 'decimal' && typeof value === 'string' && specialNumbers.includes(value)
}

function appendValue(builder: ColumnBuilder, value: Value): void {
  if (builder.kind === 'big') builder.append(BigInt(value as bigint))
  else if (builder.kind === 'fixed') builder.append(Number(value))
  else if (typeof value === 'string') builder.appendString(value)
  else builder.appendBytes(value as Uint8Array)
}

function conversionRule(from: AttributeType, to: AttributeType): Rule {
  if (from === 'binary' || to === 'binary') return () => undefined
  if (to === 'text') return textRule(from)
  if (isTemporal(to)) return temporalRule(from, to)
  if (isTemporal(from)) return () => undefined
  if (to === 'boolean') return toBoolean
  if (to === 'float32' || to === 'float64')
    return (value) => (isSpecialNumber(from, value) ? Number(value) : toFloat(value, to))
  if (to === 'decimal')
    return (value) => (isSpecialNumber(from, value) ? String(value) : expandDecimal(numberText(value)))
  const range = integerRanges[to]
  return (value) => (range === undefined ? undefined : toInteger(value, range))
}

function isTemporal(type: AttributeType): boolean {
  return type === 'date' || type === 'time' || type === 'timestamp'
}

function textRule(from: AttributeType): Rule {
  if (from === 'date') return (value) => dateText(value as number)
  if (from === 'time') return (value) => timeText(value as bigint)
  if (from === 'timestamp') return (value) => timestampText(value as bigint)
  return String
}

function numberText(value: Value): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value).trim()
}

function toBoolean(value: Value): boolean | undefined {
  const text = numberText(value).toLowerCase()
  if (['1', 'true', 't', 'yes', 'y'].includes(text)) return true
  return ['0', 'false', 'f', 'no', 'n'].includes(text) ? false : undefined
}

function toInteger(value: Value, [least, most]: readonly [bigint, bigint]): bigint | undefined {
  const text = expandDecimal(numberText(value))
  const whole = text === undefined ? undefined : /^([+-]?)(\d+)\.?0*$/.exec(text)
  if (whole === undefined || whole === null || (whole[2]?.length ?? 0) > maxExponent) return undefined
  const integer = BigInt(whole[2] as string) * (whole[1] === '-' ? -1n : 1n)
  return integer >= least && integer <= most ? integer : undefined
}

function toFloat(value: Value, to: 'float32' | 'float64'): number | undefined {
  if (typeof value === 'number') return to === 'float32' && tooLargeForFloat32(value) ? undefined : value
  if (typeof value === 'bigint') return BigInt(Number(value)) === value ? Number(value) : undefined
  if (typeof value === 'boolean') return Number(value)
  const text = expandDecimal(numberText(value))
  const number = text === undefined ? Number.NaN : Number(text)
  return !Number.isFinite(number) || (to === 'float32' && tooLargeForFloat32(number)) ? undefined : number
}

function tooLargeForFloat32(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) >= maxFloat32
}

/**
 * Returns a decimal without exponent: `-1.5e3` becomes `-1500`; undefined for anything but decimal numbers.
 */
export function expandDecimal(text: string): string | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign = '', integer = '', fraction = '', exponentText = '0'] = match
  const digits = integer + fraction
  const exponent = Number(exponentText)
  if (digits === '' || Math.abs(exponent) > maxExponent) return undefined
  if (exponent === 0) return text.replace(/[eE].*$/, '')
  const point = integer.length + exponent
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

function temporalRule(from: AttributeType, to: AttributeType): Rule {
  if (from === 'text') {
    return (value) => {
      const parsed = parseTemporal(String(value).trim())
      return parsed === undefined ? undefined : temporalValue(parsed, to)
    }
  }
  if (from === 'date' && to === 'timestamp') return (value) => microsOfDay(value as number)
  if (from === 'timestamp' && to === 'date') {
    return (value) => dayOfMicros(value as bigint)
  }
  return () => undefined
}

interface Temporal {
  days?: number
  /** Microseconds since midnight, UTC if it has a zone. */
  micros?: bigint
}

function temporalValue({ days, micros }: Temporal, to: AttributeType): number | bigint | undefined {
  if (to === 'time') return days === undefined ? micros : undefined
  if (days === undefined) return undefined
  if (to === 'timestamp') return BigInt(days) * microsPerDay + (micros ?? 0n)
  return micros === undefined || micros === 0n ? days : undefined
}

/** Parses an ISO 8601 date, time or both; undefined for other text and for nonexistent days. */
function parseTemporal(text: string): Temporal | undefined {
  const bytes = encoder.encode(text)
  if (times.parse(bytes, 0, bytes.length)) {
    return { days: times.days, micros: times.hasTime ? BigInt(times.micros) : undefined }
  }
  const isTime = times.parseTime(bytes, 0, bytes.length) && times.micros < dayMicros
  return isTime ? { micros: BigInt(times.micros) } : undefined
}
