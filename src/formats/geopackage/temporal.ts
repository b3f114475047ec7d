import { TimeReader } from '../../lib/values/time-reader.ts'
import { geopackageDateTime } from '../../lib/values/time-rules.ts'

const encoder = new TextEncoder()
const reader = new TimeReader(geopackageDateTime)

/** Parses a DATE, `YYYY-MM-DD`, to days since 1970-01-01. */
export function parseDate(text: string): number | undefined {
  const bytes = encoder.encode(text)
  return reader.parseDate(bytes, 0, bytes.length) ? reader.days : undefined
}

/**
 * Parses a DATETIME to microseconds since 1970-01-01T00:00:00Z. The form of the standard is
 * `YYYY-MM-DDTHH:MM:SS.SSSZ`; other forms of `geopackageDateTime` are accepted too.
 */
export function parseTimestamp(text: string): bigint | undefined {
  return reader.parseText(text) ? BigInt(reader.sinceEpoch) : undefined
}
