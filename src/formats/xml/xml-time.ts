import { asciiText } from '../../lib/decimal.ts'
import { epochDay } from '../epoch-day.ts'
import { parseTimestamp } from '../timestamp.ts'

/**
 * Microseconds since 1970-01-01T00:00:00Z of `xs:dateTime`, `xs:date`, `xs:gYearMonth` or `xs:gYear` (its first
 * moment, UTC where no zone is given); undefined for anything else.
 */
export function parseXmlTime(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  if (end - start > 7) return parseTimestamp(bytes, start, end)
  const parts = /^(\d{4})(?:-(\d\d))?$/.exec(asciiText(bytes, start, end))
  const day = parts === null ? undefined : epochDay(Number(parts[1]), Number(parts[2] ?? 1), 1)
  return day === undefined ? undefined : BigInt(day) * 86_400_000_000n
}
