import type { SeriesLimits } from '../../src/core/config/monitoring-settings.ts'
import {
  applicationMetrics,
  hasQuantiles,
  hostMetrics,
  metricNamed,
  tellsUsers,
} from '../../src/monitoring/metrics/metrics.ts'
import type { EventType } from '../../src/monitoring/model/event-types.ts'
import { eventTypeOfId, eventTypes } from '../../src/monitoring/model/event-types.ts'
import { resourceTypeOfId, resourceTypes } from '../../src/monitoring/model/resource-types.ts'
import { OtherSketch } from '../../src/monitoring/series/other-sketch.ts'
import { QuantileSketch } from '../../src/monitoring/series/quantile-sketch.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'
import type { Resolution } from '../../src/monitoring/series/schema.ts'
import { splitOfType, tableOf } from '../../src/monitoring/series/schema.ts'
import type { SeriesDatabase } from '../../src/monitoring/series/series-database.ts'
import type { MinuteRow } from './recount-minute.ts'
import { countsUnder, minuteRows, sampleRows } from './recount-minute.ts'

/** A row as it should be, with everything that went into it. */
interface CountedRow {
  sum: number
  weighted: number
  min: number
  max: number
  samples: number
  count: number
  labels: Set<string>
  users: Set<string>
  times: number[]
  /** True if there were labels beyond the cap: numbers of labels may be estimates. */
  isEstimate: boolean
}

export interface Facts {
  requests: readonly RequestEvent[]
  samples?: readonly Sample[]
}

/** Rows by service, metric, event type, split, label or total, and period. */
export type CountedRows = Map<string, CountedRow>

/** Recounts the rows of minutes, hours or days from the raw list. */
export function countRows(facts: Facts, resolution: Resolution, limits: SeriesLimits): CountedRows {
  const rows: CountedRows = new Map()
  const byMinute = Map.groupBy(facts.requests, (one) => `${one.serviceId} ${minuteOf(one)}`)
  for (const requests of byMinute.values()) countRequests(rows, requests, resolution, limits)
  const samples = Map.groupBy(facts.samples ?? [], (one) => `${one.serviceId} ${minuteOf(one)} ${one.metric}`)
  for (const some of samples.values()) countSamples(rows, some, resolution)
  return rows
}

function countRequests(
  rows: CountedRows,
  requests: readonly RequestEvent[],
  resolution: Resolution,
  limits: SeriesLimits,
): void {
  const [first] = requests
  if (first === undefined) return
  const period = minuteOf(first) - (minuteOf(first) % resolution)
  for (const eventType of eventTypes) {
    for (const [split, some] of splitsOf(requests, eventType)) {
      for (const metric of applicationMetrics) {
        const cap = tellsUsers(metric) ? limits.visitors : limits.labels
        const key = `${first.serviceId} ${metric.name} ${eventType} ${split}`
        const counted = minuteRows(metric, some, cap)
        if (!hasQuantiles(metric)) for (const row of counted) row.times = []
        addRows(rows, counted, { key, period, isLabelled: metric.isLabelled })
      }
    }
  }
}

function countSamples(rows: CountedRows, samples: readonly Sample[], resolution: Resolution): void {
  const [first] = samples
  if (first === undefined) return
  const metric = metricNamed(first.metric)
  const period = minuteOf(first) - (minuteOf(first) % resolution)
  const key = `${first.serviceId} ${metric.name} all `
  addRows(rows, sampleRows(metric, [...samples]), { key, period, isLabelled: metric.isLabelled })
}

function splitsOf(requests: readonly RequestEvent[], eventType: EventType): Map<string, RequestEvent[]> {
  const splits = new Map<string, RequestEvent[]>()
  for (const request of requests) {
    if (!countsUnder(request, eventType)) continue
    const names = new Set([
      '',
      ...request.resources.flatMap(({ type, name }) => [`of ${type}`, `${type}=${name}`]),
    ])
    for (const name of names) {
      const split = splits.get(name)
      if (split === undefined) splits.set(name, [request])
      else split.push(request)
    }
  }
  return splits
}

function addRows(
  rows: CountedRows,
  minute: readonly MinuteRow[],
  { key, period, isLabelled }: { key: string; period: number; isLabelled: boolean },
): void {
  for (const row of minute) {
    addRow(rows, `${key} |${row.label}| ${period}`, row)
    if (isLabelled) addRow(rows, `${key} total ${period}`, row)
  }
}

