import { TimeReader } from '../../src/core/values/time-reader.ts'
import { isoDateTime } from '../../src/core/values/time-rules.ts'
import { dateText, timestampText, timeText } from '../../src/geo/time-text.ts'
import type { GdalValue } from './gdal-reference.ts'
import type { Cell } from './table-batches.ts'

/** Precision to which two readers of a file must agree. */
export interface Agreement {
  /** Digits of floating-point numbers that count; all where it is not given. */
  digits?: number
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0')
const isNumber = (text: string): boolean => /^-?(\d+\.?\d*(e[+-]?\d+)?|inf|nan)$/i.test(text)

function numberOf(text: string): number {
  if (/^-?inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return Number(text)
}

/** A number in as many digits as count. */
function numberForm(value: number, { digits }: Agreement): string {
  if (digits === undefined || !Number.isFinite(value)) return String(value)
  return String(Number(value.toPrecision(digits)))
}

/**
 * Formats a time from GDAL: year, month, day, hour, minute, second with milliseconds, and the zone in
 * quarters of an hour.
 */
function momentForm(parts: readonly number[], kind: string): string {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0] = parts
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`
  const millis = Math.round(second * 1000)
  const clock = `${pad(hour)}:${pad(minute)}:${pad(Math.floor(millis / 1000))}.${pad(millis % 1000, 3)}`
  if (kind === 'Date') return date
  if (kind === 'Time') return timeText(clockMicros(clock))
  const offset = zone > 1 ? (zone - 100) * 15 : 0
  const utc = Date.parse(`${date}T${clock}Z`) - offset * 60_000
  return timestampText(BigInt(utc) * 1000n)
}

function clockMicros(clock: string): bigint {
  return BigInt(Date.parse(`1970-01-01T${clock}Z`)) * 1000n
}

/** A list as JSON text of as many digits as count. */
function listForm(items: unknown[], agreement: Agreement): string {
  return JSON.stringify(
    items.map((item) => {
      if (typeof item === 'boolean') return item ? '1' : '0'
      if (typeof item === 'number' && !Number.isSafeInteger(item)) return numberForm(item, agreement)
      return String(item)
    }),
  )
}

/** Converts a value reported by GDAL to the form in which both readers are compared. */
export function reportedForm(
  reported: GdalValue,
  gdalType: string,
  type: string,
  agreement: Agreement,
): string {
  if (reported === null) return 'null'
  if (Array.isArray(reported)) {
    if (!gdalType.includes('List')) return momentForm(reported as number[], gdalType)
    const isReal = gdalType.startsWith('Real')
    return listForm(isReal ? reported.map(Number) : reported, agreement)
  }
  if (gdalType.startsWith('Real')) {
    const value = numberOf(reported)
    return numberForm(type === 'float32' ? Math.fround(value) : value, agreement)
  }
  if (gdalType.includes('Boolean')) return reported === '0' ? 'false' : 'true'
  return gdalType === 'String' ? inferredForm(reported, type, agreement) : reported
}

/** A text of GDAL as the type that was inferred for it. */
function inferredForm(text: string, type: string, agreement: Agreement): string {
  if (type.startsWith('float') && isNumber(text)) return numberForm(numberOf(text), agreement)
  if (type !== 'timestamp') return text
  const reader = new TimeReader(isoDateTime)
  return reader.parseText(text) ? timestampText(BigInt(reader.sinceEpoch)) : text
}

/** A value that we hold, in the same form. */
export function heldForm(value: Cell, type: string, gdalType: string, agreement: Agreement): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (type === 'date') return dateText(value as number)
  if (type === 'time') return timeText(value as bigint)
  if (type === 'timestamp') return timestampText(value as bigint)
  if (typeof value === 'number') {
    if (gdalType.includes('Boolean')) return value === 0 ? 'false' : 'true'
    return type.startsWith('float') ? numberForm(value, agreement) : String(value)
  }
  if (typeof value === 'string' && gdalType.includes('List')) return jsonForm(value, agreement)
  if (type === 'decimal' && gdalType.startsWith('Real')) return numberForm(Number(value), agreement)
  return String(value)
}

function jsonForm(text: string, agreement: Agreement): string {
  try {
    const exact = text.replace(/(?<=[[,]\s*)(-?\d{16,})(?=\s*[\],])/g, '"$1"')
    return listForm(JSON.parse(exact) as unknown[], agreement)
  } catch {
    return text
  }
}
