import { TimeReader } from '../../lib/values/time-reader.ts'
import { xmlDateTime } from '../../lib/values/time-rules.ts'

const reader = new TimeReader(xmlDateTime)

/**
 * Parses `xs:dateTime`, `xs:date`, `xs:gYearMonth` or `xs:gYear` to microseconds since 1970-01-01T00:00:00Z
 * (its first moment, UTC without a zone); undefined for anything else.
 */
export function parseXmlTime(bytes: Uint8Array, start: number, end: number): number | bigint | undefined {
  return reader.parse(bytes, start, end) ? reader.sinceEpoch : undefined
}
