import type { Metric } from '../../src/monitoring/metrics/metrics.ts'
import { findMetric, tellsUsers } from '../../src/monitoring/metrics/metrics.ts'
import type { NumberMetric, RequestColumns } from '../../src/monitoring/metrics/requests/request-metric.ts'
import type { EventType } from '../../src/monitoring/model/event-types.ts'
import { decodeRequests, encodeRequests } from '../../src/monitoring/series/request-block.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'

/** Value of a metric for one label in one minute. */
export interface MinuteRow {
  label: string
  user?: string
  value: number
  samples: number
  isOther: boolean
  /** Labels that the row represents. */
  labels: Set<string>
  users: Set<string>
  times: number[]
}

type Label = (request: RequestEvent) => string | null

/** Listed here, so that a recount does not rely on the metric's own definition. */
const knownLabels: Record<string, Label> = {
  'request.users': (request) => request.visitor,
  'request.ip': (request) => request.clientIp,
  'request.ua': (request) => request.userAgent,
  'request.ua.family': (request) => request.userAgentFamily,
  'request.path': (request) => request.path,
  'request.method': (request) => request.method,
  'request.country': (request) => request.country,
  'request.region': (request) => request.region,
  'request.city': (request) => request.city,
  'response.status': (request) => String(request.status),
  'response.error.types': (request) => request.errorType,
}

/** Returns true if a request counts under an event type. */
export function countsUnder({ eventType }: RequestEvent, requested: EventType): boolean {
  if (requested === 'all') return true
  const isOgc = eventType === null || eventType.startsWith('OWS:')
  if (requested === 'OWS:ALL') return isOgc
  if (requested === 'other') return !isOgc
  return eventType === requested
}

/** Returns the rows of one minute, service, event type and split, computed from its requests. */
export function minuteRows(metric: Metric, requests: RequestEvent[], cap: number): MinuteRow[] {
  const label = labelOf(metric)
  if (label !== undefined) {
    const isPartial = metric.takenFrom === 'labels' && metric.isPartial
    return capped(labelRows(requests, label, { hasUsers: tellsUsers(metric), isPartial }), cap)
  }
  const count = requests.length
  if (metric.name === 'request.count') return [plainRow('count', count, count)]
  if (metric.name === 'response.error.count')
    return [plainRow('count', requests.filter((one) => one.errorType !== null).length, count)]
  if (metric.name === 'response.size') return meanRow(requests.map((one) => one.sizeBytes))
  if (metric.name === 'response.first_byte')
    return meanRow(requests.flatMap((one) => one.firstByteMilliseconds ?? []))
  if (metric.name === 'response.time')
    return meanRow(requests.map((one) => one.milliseconds).filter((one) => one !== null))
  return metric.takenFrom === 'numbers' ? numberRow(metric, requests) : []
}

/**
 * Returns the label of a request for a metric; a metric not listed here is evaluated for each request alone.
 */
function labelOf(metric: Metric): Label | undefined {
  if (metric.takenFrom !== 'labels') return undefined
  return (
    knownLabels[metric.name] ??
    ((request) => {
      const [label] = metric.label(columnsOf(request)).values
      return label == null ? null : String(label)
    })
  )
}

function numberRow(metric: NumberMetric, requests: readonly RequestEvent[]): MinuteRow[] {
  const numbers = requests.map((one) => metric.number(columnsOf(one))[0] ?? Number.NaN)
  const values = numbers.filter((one) => !Number.isNaN(one))
  if (metric.type === 'rate') return meanRow(values)
  return values.length === 0
    ? []
    : [
        plainRow(
          'count',
          values.reduce((sum, one) => sum + one, 0),
          values.length,
        ),
      ]
}

function columnsOf(request: RequestEvent): RequestColumns {
  return decodeRequests(encodeRequests([request]))
}

/** Returns the rows of one minute of a host metric. */
export function sampleRows(metric: Metric, samples: Sample[]): MinuteRow[] {
  return [...new Set(samples.map((one) => one.label))].map((label) => {
    const values = samples.filter((one) => one.label === label).map((one) => one.value)
    const sum = values.reduce((total, one) => total + one, 0)
    return plainRow(label, metric.type === 'rate' ? sum / values.length : sum, values.length)
  })
}

function labelRows(
  requests: RequestEvent[],
  labelOf: Label,
  { hasUsers, isPartial }: { hasUsers: boolean; isPartial: boolean },
): MinuteRow[] {
  const rows = new Map<string, MinuteRow>()
  for (const request of requests) {
    const label = labelOf(request) ?? (isPartial ? null : '(none)')
    if (label === null) continue
    const row = rows.get(label) ?? plainRow(label, 0, 0)
    rows.set(label, row)
    row.value += 1
    row.samples += 1
    if (hasUsers && request.visitor !== null && request.userName !== null) {
      row.user = request.userName
      row.users.add(request.userName)
    }
  }
  return [...rows.values()]
}

/** `(none)` does not count towards the cap. */
function capped(all: MinuteRow[], cap: number): MinuteRow[] {
  const none = all.filter((row) => row.label === '(none)')
  for (const row of none) row.labels.clear()
  const rows = all.filter((row) => row.label !== '(none)')
  return [...none, ...cappedNames(rows, cap)]
}

function cappedNames(rows: MinuteRow[], cap: number): MinuteRow[] {
  if (rows.length <= cap) return rows
  rows.sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1))
  const other = plainRow('(other)', 0, 0)
  other.isOther = true
  other.labels.clear()
  for (const row of rows.slice(cap)) {
    other.value += row.value
    other.samples += row.samples
    other.labels.add(row.label)
    for (const user of row.users) other.users.add(user)
  }
  return [...rows.slice(0, cap), other]
}

function meanRow(values: number[]): MinuteRow[] {
  if (values.length === 0) return []
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return [{ ...plainRow('value', mean, values.length), times: values }]
}

function plainRow(label: string, value: number, samples: number): MinuteRow {
  return { label, value, samples, isOther: false, labels: new Set([label]), users: new Set(), times: [] }
}

/** Some labels that a metric has in the facts. */
export function labelsOf(metric: string, { requests, samples }: Facts): string[] {
  const known = findMetric(metric)
  const label = known && labelOf(known)
  const found =
    label === undefined
      ? samples.filter((one) => one.metric === metric).map((one) => one.label)
      : requests.slice(0, 20_000).flatMap((request) => label(request) ?? [])
  return [...new Set([...found, 'count', 'value', '(other)'])]
}

interface Facts {
  requests: RequestEvent[]
  samples: Sample[]
}
