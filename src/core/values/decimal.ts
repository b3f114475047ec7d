const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
/** 2^27 + 1: splits a double into two halves whose products are exact. */
const splitter = 134217729
/** Doubles below this represent every integer exactly, with one further digit. */
export const exactMantissa = 1e15

/**
 * Returns `mantissa` * 10^`exponent`, correctly rounded, or NaN if that needs the digits
 * (`parseDecimalText`). Both factors are exact doubles if the mantissa is below 10^15 and the exponent within
 * 22, so one operation rounds once.
 */
export function scaleDecimal(mantissa: number, exponent: number): number {
  if (mantissa >= exactMantissa) return Number.NaN
  if (exponent === 0 || mantissa === 0) return mantissa
  if (exponent < 0) return exponent >= -22 ? mantissa / (powersOfTen[-exponent] as number) : Number.NaN
  return exponent <= 22 ? mantissa * (powersOfTen[exponent] as number) : Number.NaN
}

/**
 * Returns (`head` * 10^`tailDigits` + `tail`) / 10^`scale`, correctly rounded, or NaN if the result is too
 * close to the middle of two doubles. `head` < 10^15, `tailDigits` <= 4, `scale` within 0..22. The quotient
 * is computed as the unevaluated sum of two doubles; if moving the small one by more than its error changes
 * nothing, the sum is correctly rounded.
 */
export function divideDecimal(head: number, tail: number, tailDigits: number, scale: number): number {
  const factor = powersOfTen[tailDigits] as number
  const product = head * factor
  const low = productError(head, factor, product) + tail
  const high = product + low
  const rest = low - (high - product)
  const divisor = powersOfTen[scale] as number
  const quotient = high / divisor
  const back = quotient * divisor
  const remainder = high - back - productError(quotient, divisor, back) + rest
  const correction = remainder / divisor
  const upper = quotient + correction * 1.0000000000001
  return upper === quotient + correction * 0.9999999999999 ? upper : Number.NaN
}

/** Returns the exact rounding error of `a * b` against `product`. */
function productError(a: number, b: number, product: number): number {
  const aBig = a * splitter
  const aHigh = aBig - (aBig - a)
  const aLow = a - aHigh
  const bBig = b * splitter
  const bHigh = bBig - (bBig - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/**
 * Returns the double nearest to the decimal literal in `bytes[start, end)`, whose syntax the caller has
 * checked.
 */
export function parseDecimalText(bytes: Uint8Array, start: number, end: number): number {
  return quickDecimal(bytes, start, end) ?? Number(asciiText(bytes, start, end))
}

/**
 * Parses plain literals of 16 to 19 digits, the usual form of coordinates in full precision, without creating
 * a string.
 */
function quickDecimal(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = start
  const isNegative = bytes[at] === 0x2d
  if (isNegative) at += 1
  let head = 0
  let tail = 0
  let tailDigits = 0
  let point = -1
  for (; at < end; at += 1) {
    const digit = (bytes[at] as number) - 48
    if (digit === -2 && point < 0) point = at
    else if (digit < 0 || digit > 9) return undefined
    else if (head < 1e14) head = head * 10 + digit
    else if (tailDigits === 4) return undefined
    else {
      tail = tail * 10 + digit
      tailDigits += 1
    }
  }
  const scale = point < 0 ? 0 : end - point - 1
  if (scale > 22) return undefined
  const value = divideDecimal(head, tail, tailDigits, scale)
  if (Number.isNaN(value)) return undefined
  return isNegative ? -value : value
}

/** Converts ASCII bytes to a string; for short tokens outside of the hot path. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}
