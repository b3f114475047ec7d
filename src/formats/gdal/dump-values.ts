import { isUtf8Range } from '../../core/text/utf8.ts'
import { asciiText } from '../../core/values/decimal.ts'
import { isDecimalLiteral, isIntegerLiteral, parseEndless } from '../../core/values/number-text.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { isoDateTime } from '../../core/values/time-rules.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import { parseBytea } from './dump-bytes.ts'
import type { ListItem } from './dump-list.ts'
import { parseList } from './dump-list.ts'

const dash = 0x2d
const slash = 0x2f
const ranges: Record<string, [number, number]> = {
  int16: [-32_768, 32_767],
  int32: [-2_147_483_648, 2_147_483_647],
}
const scratch = new Uint8Array(64)
const decoder = new TextDecoder()
const times = new TimeReader(isoDateTime)

/** Reads a date or date-time, which GDAL writes with slashes. */
function readMoment(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > scratch.length) return false
  for (let at = start; at < end; at += 1) {
    scratch[at - start] = bytes[at] === slash ? dash : (bytes[at] as number)
  }
  return times.parse(scratch, 0, end - start)
}

/** Appends an unescaped value of a `COPY` row; returns false if the column does not accept its form. */
export function appendDumpValue(
  target: ColumnBuilder,
  bytes: Uint8Array,
  start: number,
  end: number,
  list?: ListItem,
): boolean {
  if (target.kind === 'var') return appendVar(target, bytes, start, end, list)
  if (target.kind === 'big') return appendBig(target, bytes, start, end)
  return appendFixed(target, bytes, start, end)
}

function appendVar(
  target: VarBuilder,
  bytes: Uint8Array,
  start: number,
  end: number,
  list: ListItem | undefined,
): boolean {
  if (target.type === 'binary') {
    const value = parseBytea(bytes, start, end)
    if (value !== undefined) target.appendBytes(value)
    return value !== undefined
  }
  if (!isUtf8Range(bytes, start, end)) return false
  if (list === undefined) {
    target.appendBytes(bytes, start, end)
    return true
  }
  const value = parseList(decoder.decode(bytes.subarray(start, end)), list)
  if (value !== undefined) target.appendString(value)
  return value !== undefined
}

function appendBig(target: BigBuilder, bytes: Uint8Array, start: number, end: number): boolean {
  const value = bigValue(target.type, bytes, start, end)
  if (value !== undefined) target.appendExact(value)
  return value !== undefined
}

function bigValue(type: string, bytes: Uint8Array, start: number, end: number): number | bigint | undefined {
  if (type === 'timestamp') return readMoment(bytes, start, end) ? times.sinceEpoch : undefined
  if (type === 'time') return times.parseTime(bytes, start, end) ? times.micros : undefined
  return parseBigInteger(asciiText(bytes, start, end))
}

function parseBigInteger(text: string): bigint | undefined {
  if (!isIntegerLiteral(text)) return undefined
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function appendFixed(target: FixedBuilder, bytes: Uint8Array, start: number, end: number): boolean {
  const value = fixedValue(target.type, bytes, start, end)
  if (value !== undefined) target.append(value)
  return value !== undefined
}

function fixedValue(type: string, bytes: Uint8Array, start: number, end: number): number | undefined {
  if (type === 'date') {
    return readMoment(bytes, start, end) && !times.hasTime ? times.days : undefined
  }
  const text = asciiText(bytes, start, end)
  if (type === 'boolean') {
    if (text === '1' || text === 't') return 1
    return text === '0' || text === 'f' ? 0 : undefined
  }
  const range = ownValue(ranges, type)
  if (range === undefined) return isDecimalLiteral(text) ? Number(text) : parseEndless(text)
  const value = isIntegerLiteral(text) ? Number(text) : Number.NaN
  return value >= range[0] && value <= range[1] ? value : undefined
}
