import type { Dialect } from '../../../core/config/settings.ts'
import { TimeReader } from '../../../core/values/time-reader.ts'
import { parameterDateTime } from '../../../core/values/time-rules.ts'
import { parseMonthFirst } from '../../compat/geonode-monitoring.ts'

const times = new TimeReader(parameterDateTime)
const earliest = Date.UTC(1000, 0, 1)

/**
 * Parses a date or a time: `2026-11-21`, `2026-11-21 12:04:00`, or ISO 8601 with `T` and a zone; UTC if there is no
 * zone. Returns milliseconds since 1970, and undefined for anything else.
 */
export function parseTimeParameter(text: string, dialect: Dialect): number | undefined {
  const milliseconds = times.parseText(text) ? times.milliseconds : parseMonthFirst(text, dialect)
  return milliseconds === undefined || milliseconds < earliest ? undefined : milliseconds
}