function addRow(rows: CountedRows, key: string, row: MinuteRow): void {
  const { value, samples } = row
  const found = rows.get(key)
  if (found === undefined) {
    rows.set(key, {
      sum: value,
      weighted: value * samples,
      min: value,
      max: value,
      samples,
      count: 1,
      labels: new Set(row.labels),
      users: new Set(row.users),
      times: [...row.times],
      isEstimate: row.isOther,
    })
    return
  }
  found.sum += value
  found.weighted += value * samples
  found.min = Math.min(found.min, value)
  found.max = Math.max(found.max, value)
  found.samples += samples
  found.count += 1
  for (const label of row.labels) found.labels.add(label)
  for (const user of row.users) found.users.add(user)
  found.times.push(...row.times)
  found.isEstimate ||= row.isOther
}

interface StoredNumbers {
  numbers: number[]
  labels: number
  users: number
  /** For `(other)`: the estimate of its sketch; for times: their number. */
  sketched: number | undefined
}

/**
 * Returns the rows of the tables with the keys of `countRows`; `labels` is below 0 where a sketch disagrees
 * with the row.
 */
export async function readRows(
  database: SeriesDatabase,
  resolution: Resolution,
): Promise<Map<string, StoredNumbers>> {
  const rows = await database.arrays(
    `select s.service_id, s.metric_id, s.event_type, s.resource_id, s.is_total, u.type, u.name, l.name, r.period,
       r.sum, r.weighted, r.min, r.max, r.samples, r.count, r.labels, r.users, r.sketch
     from ${tableOf[resolution]} r join monitoring_series s on s.id = r.series_id
     left join monitoring_resources u on u.id = s.resource_id left join monitoring_labels l on l.id = r.label_id`,
  )
  return new Map(
    rows.map((row) => {
      const [service, metricId, event, resource, isTotal, type, name, label, period, ...rest] = row
      const metric = metricName(Number(metricId))
      const split = splitName(Number(resource), Number(type), name)
      const which = isTotal === 1 ? 'total' : `|${label}|`
      const key = `${service} ${metric} ${eventTypeOfId(Number(event))} ${split} ${which} ${period}`
      const [numbers, [labels = 0, users = 0]] = [rest.slice(0, 6).map(Number), rest.slice(6, 8).map(Number)]
      return [key, { numbers, labels, users, sketched: sketchedOf(metric, rest[8]) }]
    }),
  )
}

function sketchedOf(metric: string, bytes: unknown): number | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined
  if (hasQuantiles(metricNamed(metric))) return QuantileSketch.decode(bytes).count
  return OtherSketch.decode(bytes).labels.estimate()
}

function splitName(resource: number, type: number, name: unknown): string {
  if (resource === 0) return ''
  if (resource > 0) return `${resourceTypeOfId(Number(type))}=${name}`
  return `of ${resourceTypes.find((one) => splitOfType(one) === resource)}`
}

function metricName(id: number): string {
  const found = [...applicationMetrics, ...hostMetrics].find((metric) => metric.id === id)
  if (found === undefined) throw new Error(`There is no metric ${id}`)
  return found.name
}

/** Ways in which the tables differ from what was counted; none where all is right. */
export function differences(expected: CountedRows, stored: Map<string, StoredNumbers>): string[] {
  const found: string[] = []
  for (const [key, row] of expected) {
    const numbers = stored.get(key)
    if (numbers === undefined) found.push(`missing: ${key}`)
    else if (!isSame(row, numbers))
      found.push(
        `${key}: ${JSON.stringify(numbers)}, not ${JSON.stringify({ ...row, labels: row.labels.size, users: row.users.size, times: row.times.length })}`,
      )
  }
  for (const key of stored.keys()) if (!expected.has(key)) found.push(`not expected: ${key}`)
  return found
}

function isSame(row: CountedRow, stored: StoredNumbers): boolean {
  const { sum, weighted, min, max, samples, count } = row
  const share = row.isEstimate ? 0.02 : 0
  const isPlain = [sum, weighted, min, max, samples, count].every((value, index) =>
    isNear(value, stored.numbers[index], 1e-9),
  )
  if (!isPlain || !isNear(row.users.size, stored.users, share)) return false
  if (stored.sketched !== undefined && row.times.length === 0)
    return isNear(stored.sketched, stored.labels, 0) && isNear(row.labels.size, stored.labels, share)
  if (row.times.length > 0 && stored.sketched !== row.times.length) return false
  return isNear(row.labels.size, stored.labels, share)
}

function isNear(expected: number, found: number | undefined, share: number): boolean {
  return found !== undefined && Math.abs(found - expected) <= Math.abs(expected) * share
}

function minuteOf({ created }: { created: number }): number {
  return Math.floor(created / 60_000) * 60
}
