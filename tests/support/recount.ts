import type { Metric } from '../../src/monitoring/metrics/metrics.ts'
import { findMetric, tellsUsers } from '../../src/monitoring/metrics/metrics.ts'
import type { EventType } from '../../src/monitoring/model/event-types.ts'
import { eventTypes } from '../../src/monitoring/model/event-types.ts'
import type { ServiceType } from '../../src/monitoring/model/service-types.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'
import type { MinuteRow } from './recount-minute.ts'
import { countsUnder, minuteRows, sampleRows } from './recount-minute.ts'

/** A question to metric_data; times in seconds. */
export interface MetricQuery {
  metric: string
  from: number
  to: number
  interval: number
  groupBy?: Grouping
  service?: string
  serviceType?: ServiceType
  eventType?: EventType
  resource?: { type: string; name: string }
  resourceType?: string
  label?: string
  user?: string
}

export const groupings = [
  'resource',
  'resource_no_label',
  'resource_on_label',
  'resource_on_user',
  'count_on_resource',
  'label',
  'user',
  'user_on_label',
  'event_type',
  'event_type_on_label',
  'event_type_on_user',
] as const
type Grouping = (typeof groupings)[number]

export interface CountedService {
  id: number
  name: string
  type: ServiceType
}

export interface ExpectedRow {
  /** Key of the row within its period: label, resource, event type or user. */
  key: string
  val: number
  sum: number
  min: number
  max: number
  samples: number
  records: number
  /** True if labels beyond the cap contribute to `val`, which then may be an estimate. */
  isEstimate: boolean
  /** Response times, smallest first. */
  times: number[]
}

export interface ExpectedPeriod {
  from: number
  to: number
  rows: ExpectedRow[]
}

/** Recounts everything from the raw list for each question: slow, but simple enough to be trusted. */
export class Recount {
  readonly #services: CountedService[]
  readonly #cap: (metric: Metric) => number
  readonly #requests = new Map<string, RequestEvent[]>()
  readonly #samples = new Map<string, Sample[]>()
  /** Cached by question: both databases get the same questions. */
  readonly #answers = new Map<string, ExpectedPeriod[]>()

  constructor(
    facts: { requests: RequestEvent[]; samples: Sample[] },
    services: CountedService[],
    limits: { labels: number; visitors: number },
  ) {
    this.#services = services
    this.#cap = (metric) => (tellsUsers(metric) ? limits.visitors : limits.labels)
    for (const one of facts.requests) push(this.#requests, minuteKey(one.serviceId, one.created / 1000), one)
    for (const one of facts.samples) push(this.#samples, minuteKey(one.serviceId, one.created / 1000), one)
  }

  answer(query: MetricQuery): ExpectedPeriod[] {
    const key = JSON.stringify(query)
    const answer = this.#answers.get(key) ?? this.#count(query)
    this.#answers.set(key, answer)
    return answer
  }

  #count(query: MetricQuery): ExpectedPeriod[] {
    return periodsOf(query).map(({ from, to }) => {
      const groups = new Map<string, Group>()
      // A minute belongs to the period that contains its start.
      for (let minute = Math.ceil(from / 60) * 60; minute < to; minute += 60)
        this.#countMinute(query, minute, groups)
      const rows = [...groups].map(([key, group]) => group.toRow(key, query))
      return { from, to, rows }
    })
  }

  #countMinute(query: MetricQuery, minute: number, groups: Map<string, Group>): void {
    for (const service of this.#services) {
      if (query.service !== undefined && query.service !== service.name) continue
      if (query.serviceType !== undefined && query.serviceType !== service.type) continue
      const key = minuteKey(service.id, minute)
      const metric = metricOf(query)
      const samples = (this.#samples.get(key) ?? []).filter((one) => one.metric === metric.name)
      if (samples.length > 0 && isUnsplit(query))
        this.#addRows(query, sampleRows(metric, samples), { eventType: 'all' }, groups)
      const requests = this.#requests.get(key)
      if (requests !== undefined) this.#countRequests(query, requests, groups)
    }
  }

  #countRequests(query: MetricQuery, requests: RequestEvent[], groups: Map<string, Group>): void {
    for (const eventType of eventTypesOf(query)) {
      const ofType = requests.filter((one) => countsUnder(one, eventType))
      for (const [resource, used] of splitsOf(query, ofType)) {
        const metric = metricOf(query)
        this.#addRows(query, minuteRows(metric, used, this.#cap(metric)), { eventType, resource }, groups)
      }
    }
  }

  #addRows(
    query: MetricQuery,
    rows: MinuteRow[],
    { eventType = '', resource = '' }: { eventType?: string; resource?: string },
    groups: Map<string, Group>,
  ): void {
    for (const row of rows) {
      if (query.label !== undefined && query.label !== row.label) continue
      if (query.user !== undefined && query.user !== row.user) continue
      const key = keyOf(query, row, eventType, resource)
      if (key === undefined) continue
      const group = groups.get(key) ?? new Group()
      groups.set(key, group)
      group.add(row, resource)
    }
  }
}

