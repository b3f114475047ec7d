import { hasQuantiles, metricNamed } from '../../src/monitoring/metrics/metrics.ts'
import type { ExpectedPeriod, ExpectedRow, MetricQuery } from './recount.ts'
import { distinctOf, resourceKey } from './recount.ts'

/** Row of a metric_data response. */
interface AnsweredRow {
  label?: string
  user?: string
  event_type?: string
  resource?: { id: number; type: string; name: string }
  val: number | string
  min: number | string
  max: number | string
  sum: number | string
  samples_count: number
  metric_count: number
  p50?: number | string
  p95?: number | string
  p99?: number | string
}

export interface AnsweredPeriod {
  valid_from: string
  valid_to: string
  data: AnsweredRow[]
}

/** Tolerances for rounding to four digits, and for sums in another order. */
const roundingError = 6e-5
const relativeError = 1e-9
/** Tolerance for distinct counts above the cap, and for quantiles. */
const estimateError = 0.02

/** The query of a question; resources by their ids. */
export function toQuery(metricQuery: MetricQuery, resourceId: (key: string) => number): string {
  const { metric, from, to, interval, groupBy, service, serviceType, eventType, resourceType } = metricQuery
  const query = new URLSearchParams({
    valid_from: new Date(from * 1000).toISOString(),
    valid_to: new Date(to * 1000).toISOString(),
    interval: String(interval),
  })
  const { resource, label, user } = metricQuery
  const rest = { group_by: groupBy, service, event_type: eventType, resource_type: resourceType, label, user }
  for (const [name, value] of Object.entries({ ...rest, service_type: serviceType }))
    if (value !== undefined) query.set(name, value)
  if (resource !== undefined) query.set('resource', String(resourceId(resourceKey(resource))))
  return `/api/metric_data/${metric}/?${query}`
}

/** Returns the differences, one line each. */
export function differences(
  query: MetricQuery,
  expected: readonly ExpectedPeriod[],
  answered: readonly AnsweredPeriod[],
): string[] {
  const found: string[] = []
  if (expected.length !== answered.length)
    return [`${answered.length} periods in place of ${expected.length}`]
  expected.forEach((period, index) => {
    const other = answered[index]
    const [from, to] = [Date.parse(other?.valid_from ?? '') / 1000, Date.parse(other?.valid_to ?? '') / 1000]
    if (from !== period.from || to !== period.to)
      found.push(`period ${index} is ${other?.valid_from} to ${other?.valid_to}`)
    else found.push(...rowDifferences(query, period, other?.data ?? []))
  })
  return found
}

function rowDifferences(query: MetricQuery, period: ExpectedPeriod, answered: AnsweredRow[]): string[] {
  const at = new Date(period.from * 1000).toISOString()
  const found: string[] = []
  const rows = new Map(answered.map((row) => [keyOf(query, row), row]))
  if (rows.size !== answered.length) found.push(`${at}: two rows of one key`)
  const values = answered.map((row) => Number(row.val))
  if (values.some((value, index) => value > (values[index - 1] ?? value)))
    found.push(`${at}: rows are not in order`)
  for (const row of period.rows) {
    const other = rows.get(row.key)
    if (other === undefined) found.push(`${at}: row "${row.key}" is missing`)
    else for (const one of fieldDifferences(query, row, other)) found.push(`${at}: row "${row.key}": ${one}`)
    rows.delete(row.key)
  }
  for (const key of rows.keys()) found.push(`${at}: row "${key}" is too much`)
  return found
}

function keyOf({ groupBy }: MetricQuery, row: AnsweredRow): string {
  const resource = row.resource === undefined ? '' : resourceKey(row.resource)
  if (groupBy === undefined) return row.label ?? ''
  if (groupBy === 'resource') return `${resource} ${row.label}`
  if (groupBy.startsWith('resource_')) return resource
  if (groupBy.startsWith('event_type')) return row.event_type ?? ''
  return groupBy === 'user_on_label' ? (row.user ?? '') : ''
}

function fieldDifferences(query: MetricQuery, row: ExpectedRow, other: AnsweredRow): string[] {
  const pairs: [name: string, expected: number, answered: unknown][] = [
    ['sum', row.sum, other.sum],
    ['min', row.min, other.min],
    ['max', row.max, other.max],
    ['samples_count', row.samples, other.samples_count],
    ['metric_count', row.records, other.metric_count],
  ]
  const found = pairs
    .filter(([, expected, answered]) => !isNear(expected, Number(answered)))
    .map(([name, expected, answered]) => `${name} is ${answered} in place of ${expected}`)
  const isValRight = row.isEstimate
    ? Math.abs(Number(other.val) - row.val) <= Math.max(row.val * estimateError, 0)
    : isNear(row.val, Number(other.val))
  if (!isValRight) found.push(`val is ${other.val} in place of ${row.isEstimate ? 'about ' : ''}${row.val}`)
  if (hasQuantiles(metricNamed(query.metric)) && distinctOf(query) === undefined)
    found.push(...quantileDifferences(row, other))
  return found
}

function isNear(expected: number, answered: number): boolean {
  return Math.abs(expected - answered) <= roundingError + Math.abs(expected) * relativeError
}

/** A quantile is between neighbours in rank, within the error of the sketch. */
function quantileDifferences({ times }: ExpectedRow, other: AnsweredRow): string[] {
  const quantiles = [
    [0.5, other.p50],
    [0.95, other.p95],
    [0.99, other.p99],
  ] as const
  return quantiles.flatMap(([share, answered]) => {
    const rank = share * (times.length - 1)
    const low = times[Math.max(0, Math.floor(rank) - 1)] ?? 0
    const high = times[Math.min(times.length - 1, Math.ceil(rank) + 1)] ?? 0
    const value = Number(answered)
    const isNearby =
      value >= low * (1 - estimateError) - roundingError &&
      value <= high * (1 + estimateError) + roundingError
    return isNearby ? [] : [`p${share * 100} is ${answered}, not between ${low} and ${high}`]
  })
}
