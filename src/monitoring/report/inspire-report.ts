import { csvLine } from '../../core/text/escape.ts'
import { ZoneDays } from '../../core/values/zone-days.ts'
import type { ServiceMonth, UsageMonthsQuery } from '../query/usage-months.ts'
import { safeCell } from './report-csv.ts'
import type { ReportPeriod } from './report-period.ts'
import { dateAt, monthStarts, monthsOf } from './report-period.ts'

export interface InspireReportRequest {
  period: ReportPeriod
  zone: string
  /** Names of the watched services by id. */
  services: ReadonlyMap<number, string>
  /** Present time in seconds since 1970. */
  now: number
}

/** Reads of stored usage that the report needs. */
export interface InspireReads {
  serviceMonths(query: UsageMonthsQuery): Promise<{ since?: number; months: ServiceMonth[] }>
}

const columns = [
  'month',
  'service',
  'availability',
  'availability_basis',
  'requests',
  'server_errors',
  'answered_share',
  'first_byte_measured',
  'first_byte_p50_ms',
  'first_byte_p95_ms',
  'first_byte_p99_ms',
  'response_measured',
  'response_p50_ms',
  'response_p95_ms',
  'response_p99_ms',
  'complete',
] as const

/**
 * Text instead of the availability: Regulation (EC) 976/2009 defines availability as a share of time, which
 * cannot be derived from requests.
 */
const availabilityBasis =
  'not measured: needs reference requests; answered_share is the share of requests without a server error'

/**
 * Writes the quality of each service by month as CSV: response times and the share of successful requests,
 * derived from requests of users. Nothing is estimated, so availability as a share of time remains empty.
 */
export async function writeInspireReport(
  reads: InspireReads,
  { period, zone, services, now }: InspireReportRequest,
): Promise<string> {
  const days = new ZoneDays(zone)
  const starts = monthStarts(days, period)
  const { since, months } = await reads.serviceMonths({ zone, starts })
  const names = monthsOf(period)
  const today = dateAt(days, now)
  const isWhole = (month: number): boolean =>
    since !== undefined && since <= (starts[month] ?? 0) && (names[month] ?? '') < today.slice(0, 7)
  const lines = months
    .filter(({ serviceId }) => services.has(serviceId))
    .sort((a, b) => a.month - b.month || a.serviceId - b.serviceId)
    .map((one) =>
      csvLine([
        names[one.month] ?? '',
        safeCell(services.get(one.serviceId) ?? ''),
        '',
        availabilityBasis,
        String(one.hits),
        String(one.errors),
        one.hits === 0 ? '' : (1 - one.errors / one.hits).toFixed(6),
        ...timesOf(one.firstByte),
        ...timesOf(one.response),
        String(isWhole(one.month)),
      ]),
    )
  return [csvLine(columns), ...lines].join('')
}

function timesOf({ measured, p50, p95, p99 }: ServiceMonth['response']): string[] {
  return [String(measured), ...[p50, p95, p99].map((time) => (time === null ? '' : time.toFixed(1)))]
}
