import type { Dialect } from '../../config/settings.ts'
import { findDays } from '../../lib/values/calendar.ts'
import { TimeReader } from '../../lib/values/time-reader.ts'
import { parameterDateTime } from '../../lib/values/time-rules.ts'

const olderTime = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d\d)(?:[Tt ](.+))?$/
const times = new TimeReader(parameterDateTime)
const earliest = Date.UTC(1000, 0, 1)
const msPerDay = 86_400_000

/**
 * Milliseconds since 1970 of a date or a time: `2026-11-21`, `2026-11-21 12:04:00`, or ISO 8601 with `T` and a zone;
 * UTC where none is given. The dialect of older systems also has month/day/year. Undefined for anything else.
 */
export function parseTimeParameter(text: string, dialect: Dialect): number | undefined {
  const isIso = times.parseText(text)
  const milliseconds = isIso ? times.milliseconds : dialect === 'geoserver' ? parseOlder(text) : undefined
  return milliseconds === undefined || milliseconds < earliest ? undefined : milliseconds
}

function parseOlder(text: string): number | undefined {
  const [, month, day, year = '', clock] = olderTime.exec(text) ?? []
  const days = findDays(toYear(year), Number(month), Number(day))
  if (Number.isNaN(days)) return undefined
  if (clock === undefined) return days * msPerDay
  const bytes = Buffer.from(clock)
  const isTime = times.parseTime(bytes, 0, bytes.length)
  return isTime ? days * msPerDay + Math.floor(times.micros / 1000) : undefined
}

/** Two digits are of the years 1969 to 2068. */
function toYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 69 ? 2000 + year : 1900 + year
}

/** ISO 8601 in UTC of milliseconds since 1970; the dialect of older systems has six digits of fraction. */
export function toTimeResponse(milliseconds: number, dialect: Dialect): string {
  const text = new Date(milliseconds).toISOString()
  return dialect === 'geoserver' ? text.replace('Z', '000Z') : text
}
