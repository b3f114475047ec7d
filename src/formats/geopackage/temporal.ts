const microsPerDay = 86_400_000_000n
const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?(?:Z|([+-])(\d\d):?(\d\d)?)?)?$/i

/** Days since 1970-01-01 of a proleptic Gregorian date, undefined where there is no such day. */
function daysOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    ? date.getTime() / 86_400_000
    : undefined
}

/** Days since 1970-01-01 of a DATE, `YYYY-MM-DD`. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  return match === null ? undefined : daysOf(Number(match[1]), Number(match[2]), Number(match[3]))
}

/**
 * Microseconds since 1970-01-01T00:00:00Z of a DATETIME. The standard's form is `YYYY-MM-DDTHH:MM:SS.SSSZ`; a blank for
 * the T, other fractions, zones, no zone (UTC) and a date alone are read too.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)]
  const days = daysOf(Number(match[1]), Number(match[2]), Number(match[3]))
  if (days === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const zoneMinutes = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)
  const minutes = hour * 60 + minute - (match[8] === '-' ? -zoneMinutes : zoneMinutes)
  const micros = (minutes * 60 + second) * 1_000_000 + Number((match[7] ?? '').padEnd(6, '0'))
  return BigInt(days) * microsPerDay + BigInt(micros)
}
