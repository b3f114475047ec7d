import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import type { KeyForm } from './comparable-columns.ts'

export type KeyValue = string | number | bigint

/** Longer texts are descriptions and cannot be keys. */
const longestKey = 200
/** Number of decimal digits that a 64-bit floating-point number represents exactly. */
const exactDigits = 15
const plainDecimal = /^-?(\d+)(?:\.(\d+))?$/

/**
 * Returns a text or number of a cell that is equal exactly if the values are equal. Undefined for nulls and
 * for values that cannot be keys.
 */
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

/**
 * Returns a number if it preserves all digits, so that it equals the value of another numeric type; otherwise
 * a normalized text.
 */
function decimalKey(text: string): KeyValue | undefined {
  const [, whole = '', fraction = ''] = plainDecimal.exec(text) ?? []
  if (whole === '') return numberKey(Number(text), 'number')
  const digits = whole.replace(/^0+/, '')
  const decimals = fraction.replace(/0+$/, '')
  if (digits.length + decimals.length <= exactDigits) return Number(text)
  const sign = text.startsWith('-') ? '-' : ''
  if (decimals === '' && digits.length <= 18) return BigInt(sign + digits)
  return `${sign}${digits === '' ? '0' : digits}.${decimals}`
}