/** Totals of the rows of one group. */
class Group {
  #sum = 0
  #weighted = 0
  #samples = 0
  #records = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #hasOther = false
  readonly #labels = new Set<string>()
  readonly #users = new Set<string>()
  readonly #resources = new Set<string>()
  readonly #times: number[] = []

  add(row: MinuteRow, resource: string): void {
    this.#sum += row.value
    this.#weighted += row.value * row.samples
    this.#samples += row.samples
    this.#records += 1
    this.#min = Math.min(this.#min, row.value)
    this.#max = Math.max(this.#max, row.value)
    this.#hasOther ||= row.isOther
    for (const label of row.labels) this.#labels.add(label)
    for (const user of row.users) this.#users.add(user)
    for (const time of row.times) this.#times.push(time)
    this.#resources.add(resource)
  }

  toRow(key: string, query: MetricQuery): ExpectedRow {
    const isDistinct = distinctOf(query) !== undefined
    return {
      key,
      val: this.#value(query),
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
      samples: this.#samples,
      records: this.#records,
      isEstimate: isDistinct && this.#hasOther,
      times: this.#times.sort((a, b) => a - b),
    }
  }

  #value(query: MetricQuery): number {
    const distinct = distinctOf(query)
    if (distinct === 'labels') return this.#labels.size
    if (distinct === 'users') return this.#users.size
    if (distinct === 'resources') return this.#resources.size
    if (metricOf(query).type !== 'rate') return this.#sum
    return this.#samples === 0 ? 0 : this.#weighted / this.#samples
  }
}

/** Returns what a grouping counts instead of the metric's value. */
export function distinctOf({ groupBy, metric }: MetricQuery): 'labels' | 'users' | 'resources' | undefined {
  if (groupBy === 'label' || groupBy === 'event_type_on_label' || groupBy === 'user_on_label') return 'labels'
  if (groupBy === 'resource_no_label' || groupBy === 'resource_on_label')
    return findMetric(metric)?.isLabelled === true ? 'labels' : undefined
  if (groupBy === 'user' || groupBy === 'resource_on_user' || groupBy === 'event_type_on_user') return 'users'
  return groupBy === 'count_on_resource' ? 'resources' : undefined
}

/** Returns one grid for the whole window, counted from 0:00 UTC of its first day. */
function periodsOf({ from, to, interval }: MetricQuery): { from: number; to: number }[] {
  const midnight = Math.floor(from / 86_400) * 86_400
  const periods: { from: number; to: number }[] = []
  let start = midnight
  while (start + interval <= from) start += interval
  do {
    periods.push({ from: start, to: start + interval })
    start += interval
  } while (start < to)
  return periods
}

function eventTypesOf(query: MetricQuery): readonly EventType[] {
  if (query.eventType !== undefined) return [query.eventType]
  return query.groupBy?.startsWith('event_type') === true ? eventTypes : ['all']
}

/** The requests apart by what the question splits them by; a request with two layers is in two of the splits. */
function splitsOf(query: MetricQuery, requests: RequestEvent[]): Map<string, RequestEvent[]> {
  const splits = new Map<string, RequestEvent[]>()
  const { resource, resourceType, groupBy } = query
  if (groupBy?.includes('resource') === true) {
    for (const request of requests) {
      for (const used of request.resources) {
        if (isRequested(query, used)) push(splits, resourceKey(used), request)
      }
    }
  } else if (resource !== undefined || resourceType !== undefined) {
    const requestEvents = requests.filter((request) =>
      request.resources.some((used) => isRequested(query, used)),
    )
    if (requestEvents.length > 0) splits.set('', requestEvents)
  } else if (requests.length > 0) splits.set('', requests)
  return splits
}

function isRequested({ resource, resourceType }: MetricQuery, used: { type: string; name: string }): boolean {
  if (resource !== undefined) return resource.type === used.type && resource.name === used.name
  return resourceType === undefined || resourceType === used.type
}

function isUnsplit({ resource, resourceType, groupBy }: MetricQuery): boolean {
  return resource === undefined && resourceType === undefined && groupBy?.includes('resource') !== true
}

function keyOf(
  { groupBy }: MetricQuery,
  row: MinuteRow,
  eventType: string,
  resource: string,
): string | undefined {
  if (groupBy === undefined) return row.label
  if (groupBy === 'resource') return `${resource} ${row.label}`
  if (groupBy.startsWith('resource_')) return resource
  if (groupBy.startsWith('event_type')) return eventType
  if (groupBy === 'user_on_label') return row.user
  return groupBy === 'user' && row.users.size === 0 ? undefined : ''
}

export function resourceKey({ type, name }: { type: string; name: string }): string {
  return `${type}=${name}`
}

function metricOf({ metric }: MetricQuery): Metric {
  const found = findMetric(metric)
  if (found === undefined) throw new Error(`There is no metric ${metric}`)
  return found
}

function minuteKey(serviceId: number, second: number): string {
  return `${serviceId} ${Math.floor(second / 60) * 60}`
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
