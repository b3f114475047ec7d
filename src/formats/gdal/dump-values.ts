import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import { asciiText } from '../../lib/decimal.ts'
import { ownValue } from '../../lib/own-value.ts'
import { isUtf8Range } from '../../lib/utf8.ts'
import { parseTimestamp } from '../timestamp.ts'
import { parseBytea } from './dump-bytes.ts'
import type { ListItem } from './dump-list.ts'
import { parseList } from './dump-list.ts'

const dash = 0x2d
const slash = 0x2f
const integerForm = /^-?\d+$/
const realForm = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const clockForm = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/
const endless = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['-inf', -Infinity],
  ['-infinity', -Infinity],
  ['nan', Number.NaN],
  ['-nan', Number.NaN],
])
const ranges: Record<string, [number, number]> = {
  int16: [-32_768, 32_767],
  int32: [-2_147_483_648, 2_147_483_647],
}
const scratch = new Uint8Array(64)
const decoder = new TextDecoder()

/** A date or date-time that GDAL writes with slashes: microseconds since 1970. */
function parseMoment(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  if (end - start > scratch.length) return undefined
  for (let at = start; at < end; at += 1) {
    scratch[at - start] = bytes[at] === slash ? dash : (bytes[at] as number)
  }
  return parseTimestamp(scratch, 0, end - start)
}

function parseClock(text: string): bigint | undefined {
  const match = clockForm.exec(text)
  if (match === null) return undefined
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const seconds = hour * 3600 + minute * 60 + second
  return BigInt(seconds) * 1_000_000n + BigInt((match[4] ?? '').padEnd(6, '0'))
}

/** Appends a value of a `COPY` row, already without escapes; false when it has no form that the column knows. */
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
  const value =
    target.type === 'timestamp'
      ? parseMoment(bytes, start, end)
      : target.type === 'time'
        ? parseClock(asciiText(bytes, start, end))
        : parseBigInteger(asciiText(bytes, start, end))
  if (value !== undefined) target.append(value)
  return value !== undefined
}

function parseBigInteger(text: string): bigint | undefined {
  if (!integerForm.test(text)) return undefined
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function appendFixed(target: FixedBuilder, bytes: Uint8Array, start: number, end: number): boolean {
  const value = fixedValue(target.type, bytes, start, end)
  if (value !== undefined) target.append(value)
  return value !== undefined
}

function fixedValue(type: string, bytes: Uint8Array, start: number, end: number): number | undefined {
  if (type === 'date') {
    const micros = end - start === 10 ? parseMoment(bytes, start, end) : undefined
    return micros === undefined ? undefined : Number(micros / 86_400_000_000n)
  }
  const text = asciiText(bytes, start, end)
  if (type === 'boolean') {
    if (text === '1' || text === 't') return 1
    return text === '0' || text === 'f' ? 0 : undefined
  }
  const range = ownValue(ranges, type)
  if (range === undefined) return realForm.test(text) ? Number(text) : endless.get(text.toLowerCase())
  const value = integerForm.test(text) ? Number(text) : Number.NaN
  return value >= range[0] && value <= range[1] ? value : undefined
}
