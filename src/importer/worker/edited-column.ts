import { type WrittenJson, WrittenNumber } from '../../formats/geojson/index.ts'
import type { Column } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import { convertColumn, expandDecimal } from '../../stores/worker.ts'

/** A value that its column cannot represent. */
export class MisfitValue extends Error {}

const integers: readonly AttributeType[] = ['int16', 'int32', 'int64']
const floats: readonly AttributeType[] = ['float32', 'float64']
const shownLength = 80
const encoder = new TextEncoder()

/** Names of types in messages. */
const typeWords: Record<AttributeType, string> = {
  boolean: 'true or false',
  int16: 'an integer from -32768 to 32767',
  int32: 'an integer from -2147483648 to 2147483647',
  int64: 'a 64-bit integer',
  float32: 'a number of single precision',
  float64: 'a number of double precision',
  decimal: 'a decimal number',
  text: 'a text',
  date: 'a date such as "2026-11-22"',
  time: 'a time of day such as "18:30:00"',
  timestamp: 'a time such as "2026-11-22T18:30:00Z", to microseconds',
  binary: 'binary data in base64',
}

/**
 * Returns a column with one row for a value of a client. Throws `MisfitValue` if the table would store
 * another value.
 */
export function editedColumn(attribute: Attribute, value: WrittenJson): Column {
  const { type, isNullable } = attribute
  const builder = createColumnBuilder(type, 1)
  if (value === null) {
    if (isNullable === false) throw new MisfitValue('it cannot be null')
    builder.appendNull()
    return builder.finish()
  }
  if (type === 'boolean') return asBoolean(attribute, value)
  if (integers.includes(type) || floats.includes(type) || type === 'decimal')
    return asNumber(attribute, value)
  if (typeof value !== 'string') throw misfit(attribute, value)
  if (type === 'binary') return asBinary(attribute, value)
  return type === 'text' ? asText(attribute, value) : asTime(attribute, value)
}

function misfit({ type }: Attribute, value: WrittenJson): MisfitValue {
  const shown = value instanceof WrittenNumber ? value.text : JSON.stringify(value)
  return new MisfitValue(`${shown.slice(0, shownLength)} is not ${typeWords[type]}`)
}

function asBoolean(attribute: Attribute, value: WrittenJson): Column {
  const builder = createColumnBuilder('boolean', 1)
  if (typeof value !== 'boolean' || builder.kind !== 'fixed') throw misfit(attribute, value)
  builder.append(value ? 1 : 0)
  return builder.finish()
}

function asNumber(attribute: Attribute, value: WrittenJson): Column {
  const text = value instanceof WrittenNumber ? value.text : typeof value === 'number' ? String(value) : ''
  const digits = text === '' ? undefined : expandDecimal(text)
  if (digits === undefined) throw misfit(attribute, value)
  const { type } = attribute
  if (floats.includes(type) && !isHeld(text, type)) throw misfit(attribute, value)
  if (type === 'decimal') requireDigits(attribute, digits)
  return converted(attribute, 'decimal', digits, value)
}

/**
 * Rounding to the nearest float is not a loss, except for integers with all digits, which users expect to be
 * exact.
 */
function isHeld(text: string, type: AttributeType): boolean {
  const number = type === 'float32' ? Math.fround(Number(text)) : Number(text)
  if (!Number.isFinite(number)) return false
  if (/^[+-]?\d+$/.test(text)) return BigInt(number) === BigInt(text)
  const [mantissa = ''] = text.split(/[eE]/)
  return number !== 0 || !/[1-9]/.test(mantissa)
}

function requireDigits({ precision, scale = 0 }: Attribute, digits: string): void {
  if (precision === undefined) return
  const [, whole = '', fraction = ''] = /^[+-]?0*(\d*)\.?(\d*?)0*$/.exec(digits) ?? []
  if (fraction.length <= Math.max(scale, 0) && whole.length <= precision - scale) return
  throw new MisfitValue(`${digits} has more digits than ${precision}, ${scale} of them after the point`)
}

function asText({ maxLength }: Attribute, value: string): Column {
  if (value.includes('\0')) throw new MisfitValue('a text cannot contain the character U+0000')
  if (!value.isWellFormed())
    throw new MisfitValue('the text contains half a character (an unpaired surrogate)')
  const length = maxLength === undefined ? 0 : [...value].length
  if (maxLength !== undefined && length > maxLength)
    throw new MisfitValue(`the text has ${length} characters; the maximum is ${maxLength}`)
  return textColumn('text', value)
}

function asBinary(attribute: Attribute, value: string): Column {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.toString('base64') !== value) throw misfit(attribute, value)
  const builder = createColumnBuilder('binary', 1)
  if (builder.kind === 'var') builder.appendBytes(bytes)
  return builder.finish()
}

const forms: Partial<Record<AttributeType, RegExp>> = {
  date: /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d$/,
  time: /^\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?$/,
  timestamp: /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d[Tt ]\d\d:\d\d/,
}

function asTime(attribute: Attribute, value: string): Column {
  if (forms[attribute.type]?.test(value) !== true) throw misfit(attribute, value)
  return converted(attribute, 'text', value, value)
}

function converted(attribute: Attribute, from: 'text' | 'decimal', text: string, value: WrittenJson): Column {
  return convertColumn(textColumn(from, text), 1, attribute, () => {
    throw misfit(attribute, value)
  })
}

function textColumn(type: 'text' | 'decimal', text: string): Column {
  const builder = createColumnBuilder(type, 1)
  if (builder.kind === 'var') builder.appendBytes(encoder.encode(text))
  return builder.finish()
}
