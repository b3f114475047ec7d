/** 10^0 to 10^22: the powers that a double holds exactly. */
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/**
 * The number in `bytes[start, end)` where it is plain (sign, digits, point) with at most 15 digits, which makes the
 * division exact to the last bit; NaN where `parseNumber` has to look at the text.
 */
export function parsePlainNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const sign = bytes[at]
  if (sign === 0x2d || sign === 0x2b) at += 1
  let value = 0
  let digits = 0
  let decimals = -1
  let zeros = 0
  for (; at < end; at += 1) {
    const digit = (bytes[at] as number) - 0x30
    if (digit === 0 && decimals >= 0) zeros += 1
    else if (digit >= 0 && digit <= 9) {
      // Zeros behind the point count only when another digit follows them.
      if (zeros > 0) {
        digits += zeros
        if (digits > 15) return Number.NaN
        value *= powers[zeros] as number
        decimals += zeros
        zeros = 0
      }
      value = value * 10 + digit
      if (value > 0) digits += 1
      if (digits > 15) return Number.NaN
      if (decimals >= 0) decimals += 1
    } else if (digit === -2 && decimals < 0 && at > start && isDigit(bytes[at - 1] as number)) decimals = 0
    else return Number.NaN
  }
  if (end - start === (sign === 0x2d || sign === 0x2b ? 1 : 0) || decimals > 22) return Number.NaN
  const size = decimals > 0 ? value / (powers[decimals] as number) : value
  return sign === 0x2d ? -size : size
}

/**
 * The whole number in `bytes[start, end)`, blanks before it skipped, where nothing but sign and digits follow and the
 * result is exact; NaN otherwise.
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

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text stands for, rounded to the nearest double; undefined when it is none or too large. */
export function parseNumber(text: string): number | undefined {
  if (!numberPattern.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The digits of a whole number written plainly, also as `12.000`; undefined for anything else. */
export function parseWholeDigits(text: string): string | undefined {
  const match = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(text)
  if (match === null) return undefined
  return match[1] === '-' && match[2] !== '0' ? `-${match[2]}` : match[2]
}
