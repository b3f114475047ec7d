import { TimeReader } from '../../lib/values/time-reader.ts'
import { geopackageDateTime } from '../../lib/values/time-rules.ts'

const encoder = new TextEncoder()
const reader = new TimeReader(geopackageDateTime)

/** Days since 1970-01-01 of a DATE, `YYYY-MM-DD`. */
export function parseDate(text: string): number | undefined {
  const bytes = encoder.encode(text)
  return reader.parseDate(bytes, 0, bytes.length) ? reader.days : undefined
}

/**
 * Microseconds since 1970-01-01T00:00:00Z of a DATETIME. The standard's form is `YYYY-MM-DDTHH:MM:SS.SSSZ`; others of
 * `geopackageDateTime` are read too.
 */
export function parseTimestamp(text: string): bigint | undefined {
  return reader.parseText(text) ? BigInt(reader.sinceEpoch) : undefined
}
