import { epochDay } from './epoch-day.ts'

const microsPerSecond = 1_000_000

/**
 * Microseconds since 1970-01-01T00:00:00Z of an ISO 8601 date (midnight) or date-time in `bytes[start, end)`, with `T`
 * or blank between, any fraction of a second (cut to microseconds), and `Z`, an offset or nothing (UTC) behind;
 * undefined when it is anything else.
 */
export function parseTimestamp(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  const day = parseDay(bytes, start, end)
  if (day === undefined) return undefined
  if (end - start === 10) return BigInt(day) * 86_400_000_000n
  const separator = bytes[start + 10]
  if (separator !== 0x54 && separator !== 0x20) return undefined
  const hour = digitsAt(bytes, start + 11, 2, end)
  const minute = digitsAt(bytes, start + 14, 2, end)
  if (bytes[start + 13] !== 0x3a || !(hour <= 23) || !(minute <= 59)) return undefined
  let at = start + 16
  let second = 0
  let micros = 0
  if (at < end && bytes[at] === 0x3a) {
    second = digitsAt(bytes, at + 1, 2, end)
    if (!(second <= 60)) return undefined
    at += 3
    if (at < end && bytes[at] === 0x2e) {
      const digits = countDigits(bytes, at + 1, end)
      if (digits === 0) return undefined
      const kept = Math.min(digits, 6)
      micros = digitsAt(bytes, at + 1, kept, end) * 10 ** (6 - kept)
      at += 1 + digits
    }
  }
  const offset = parseOffset(bytes, at, end)
  if (offset === undefined) return undefined
  const seconds = day * 86_400 + hour * 3600 + (minute - offset) * 60 + second
  return BigInt(seconds) * BigInt(microsPerSecond) + BigInt(micros)
}

function parseDay(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return undefined
  const year = digitsAt(bytes, start, 4, end)
  const month = digitsAt(bytes, start + 5, 2, end)
  const day = digitsAt(bytes, start + 8, 2, end)
  return Number.isNaN(year + month + day) ? undefined : epochDay(year, month, day)
}

/** Minutes east of UTC of `Z`, `+hh`, `+hhmm`, `+hh:mm` or nothing. */
function parseOffset(bytes: Uint8Array, at: number, end: number): number | undefined {
  if (at === end || (bytes[at] === 0x5a && at + 1 === end)) return 0
  const sign = bytes[at] === 0x2b ? 1 : bytes[at] === 0x2d ? -1 : 0
  const hours = digitsAt(bytes, at + 1, 2, end)
  const minutesAt = bytes[at + 3] === 0x3a ? at + 4 : at + 3
  const minutes = at + 3 === end ? 0 : digitsAt(bytes, minutesAt, 2, end)
  const isWhole = at + 3 === end || minutesAt + 2 === end
  if (sign === 0 || !isWhole || !(hours <= 23) || !(minutes <= 59)) return undefined
  return sign * (hours * 60 + minutes)
}

/** The number of `count` digits; NaN where other bytes stand or the text ends. */
function digitsAt(bytes: Uint8Array, at: number, count: number, end: number): number {
  if (at + count > end) return Number.NaN
  let value = 0
  for (let i = at; i < at + count; i += 1) {
    const digit = (bytes[i] as number) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function countDigits(bytes: Uint8Array, at: number, end: number): number {
  let count = 0
  while (at + count < end && (bytes[at + count] as number) >= 0x30 && (bytes[at + count] as number) <= 0x39) {
    count += 1
  }
  return count
}
