import { ZoneDays } from '../../core/values/zone-days.ts'
import type { CounterRow, UsageMonthsQuery } from '../query/usage-months.ts'
import type { ReportAudience } from './report.ts'
import type { ReportPeriod } from './report-period.ts'
import { dateAt, monthStarts, monthsOf } from './report-period.ts'

/** Metric types of the Code of Practice for Research Data with the stored totals. */
const metricTypes = {
  Total_Dataset_Investigations: 'investigations',
  Unique_Dataset_Investigations: 'uniqueInvestigations',
  Total_Dataset_Requests: 'requests',
  Unique_Dataset_Requests: 'uniqueRequests',
} as const
const accessMethods = { regular: 'Regular', machine: 'Machine' } as const
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export interface CounterReportRequest {
  /** Begins on the first day of a month. */
  period: ReportPeriod
  zone: string
  audience: ReportAudience
  /** Organization that publishes the layers; empty if it is not set. */
  publisher: string
  /** Name of the system that creates the report. */
  createdBy: string
  /** Returns the address of a layer. */
  layerAddress(key: string): string
  /** Present time in seconds since 1970. */
  now: number
}

/** Reads of stored usage that the report needs. */
export interface CounterReads {
  counterMonths(query: UsageMonthsQuery): Promise<{ since?: number; rows: CounterRow[] }>
}

/**
 * Writes the Dataset Master Report of the COUNTER Code of Practice for Research Data, release 1, section 7, as tab-separated
 * values: ten lines of header, a blank line, then one line for each layer, access method and metric type. Lines without usage are
 * omitted (section 6.3).
 */
export async function writeCounterReport(
  reads: CounterReads,
  request: CounterReportRequest,
): Promise<string> {
  const { period, zone, audience } = request
  const days = new ZoneDays(zone)
  const { since, rows } = await reads.counterMonths({ zone, starts: monthStarts(days, period) })
  const lines = [
    ...headerOf(request, days, since),
    [],
    [...columns, ...monthsOf(period).map(monthName)],
    ...rows
      .filter(({ layer }) => audience.layers.has(layer))
      .sort((a, b) => (a.layer < b.layer ? -1 : 1))
      .flatMap((row) => linesOf(row, request)),
  ]
  return lines.map((cells) => `${cells.map(plain).join('\t')}\r\n`).join('')
}

const columns = [
  'Dataset_Title',
  'Publisher',
  'Publisher_ID',
  'DOI',
  'Other_ID',
  'URI',
  'YOP',
  'Access_Method',
  'Metric_Type',
  'Reporting_Period_Total',
]

function headerOf(
  { period, createdBy, now }: CounterReportRequest,
  days: ZoneDays,
  since: number | undefined,
): string[][] {
  const today = dateAt(days, now)
  const [end = today] = [period.last, today].sort()
  const isPartial = since === undefined || dateAt(days, since) > period.first || period.last >= today
  return [
    ['Report_Name', 'Dataset Master Report'],
    ['Report_ID', 'DSR'],
    ['Release', 'RD1'],
    ['Metric_Types', Object.keys(metricTypes).join('; ')],
    ['Report_Filters', ''],
    ['Report_Attributes', 'Attributes_To_Show=Access_Method|YOP'],
    ['Exceptions', isPartial ? partialData(period, days, since, end) : ''],
    ['Reporting_Period', `begin_date=${period.first}; end_date=${end}`],
    ['Created', today],
    ['Created_By', createdBy],
  ]
}

function partialData(
  { first, last }: ReportPeriod,
  days: ZoneDays,
  since: number | undefined,
  end: string,
): string {
  const from = since === undefined ? undefined : dateAt(days, since)
  if (from === undefined || from > end) return '3030: No Usage Available for Requested Dates'
  const begin = from > first ? from : first
  return `3040: Partial Data Returned (request was for ${first} to ${last}; usage is available from ${begin} to ${end})`
}

function linesOf(
  { layer, months }: CounterRow,
  { audience, publisher, layerAddress }: CounterReportRequest,
): string[][] {
  const known = audience.layers.get(layer)
  const about = [
    known?.title ?? layer,
    publisher,
    '',
    known?.doi ?? '',
    `terrane:${layer}`,
    layerAddress(layer),
    '0001',
  ]
  return Object.entries(accessMethods).flatMap(([method, accessMethod]) =>
    Object.entries(metricTypes).flatMap(([metricType, total]) => {
      const counts = months[method === 'machine' ? 'machine' : 'regular'].map((month) => month[total])
      const sum = counts.reduce((all, one) => all + one, 0)
      return sum === 0 ? [] : [[...about, accessMethod, metricType, String(sum), ...counts.map(String)]]
    }),
  )
}

function monthName(month: string): string {
  const [year = '', number = '1'] = month.split('-')
  return `${monthNames[Number(number) - 1]}-${year}`
}

/**
 * Returns a text as a cell of tab-separated values: without tabs and line breaks, and with an apostrophe if a
 * spreadsheet would interpret it as a formula.
 */
function plain(text: string): string {
  const cell = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return /^[=+\-@]/.test(cell) ? `'${cell}` : cell
}
