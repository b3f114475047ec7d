const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthByKey = new Map(months.map((name, index) => [keyOf(Buffer.from(name), 0), index]))

/**
 * Parses the time in `bytes` at `at`, such as `10/Oct/2025:13:55:36 +0200`. Returns milliseconds since 1970;
 * NaN if there is no time.
 */
export function parseLogTime(bytes: Uint8Array, at: number): number {
  const month = monthByKey.get(keyOf(bytes, at + 3))
  const sign = bytes[at + 21]
  if (month === undefined || (sign !== 0x2b && sign !== 0x2d) || !hasMarks(bytes, at)) return Number.NaN
  const day = digits(bytes, at, 2)
  const year = digits(bytes, at + 7, 4)
  const hour = digits(bytes, at + 12, 2)
  const minute = digits(bytes, at + 15, 2)
  const second = digits(bytes, at + 18, 2)
  const offset = digits(bytes, at + 22, 2) * 60 + digits(bytes, at + 24, 2)
  // Second 60 is a leap second.
  const isTime = day >= 1 && hour < 24 && minute < 60 && second <= 60 && offset <= 14 * 60
  if (!isTime || day > new Date(Date.UTC(year, month + 1, 0)).getUTCDate()) return Number.NaN
  const local = Date.UTC(year, month, day, hour, minute, Math.min(second, 59))
  return local - (sign === 0x2b ? offset : -offset) * 60_000
}

/** Packs three letters into one number, ignoring case. */
function keyOf(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) | 0x20) << 16) |
    (((bytes[at + 1] as number) | 0x20) << 8) |
    ((bytes[at + 2] as number) | 0x20)
  )
}

function hasMarks(bytes: Uint8Array, at: number): boolean {
  const isDate = bytes[at + 2] === 0x2f && bytes[at + 6] === 0x2f && bytes[at + 11] === 0x3a
  return isDate && bytes[at + 14] === 0x3a && bytes[at + 17] === 0x3a && bytes[at + 20] === 0x20
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = at; index < at + count; index += 1) {
    const digit = (bytes[index] as number) - 0x30
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
