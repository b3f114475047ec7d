import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import type { KeyForm } from './comparable-columns.ts'

export type KeyValue = string | number | bigint

/** Longer texts are notes, and name no row. */
const longestKey = 200
/** Digits that a number of 64 bits keeps. */
const exactDigits = 15
const plainDecimal = /^-?(\d+)(?:\.(\d+))?$/

/** What of a cell is the same exactly where the values are; undefined where it has no value, or one that is no key. */
export function keyValue(column: Column, row: number, form: KeyForm): KeyValue | undefined {
  if (!isValid(column.validity, row)) return undefined
  if (column.kind === 'var') return varKey(column, row, form)
  const value = column.values[row] as number | bigint
  if (form === 'text') return String(value)
  if (typeof value === 'bigint') return form === 'float32' ? numberKey(Number(value), form) : value
  return numberKey(value, form)
}

function varKey(column: Extract<Column, { kind: 'var' }>, row: number, form: KeyForm): KeyValue | undefined {
  const start = column.offsets[row] as number
  const end = column.offsets[row + 1] as number
  if (start === end || end - start > longestKey * 4) return undefined
  const { buffer, byteOffset } = column.bytes
  const text = Buffer.from(buffer, byteOffset + start, end - start).toString('utf8')
  if (form === 'text') return text.length > longestKey ? undefined : text
  return form === 'float32' ? numberKey(Number(text), form) : decimalKey(text)
}

function numberKey(value: number, form: KeyForm): number | undefined {
  if (!Number.isFinite(value)) return undefined
  return form === 'float32' ? Math.fround(value) : value
}

/** As a number where that keeps all digits, so that it is the same as one of another type; else in one way of writing. */
function decimalKey(text: string): KeyValue | undefined {
  const [, whole = '', fraction = ''] = plainDecimal.exec(text) ?? []
  if (whole === '') return numberKey(Number(text), 'number')
  const digits = whole.replace(/^0+/, '')
  const places = fraction.replace(/0+$/, '')
  if (digits.length + places.length <= exactDigits) return Number(text)
  const sign = text.startsWith('-') ? '-' : ''
  if (places === '' && digits.length <= 18) return BigInt(sign + digits)
  return `${sign}${digits === '' ? '0' : digits}.${places}`
}
