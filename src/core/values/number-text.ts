import { parseDecimalText } from './decimal.ts'

const zero = 0x30
const point = 0x2e
const plus = 0x2b
const minus = 0x2d

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39
}

/** True if `bytes[start, end)` is a decimal literal: sign, digits, fraction and exponent, nothing else. */
function isNumberText(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  if (bytes[at] === minus || bytes[at] === plus) at += 1
  let digits = 0
  for (; at < end && isDigit(bytes[at]); at += 1) digits += 1
  if (at < end && bytes[at] === point) {
    at += 1
    for (; at < end && isDigit(bytes[at]); at += 1) digits += 1
  }
  if (digits === 0) return false
  if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
    at += 1
    if (bytes[at] === minus || bytes[at] === plus) at += 1
    if (at >= end) return false
    for (; at < end && isDigit(bytes[at]); at += 1);
  }
  return at === end
}

/** Returns the number of a trimmed text; undefined if it is not a finite decimal literal. */
export function parseNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  let from = start
  let to = end
  while (from < to && (bytes[from] as number) <= 0x20) from += 1
  while (to > from && (bytes[to - 1] as number) <= 0x20) to -= 1
  if (!isNumberText(bytes, from, to)) return undefined
  const value = parseDecimalText(bytes, from, to)
  return Number.isFinite(value) ? value : undefined
}

const literalForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const integerForm = /^[+-]?\d+$/

/** Like `isNumberText`, for a string. */
export function isDecimalLiteral(text: string): boolean {
  return literalForm.test(text)
}

/** True if a text is an integer: sign and digits, nothing else. */
export function isIntegerLiteral(text: string): boolean {
  return integerForm.test(text)
}

/**
 * Returns the double nearest to a decimal literal; undefined for other texts and beyond the range of doubles.
 */
export function parseLiteral(text: string): number | undefined {
  const value = isDecimalLiteral(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/**
 * Parses infinities and NaN as C programs print them (GDAL writes `inf` and `nan`, older programs `1.#INF`).
 */
export function parseEndless(text: string): number | undefined {
  const match = /^([+-]?)(?:(nan|1\.#(?:qnan|snan|ind)\d*)|inf|infinity|1\.#inf\d*)$/i.exec(text)
  if (match === null) return undefined
  if (match[2] !== undefined) return Number.NaN
  return match[1] === '-' ? -Infinity : Infinity
}

const decimalForm = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i
const maxExponent = 1000

/**
 * Returns a decimal literal without exponent, plus sign and leading zeros; the digits of the fraction are
 * preserved. Undefined if the text is not a decimal literal.
 */
export function plainDecimal(text: string): string | undefined {
  const match = decimalForm.exec(text.trim())
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (whole.length + fraction.length === 0 || Math.abs(exponent) > maxExponent) return undefined
  const digits = whole + fraction
  const pointAt = whole.length + exponent
  const padded = pointAt > digits.length ? digits.padEnd(pointAt, '0') : digits
  const front = pointAt <= 0 ? '0' : padded.slice(0, pointAt).replace(/^0+(?=\d)/, '')
  const back = pointAt <= 0 ? '0'.repeat(-pointAt) + padded : padded.slice(pointAt)
  const isZero = /^0*$/.test(front + back)
  return `${sign === '-' && !isZero ? '-' : ''}${front}${back === '' ? '' : `.${back}`}`
}

/** Returns the integer of a decimal literal; undefined if it has a fraction or is not a literal. */
export function parseInteger(text: string): bigint | undefined {
  const plain = plainDecimal(text)
  if (plain === undefined) return undefined
  const [whole = '', fraction = ''] = plain.split('.')
  return /^0*$/.test(fraction) ? BigInt(whole) : undefined
}

/** Parses an integer of at most 15 digits; NaN for other texts. Faster than `parseInteger`. */
export function quickInteger(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === minus
  const from = isNegative ? start + 1 : start
  if (from === end || end - from > 15) return Number.NaN
  let value = 0
  for (let at = from; at < end; at += 1) {
    const digit = (bytes[at] as number) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}

/** Formats a 32-bit float with the fewest digits that restore it exactly. */
export function float32Text(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return String(Number(text))
  }
  return String(Number(value.toPrecision(9)))
}
