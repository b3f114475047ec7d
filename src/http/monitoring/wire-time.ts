import type { Dialect } from '../../config/settings.ts'

const clock = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?`
/** An unescaped plus sign of a query arrives as a blank. */
const zone = String.raw`(?<zone>Z|z|[+\- ]\d\d(?::?\d\d)?)?`
const isoTime = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[Tt ]${clock} ?${zone})?$`,
)
const olderTime = new RegExp(
  String.raw`^(?<month>\d{1,2})/(?<day>\d{1,2})/(?<year>\d{4}|\d\d)(?:[Tt ]${clock})?$`,
)

type Parts = Partial<Record<string, string>>

/**
 * Milliseconds since 1970 of a date or a time: `2026-11-21`, `2026-11-21 12:04:00`, or ISO 8601 with `T` and a zone;
 * UTC where none is given. The dialect of older systems also has month/day/year. Undefined for anything else.
 */
export function parseWireTime(text: string, dialect: Dialect): number | undefined {
  const groups: Parts | undefined =
    isoTime.exec(text)?.groups ?? (dialect === 'geoserver' ? olderTime.exec(text)?.groups : undefined)
  return groups === undefined ? undefined : toMilliseconds(groups)
}

function toMilliseconds(parts: Parts): number | undefined {
  const [month, day, hour, minute, second] = ['month', 'day', 'hour', 'minute', 'second'].map((name) =>
    Number(parts[name] ?? 0),
  ) as [number, number, number, number, number]
  const year = toYear(parts.year ?? '')
  const date = Date.UTC(year, month - 1, day)
  const isDay = new Date(date).getUTCMonth() === month - 1 && day > 0 && year >= 1000
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined
  const offset = toOffset(parts.zone)
  if (offset === undefined) return undefined
  const milliseconds = Number((parts.fraction ?? '').slice(0, 3).padEnd(3, '0'))
  return date + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
}

/** Two digits are of the years 1969 to 2068. */
function toYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 69 ? 2000 + year : 1900 + year
}

/** Minutes east of UTC. */
function toOffset(text: string | undefined): number | undefined {
  if (text === undefined || /^z$/i.test(text)) return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || 0)]
  if (hours > 18 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** ISO 8601 in UTC of milliseconds since 1970; the dialect of older systems has six digits of fraction. */
export function toWireTime(milliseconds: number, dialect: Dialect): string {
  const text = new Date(milliseconds).toISOString()
  return dialect === 'geoserver' ? text.replace('Z', '000Z') : text
}
