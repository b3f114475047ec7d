import { seededRandom } from '../../bench/random.ts'
import { applicationMetrics, isHostMetric, metricNamed } from '../../src/monitoring/metrics/metrics.ts'
import type { EventType } from '../../src/monitoring/model/event-types.ts'
import { eventTypes } from '../../src/monitoring/model/event-types.ts'
import type { CountedService, MetricQuery } from './recount.ts'
import { groupings } from './recount.ts'
import type { Day } from './recount-day.ts'
import { labelsOf } from './recount-minute.ts'

type Draw = () => number
type Filter = Partial<MetricQuery>

const hour = 3600
const day = 86_400
const hostMetrics = ['load.1m', 'mem.free', 'cpu.usage', 'uptime', 'storage.used', 'network.in']

export interface MatrixOptions {
  seed: number
  /** Seconds since 1970. */
  from: number
  /** A midnight within. */
  midnight: number
  services: CountedService[]
  facts: Day
  /** Number of questions per metric and grouping. */
  queries: number
}

/** Creates questions for every metric and grouping, cycling through filters, windows and intervals. */
export function makeMatrix(options: MatrixOptions): MetricQuery[] {
  const draw = seededRandom(options.seed)
  const windows = makeWindows(options)
  const names = [...applicationMetrics.map(({ name }) => name), ...hostMetrics]
  const queries: MetricQuery[] = []
  for (const metric of names) {
    const filters = makeFilters(metric, options, draw)
    for (const groupBy of [undefined, ...groupings]) {
      for (let count = 0; count < options.queries; count += 1) {
        const window = pick(windows, draw)
        const filter = pick(filters, draw)()
        const grouped = groupBy === undefined ? {} : { groupBy }
        queries.push({ metric, ...window, ...filter, ...grouped })
      }
    }
  }
  return queries
}

function makeWindows({ from, midnight }: MatrixOptions): Pick<MetricQuery, 'from' | 'to' | 'interval'>[] {
  const window = (start: number, length: number, interval: number) => ({
    from: start,
    to: start + length,
    interval,
  })
  return [
    window(from, day, hour),
    window(from, day, day),
    window(midnight - day, 2 * day, day),
    window(midnight - day, 2 * day, 2_628_000),
    window(from + 1800, 14 * hour, 5400),
    window(midnight - 2 * hour, 4 * hour, 900),
    window(midnight - 1234, 2468, 60),
    window(midnight - 1800, hour, 90),
    window(midnight, hour, 300),
    window(from + 97 * 60, 60, 60),
    window(from + 97 * 60 + 17, 0, 300),
    window(midnight - 301, 302, 300),
  ]
}

function makeFilters(metric: string, { services, facts }: MatrixOptions, draw: Draw): (() => Filter)[] {
  const isOfHost = isHostMetric(metricNamed(metric))
  const ours = services.filter(({ type }) => type.startsWith('host') === isOfHost)
  const service = (): Filter => ({ service: pick(ours, draw).name })
  const serviceType = (): Filter => ({ serviceType: pick(ours, draw).type })
  const label = (): Filter => ({ label: pick(labelsOf(metric, facts), draw) })
  if (isOfHost) return [() => ({}), service, serviceType, label]
  const eventType = (): Filter => ({ eventType: pick<EventType>(eventTypes, draw) })
  const resources = facts.requests.flatMap((one) => one.resources).slice(0, 5000)
  const resource = (): Filter => ({ resource: pick(resources, draw) })
  const resourceType = (): Filter => ({ resourceType: pick(['layer', 'map', 'document', 'style'], draw) })
  const user = (): Filter => ({ user: `user${Math.floor(draw() * 40)}` })
  const isOfUsers = metric === 'request.users'
  return [
    () => ({}),
    () => ({}),
    service,
    serviceType,
    eventType,
    resource,
    resourceType,
    label,
    ...(isOfUsers ? [user, user] : []),
    () => ({ ...service(), ...eventType() }),
    () => ({ ...resourceType(), ...eventType(), ...serviceType() }),
    () => ({ ...resource(), ...label() }),
    () => ({ ...eventType(), ...label(), ...service() }),
  ]
}

function pick<T>(list: readonly T[], draw: Draw): T {
  const chosen = list[Math.floor(draw() * list.length)]
  if (chosen === undefined) throw new Error('Nothing to choose from')
  return chosen
}
