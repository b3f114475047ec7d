import { divideDecimal, scaleDecimal } from '../../core/values/decimal.ts'

const [plus, minus, point, zero] = [0x2b, 0x2d, 0x2e, 0x30]
const headDigits = 15
const mostDigits = 19

/**
 * Parses the number in `bytes[start, end)` if it is plain (sign, digits, point) with at most 19 digits,
 * correctly rounded. Returns NaN if `parseNumber` must parse the text.
 */
export function parsePlainNumber(bytes: Uint8Array, start: number, limit: number): number {
  const sign = bytes[start]
  const first = sign === minus || sign === plus ? start + 1 : start
  const end = withoutZeros(bytes, first, limit)
  let head = 0
  let tail = 0
  let digits = 0
  let decimals = -1
  for (let at = first; at < end; at += 1) {
    const byte = bytes[at] as number
    const digit = byte - zero
    if (digit >= 0 && digit <= 9) {
      if (digits < headDigits) head = head * 10 + digit
      else tail = tail * 10 + digit
      if (head > 0) digits += 1
      if (decimals >= 0) decimals += 1
    } else if (byte === point && decimals < 0 && at > first) decimals = 0
    else return Number.NaN
  }
  if (end === first || digits > mostDigits || decimals > 22) return Number.NaN
  const scale = Math.max(0, decimals)
  const size =
    digits > headDigits ? divideDecimal(head, tail, digits - headDigits, scale) : scaleDecimal(head, -scale)
  return sign === minus ? -size : size
}

/** Returns the end of the number without trailing zeros after its decimal point. */
function withoutZeros(bytes: Uint8Array, start: number, limit: number): number {
  let end = limit
  while (end > start && bytes[end - 1] === zero) end -= 1
  for (let at = start; at < end; at += 1) if (bytes[at] === point) return end
  return limit
}

/**
 * Parses the integer in `bytes[start, end)`, skipping leading blanks, if it only has a sign and digits and
 * the result is exact; NaN otherwise.
 */
export function parseWholeNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] === 0x20) at += 1
  const isNegative = bytes[at] === 0x2d
  if (isNegative) at += 1
  if (at >= end) return Number.NaN
  let value = 0
  for (; at < end; at += 1) {
    const digit = (bytes[at] as number) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  if (value > 1e15) return Number.NaN
  return isNegative ? -value : value
}

/** Returns the digits of a plain integer, also written as `12.000`; undefined for anything else. */
export function parseWholeDigits(text: string): string | undefined {
  const match = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(text)
  if (match === null) return undefined
  return match[1] === '-' && match[2] !== '0' ? `-${match[2]}` : match[2]
}
