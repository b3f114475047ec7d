import { microsPerDay } from '../core/values/calendar.ts'
import {
  float32Text,
  parseInteger,
  parseNumber,
  plainDecimal,
  quickInteger,
} from '../core/values/number-text.ts'
import { TimeReader } from '../core/values/time-reader.ts'
import { textDateTime } from '../core/values/time-rules.ts'
import type { BigColumn, Column, FixedColumn, VarColumn } from '../geo/column.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../geo/column-builder.ts'
import { dayOfMicros, microsOfDay } from '../geo/infinite-times.ts'
import type { AttributeType } from '../geo/schema.ts'
import { dateText, timestampText, timeText } from '../geo/time-text.ts'
import type { CellConverter } from './replace-column.ts'

const integerRanges = {
  int16: [-32_768n, 32_767n],
  int32: [-2_147_483_648n, 2_147_483_647n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const
type IntegerType = keyof typeof integerRanges

const requestedNames: Record<AttributeType, string> = {
  boolean: 'true or false',
  int16: 'a whole number from -32768 to 32767',
  int32: 'a whole number from -2147483648 to 2147483647',
  int64: 'a 64-bit integer',
  float32: 'a number of single precision',
  float64: 'a number that double precision can hold',
  decimal: 'a decimal number',
  text: 'text',
  date: 'an ISO 8601 date',
  time: 'a time of day',
  timestamp: 'an ISO 8601 date and time',
  binary: 'binary',
}

const integers = ['int16', 'int32', 'int64'] as const
const decoder = new TextDecoder()

function isInteger(type: AttributeType): type is IntegerType {
  return (integers as readonly string[]).includes(type)
}

function fixedValue(column: Column, row: number): number {
  return (column as FixedColumn).values[row] as number
}

function bigValue(column: Column, row: number): bigint {
  return (column as BigColumn).values[row] as bigint
}

function textValue(column: Column, row: number): string {
  const { bytes, offsets } = column as VarColumn
  return decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]))
}

/** Appends the result of a conversion; undefined means that the value does not fit. */
function appending<T>(
  to: AttributeType,
  value: (column: Column, row: number) => T | undefined,
  append: (target: ColumnBuilder, value: T) => void,
): CellConverter {
  const reason = `The value is not ${requestedNames[to]}`
  return (column, row, target) => {
    const converted = value(column, row)
    if (converted === undefined) return reason
    append(target, converted)
    return undefined
  }
}

const appendFixed = (target: ColumnBuilder, value: number): void => (target as FixedBuilder).append(value)
const appendBig = (target: ColumnBuilder, value: bigint): void => (target as BigBuilder).append(value)
const appendExact = (target: ColumnBuilder, value: number | bigint): void =>
  (target as BigBuilder).appendExact(value)
const appendText = (target: ColumnBuilder, value: string): void => (target as VarBuilder).appendString(value)

/** Returns the text, or text of a decimal, of any value. */
function textOf(from: AttributeType): (column: Column, row: number) => string {
  if (from === 'boolean') return (column, row) => (fixedValue(column, row) === 1 ? 'true' : 'false')
  if (from === 'date') return (column, row) => dateText(fixedValue(column, row))
  if (from === 'timestamp') return (column, row) => timestampText(bigValue(column, row))
  if (from === 'time') return (column, row) => timeText(bigValue(column, row))
  if (from === 'int64') return (column, row) => bigValue(column, row).toString()
  if (from === 'float32') return (column, row) => float32Text(fixedValue(column, row))
  if (from === 'text' || from === 'decimal') return textValue
  return (column, row) => String(fixedValue(column, row))
}

const specialNumbers: readonly string[] = ['NaN', 'Infinity', '-Infinity']

/** True for NaN and the infinities, in the notation of decimal columns. */
function isSpecialNumber(text: string): boolean {
  return specialNumbers.includes(text)
}

/** The same for a decimal cell, without creating text for other cells. */
function isSpecialDecimal(column: Column, row: number): boolean {
  const { bytes, offsets } = column as VarColumn
  const last = bytes[(offsets[row + 1] as number) - 1] as number
  return last > 0x39 && isSpecialNumber(textValue(column, row))
}

const isNumeric = (type: AttributeType): boolean =>
  isInteger(type) || type === 'float32' || type === 'float64' || type === 'decimal'

function toInteger(from: AttributeType, to: IntegerType): CellConverter | undefined {
  const [least, most] = integerRanges[to]
  const within = (value: bigint | undefined): bigint | undefined =>
    value === undefined || value < least || value > most ? undefined : value
  const exact = exactInteger(from)
  if (exact === undefined) return undefined
  const low = Number(least)
  const high = Number(most)
  const reason = `The value is not ${requestedNames[to]}`
  const quick = quickInteger2(from)
  return (column, row, target) => {
    const small = quick(column, row)
    if (Number.isSafeInteger(small) && small >= low && small <= high) {
      if (to === 'int64') (target as BigBuilder).appendNumber(small)
      else (target as FixedBuilder).append(small)
      return undefined
    }
    const value = within(exact(column, row))
    if (value === undefined) return reason
    if (to === 'int64') (target as BigBuilder).append(value)
    else (target as FixedBuilder).append(Number(value))
    return undefined
  }
}

/** Returns numbers without a bigint or string if possible; NaN otherwise. */
function quickInteger2(from: AttributeType): (column: Column, row: number) => number {
  if (from === 'text' || from === 'decimal') {
    return (column, row) => {
      const { bytes, offsets } = column as VarColumn
      return quickInteger(bytes, offsets[row] as number, offsets[row + 1] as number)
    }
  }
  return from === 'int64' ? () => Number.NaN : fixedValue
}

