import { divideDecimal, scaleDecimal } from '../../core/values/decimal.ts'

const [plus, minus, point, zero] = [0x2b, 0x2d, 0x2e, 0x30]
const headDigits = 15
const maxDigits = 19

/**
 * Parses the number in `bytes[start, limit)` if it is plain: sign, digits, point, at most 15 digits before the
 * point and 19 in all. Correctly rounded. Returns NaN if `parseLiteral` must parse the text.
 */
export function parsePlainNumber(bytes: Uint8Array, start: number, limit: number): number {
  const sign = bytes[start]
  const first = sign === minus || sign === plus ? start + 1 : start
  let head = 0
  let at = first
  for (; at < limit; at += 1) {
    const digit = (bytes[at] as number) - zero
    if (digit < 0 || digit > 9) break
    head = head * 10 + digit
  }
  if (at === first || at - first > headDigits) return Number.NaN
  const size = at === limit ? head : parseFraction(bytes, at, limit, head, headDigits - (at - first))
  return sign === minus ? -size : size
}

/**
 * Parses the part of a number from its point at `at`, after the integer `whole`. The first `room` decimals
 * extend the integer exactly; of further ones there may be four.
 */
function parseFraction(bytes: Uint8Array, at: number, limit: number, whole: number, room: number): number {
  if (bytes[at] !== point) return Number.NaN
  const first = at + 1
  let end = limit
  while (end > first && bytes[end - 1] === zero) end -= 1
  const split = Math.min(end, first + room)
  if (end - split > maxDigits - headDigits) return Number.NaN
  let head = whole
  for (let next = first; next < split; next += 1) {
    const digit = (bytes[next] as number) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    head = head * 10 + digit
  }
  let tail = 0
  for (let next = split; next < end; next += 1) {
    const digit = (bytes[next] as number) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    tail = tail * 10 + digit
  }
  return end === split ? scaleDecimal(head, first - end) : divideDecimal(head, tail, end - split, end - first)
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
