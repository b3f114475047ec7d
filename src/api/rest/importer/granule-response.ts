import { invalid } from '../../../core/errors/errors.ts'
import { type GranuleRecord, type MosaicTime, parseIsoTime } from '../../../importer/index.ts'

/** A date and time of ISO 8601 with its zone, as in `2000-01-01T00:00:00.000+0000`. */
const zonedTime = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Milliseconds since 1970 of a granule's timestamp. */
export function readTimestampBody(text: string | undefined): number {
  const ms = text !== undefined && zonedTime.test(text.trim()) ? parseIsoTime(text) : undefined
  if (ms !== undefined) return ms
  throw invalid(
    'invalid-timestamp',
    `timestamp must be a date and time such as 2000-01-01T00:00:00.000+0000, found ${JSON.stringify(text?.slice(0, 100) ?? null)}`,
  )
}

function toTimestampResponse(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '+0000')
}

export function toTimeResponse({ mode, pattern, format }: MosaicTime): object {
  return { mode, filenameRegex: pattern, timeFormat: format }
}

/** Returns the fields of a granule in addition to those of any file. */
export function toGranuleResponse({ timeMs, timeFault, fault, format }: GranuleRecord): object {
  const message = fault?.reason ?? (timeMs === undefined ? timeFault : undefined)
  return {
    format: format ?? null,
    timestamp: timeMs === undefined ? undefined : toTimestampResponse(timeMs),
    message,
  }
}