function exactInteger(
  from: AttributeType,
): ((column: Column, row: number) => bigint | undefined) | undefined {
  if (from === 'int64') return bigValue
  if (from === 'text' || from === 'decimal') return (column, row) => parseInteger(textValue(column, row))
  if (from === 'boolean' || isNumeric(from)) {
    return (column, row) => {
      const value = fixedValue(column, row)
      return Number.isInteger(value) ? BigInt(value) : undefined
    }
  }
  return undefined
}

function toFloat(from: AttributeType, to: 'float32' | 'float64'): CellConverter | undefined {
  const round = to === 'float32' ? Math.fround : (value: number): number => value
  const keep = (value: number | undefined): number | undefined => {
    const rounded = value === undefined ? Number.NaN : round(value)
    return Number.isNaN(rounded) && !Number.isNaN(value ?? 0) ? undefined : rounded
  }
  if (from === 'text' || from === 'decimal') {
    return appending(
      to,
      (column, row) => {
        const { bytes, offsets } = column as VarColumn
        if (from === 'decimal' && isSpecialDecimal(column, row)) return Number(textValue(column, row))
        const value = parseNumber(bytes, offsets[row] as number, offsets[row + 1] as number)
        return value === undefined || !Number.isFinite(round(value)) ? undefined : round(value)
      },
      appendFixed,
    )
  }
  if (from === 'int64') {
    const exact = (column: Column, row: number): number | undefined => {
      const value = bigValue(column, row)
      const number = round(Number(value))
      return BigInt(number) === value ? number : undefined
    }
    return appending(to, exact, appendFixed)
  }
  if (isInteger(from) || from === 'boolean') {
    const exact = (column: Column, row: number): number | undefined => {
      const value = fixedValue(column, row)
      return round(value) === value ? value : undefined
    }
    return appending(to, exact, appendFixed)
  }
  if (from !== 'float32' && from !== 'float64') return undefined
  const inRange = (column: Column, row: number): number | undefined => {
    const value = fixedValue(column, row)
    return Number.isFinite(value) && !Number.isFinite(round(value)) ? undefined : keep(value)
  }
  return appending(to, inRange, appendFixed)
}

function toDecimal(from: AttributeType, scale: number | undefined): CellConverter | undefined {
  if (!isNumeric(from) && from !== 'text' && from !== 'boolean') return undefined
  const text =
    from === 'boolean' ? (column: Column, row: number) => String(fixedValue(column, row)) : textOf(from)
  const plain = (column: Column, row: number): string | undefined => {
    if (from !== 'text' && isSpecialNumber(text(column, row))) return text(column, row)
    const value = plainDecimal(text(column, row))
    return value !== undefined && scale === 0 ? parseInteger(value)?.toString() : value
  }
  return appending('decimal', plain, appendText)
}

const trueWords = new Set(['true', 't', 'yes', 'y', '1'])
const falseWords = new Set(['false', 'f', 'no', 'n', '0'])

function toBoolean(from: AttributeType): CellConverter | undefined {
  if (from === 'text') {
    const word = (column: Column, row: number): number | undefined => {
      const text = textValue(column, row).trim().toLowerCase()
      return trueWords.has(text) ? 1 : falseWords.has(text) ? 0 : undefined
    }
    return appending('boolean', word, appendFixed)
  }
  if (!isNumeric(from)) return undefined
  const text = textOf(from)
  const bit = (column: Column, row: number): number | undefined => {
    const value = Number(text(column, row))
    return value === 0 || value === 1 ? value : undefined
  }
  return appending('boolean', bit, appendFixed)
}

const iso = new TimeReader(textDateTime)

function parseIso(column: Column, row: number): boolean {
  const { bytes, offsets } = column as VarColumn
  return iso.parse(bytes, offsets[row] as number, offsets[row + 1] as number)
}

function toDate(from: AttributeType): CellConverter | undefined {
  if (from === 'text') {
    const days = (column: Column, row: number): number | undefined =>
      parseIso(column, row) && iso.micros === 0 ? iso.days : undefined
    return appending('date', days, appendFixed)
  }
  if (from !== 'timestamp') return undefined
  const midnight = (column: Column, row: number): number | undefined => dayOfMicros(bigValue(column, row))
  return appending('date', midnight, appendFixed)
}

function toTimestamp(from: AttributeType): CellConverter | undefined {
  if (from === 'text') {
    const micros = (column: Column, row: number): number | bigint | undefined =>
      parseIso(column, row) ? iso.sinceEpoch : undefined
    return appending('timestamp', micros, appendExact)
  }
  if (from !== 'date') return undefined
  return appending('timestamp', (column, row) => microsOfDay(fixedValue(column, row)), appendBig)
}

function toTime(from: AttributeType): CellConverter | undefined {
  if (from !== 'text') return undefined
  const micros = (column: Column, row: number): bigint | undefined => {
    const { bytes, offsets } = column as VarColumn
    const isTime = iso.parseTime(bytes, offsets[row] as number, offsets[row + 1] as number)
    return isTime && iso.micros < microsPerDay ? BigInt(iso.micros) : undefined
  }
  return appending('time', micros, appendBig)
}

/** Returns a lossless conversion between two types; undefined if it has no meaning. */
export function findConverter(
  from: AttributeType,
  to: AttributeType,
  options: { scale?: number } = {},
): CellConverter | undefined {
  if (isInteger(to)) return toInteger(from, to)
  if (to === 'float32' || to === 'float64') return toFloat(from, to)
  if (to === 'decimal') return toDecimal(from, options.scale)
  if (to === 'boolean') return toBoolean(from)
  if (to === 'date') return toDate(from)
  if (to === 'timestamp') return toTimestamp(from)
  if (to === 'time') return toTime(from)
  if (to === 'text' && from !== 'binary') return appending('text', textOf(from), appendText)
  return undefined
}
