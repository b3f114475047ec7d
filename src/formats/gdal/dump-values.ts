import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { asciiText } from '../../lib/decimal.ts'
import { parseTimestamp } from '../timestamp.ts'

const dash = 0x2d
const slash = 0x2f
const integerForm = /^-?\d+$/
const clockForm = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/
const scratch = new Uint8Array(64)

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
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
  return BigInt(seconds) * 1_000_000n + BigInt((match[4] ?? '').padEnd(6, '0'))
}

/** Appends a value of a `COPY` row, already without escapes; false when it does not fit the column. */
export function appendDumpValue(
  target: ColumnBuilder,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (target.kind === 'var') {
    if (target.type !== 'binary') target.appendBytes(bytes, start, end)
    else target.appendBytes(Buffer.from(asciiText(bytes, start, end).replace(/^\\x/, ''), 'hex'))
    return true
  }
  if (target.kind === 'big') {
    const value =
      target.type === 'timestamp'
        ? parseMoment(bytes, start, end)
        : target.type === 'time'
          ? parseClock(asciiText(bytes, start, end))
          : parseBigInteger(asciiText(bytes, start, end))
    if (value !== undefined) target.append(value)
    return value !== undefined
  }
  const value = fixedValue(target.type, bytes, start, end)
  if (value !== undefined) target.append(value)
  return value !== undefined
}

function parseBigInteger(text: string): bigint | undefined {
  if (!integerForm.test(text)) return undefined
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function fixedValue(type: string, bytes: Uint8Array, start: number, end: number): number | undefined {
  if (type === 'date') {
    const micros = parseMoment(bytes, start, end)
    return micros === undefined ? undefined : Number(micros / 86_400_000_000n)
  }
  const text = asciiText(bytes, start, end)
  if (type === 'boolean')
    return text === '1' || text === 't' ? 1 : text === '0' || text === 'f' ? 0 : undefined
  const value = text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text)
  return text === '' || (Number.isNaN(value) && !/^-?nan$/i.test(text)) ? undefined : value
}
