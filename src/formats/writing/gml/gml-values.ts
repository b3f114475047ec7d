import type { Column } from '../../../geo/column.ts'
import { columnValue } from '../../../geo/column.ts'
import type { AttributeType } from '../../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../../geo/time-text.ts'
import { xmlText } from './xml-text.ts'

/** XML Schema types for the values of a column. */
export const xmlTypes: Record<AttributeType, string> = {
  boolean: 'boolean',
  int16: 'short',
  int32: 'int',
  int64: 'long',
  float32: 'double',
  float64: 'double',
  decimal: 'decimal',
  text: 'string',
  date: 'date',
  time: 'time',
  timestamp: 'dateTime',
  binary: 'base64Binary',
}

/** Returns a value as element content; undefined for null, and for values that its type cannot represent. */
export function gmlValue(column: Column, row: number): string | undefined {
  const value = columnValue(column, row)
  if (value === null) return undefined
  switch (column.type) {
    case 'text':
      return xmlText(value as string)
    case 'date':
      return yearForm(dateText(value as number))
    case 'time':
      return timeText(value as bigint)
    case 'timestamp':
      return yearForm(timestampText(value as bigint))
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('base64')
    case 'decimal':
      return decimalForm(value as string)
    case 'float32':
    case 'float64':
      return String(value).replace('Infinity', 'INF')
    default:
      return String(value)
  }
}

/**
 * Years of more than four digits have no plus sign and no leading zeros (XML Schema, part 2, section 3.2.7).
 */
function yearForm(text: string): string | undefined {
  if (/^\d{4}-/.test(text)) return text
  const [, sign = '', year, rest] = /^([+-])0*(\d{4,})(-.*)$/.exec(text) ?? []
  return year === undefined ? undefined : `${sign === '-' ? '-' : ''}${year}${rest}`
}

/** Returns a decimal without an exponent, which XML Schema does not allow. */
function decimalForm(digits: string): string | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(digits)) return digits
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^([+-]?)(\d*)\.?(\d*)[eE]([+-]?\d{1,6})$/.exec(digits) ?? []
  if (exponent === undefined) return undefined
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return `${sign}${all.slice(0, point).padEnd(point, '0')}${point < all.length ? `.${all.slice(point)}` : ''}`
}
