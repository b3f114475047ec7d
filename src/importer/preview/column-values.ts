import { createHash } from 'node:crypto'
import type { Column } from '../../geo/column.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import type { Key } from './distinct-estimate.ts'

/** A value as shown: text is truncated after 100 characters. */
export type ShownValue = string | number | boolean

/** Longer texts are compared by a digest. */
const shownLength = 100
const plainDecimal = /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/

/** Returns a key that identifies the value of a non-null cell; undefined if the cell is empty. */
export function columnValueKey(column: Column, row: number): Key | undefined {
  if (column.kind === 'fixed') return column.values[row] as number
  if (column.kind === 'big') {
    const value = column.values[row] as bigint
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  const start = column.offsets[row] as number
  const end = column.offsets[row + 1] as number
  if (start === end) return undefined
  const { buffer, byteOffset } = column.bytes
  const bytes = Buffer.from(buffer, byteOffset + start, end - start)
  if (column.type === 'decimal') return plainText(bytes.toString('latin1'))
  if (column.type === 'binary') return shortened(bytes.toString('base64'), bytes)
  return shortened(bytes.toString('utf8'), bytes)
}

function shortened(text: string, bytes: Uint8Array): string {
  if (text.length <= shownLength) return text
  return `${text.slice(0, shownLength)}…\0${createHash('sha256').update(bytes).digest('base64')}`
}

/** Returns equal texts for equal numbers. */
function plainText(digits: string): string {
  const [, sign = '', whole = '', fraction = ''] = plainDecimal.exec(digits) ?? []
  if (whole === '' && fraction === '') return /[1-9a-z]/i.test(digits) ? digits : '0'
  return `${sign}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Order of the type: numbers by value, text by code points. */
export function compareKeys(type: AttributeType): (one: Key, other: Key) => number {
  if (type === 'decimal') return compareDecimals
  if (type === 'text' || type === 'binary') return compareTexts
  return (one, other) => (one < other ? -1 : one > other ? 1 : 0)
}

function compareTexts(one: Key, other: Key): number {
  if (one === other) return 0
  const [a, b] = [String(one), String(other)]
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  // If the strings differ in the second half of a surrogate pair, compare from the first half.
  if (at > 0 && isLowSurrogate(a.charCodeAt(at)) && isLowSurrogate(b.charCodeAt(at))) at -= 1
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

function compareDecimals(one: Key, other: Key): number {
  const [a, b] = [String(one), String(other)]
  const difference = Number(a) - Number(b)
  if (difference !== 0 && Math.abs(difference) > Math.abs(Number(a)) * 1e-12) return difference
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  if (!/^-?\d+$/.test(wholeA) || !/^-?\d+$/.test(wholeB)) return difference
  const decimals = Math.max(fractionA.length, fractionB.length)
  const left = BigInt(wholeA + fractionA.padEnd(decimals, '0'))
  const right = BigInt(wholeB + fractionB.padEnd(decimals, '0'))
  return left < right ? -1 : left > right ? 1 : 0
}

/** Converts a key to the value in a response. */
export function shownValue(type: AttributeType, key: Key): ShownValue {
  if (type === 'boolean') return key === 1
  if (type === 'date') return dateText(Number(key))
  if (type === 'time') return timeText(BigInt(key))
  if (type === 'timestamp') return timestampText(BigInt(key))
  if (typeof key === 'string') return key.split('\0', 1)[0] ?? ''
  if (typeof key === 'bigint' || !Number.isFinite(key)) return String(key)
  return key === 0 ? 0 : key
}
