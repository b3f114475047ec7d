import type { Metric } from '../../metrics/metrics.ts'
import { findMetric, isHostMetric, metricsOf } from '../../metrics/metrics.ts'
import type { ServiceRecord } from '../../model/records.ts'
import type { Breach, Comparison } from '../comparisons/comparison.ts'
import { findComparison } from '../comparisons/comparisons.ts'
import type { Definition, Threshold, ValueQuery } from '../model/model.ts'

/** Fields of a service that evaluation uses. */
export type WatchedService = Pick<
  ServiceRecord,
  'id' | 'name' | 'type' | 'isActive' | 'checkIntervalSeconds' | 'lastCheck'
>

/** A query with the meaning of its result. */
export interface ReadValue {
  query: ValueQuery
  /** Names of the services, if the threshold is limited to them. */
  about: string[]
  /** True if a service was collected in the period, so that no row means 0. */
  isCollected: boolean
}

export type Plan =
  | { kind: 'ask'; metric: Metric; comparison: Comparison; asks: ReadValue[]; eachLabel: boolean }
  | { kind: 'impossible'; reason: string }

export interface EvaluationSpan {
  windowSeconds: number
  /** End of the last complete period, in seconds since 1970. */
  to: number
}

/**
 * Returns the queries for evaluating a threshold. One number covers the whole scope; only gauges of hosts are
 * compared by host and label, since the mean of two disks describes neither.
 */
export function planOf(
  definition: Pick<Definition, 'metric' | 'option'>,
  threshold: Threshold,
  services: readonly WatchedService[],
  span: EvaluationSpan,
): Plan {
  const metric = findMetric(definition.metric)
  if (metric === undefined) return impossible(`there is no metric ${definition.metric}`)
  const comparison = findComparison(definition.option)
  if (comparison === undefined) return impossible(`there is no comparison ${definition.option}`)
  const found = servicesFor(metric, comparison, threshold, services)
  if (typeof found === 'string') return impossible(found)
  const isGauge = isHostMetric(metric) && metric.type === 'rate'
  const groups = isGauge ? found.map((one) => [one]) : [found]
  const isPart = isGauge || threshold.serviceId !== undefined
  return {
    kind: 'ask',
    metric,
    comparison,
    asks: groups.map((group) => toAsk(metric, threshold, group, { ...span, isPart })),
    eachLabel: isGauge && metric.isLabelled && threshold.label === undefined,
  }
}

function impossible(reason: string): Plan {
  return { kind: 'impossible', reason }
}

function servicesFor(
  metric: Metric,
  comparison: Comparison,
  { serviceId }: Threshold,
  services: readonly WatchedService[],
): WatchedService[] | string {
  if (serviceId === undefined) {
    const found = services.filter((one) => one.isActive && metricsOf(one.type).includes(metric))
    return found.length > 0 || comparison.mayHaveNoService(metric)
      ? found
      : `no active service measures ${metric.name}`
  }
  const service = services.find((one) => one.id === serviceId)
  if (service === undefined) return 'its service no longer exists'
  if (!service.isActive) return `service ${service.name} is switched off`
  return metricsOf(service.type).includes(metric)
    ? [service]
    : `service ${service.name} does not measure ${metric.name}`
}

function toAsk(
  metric: Metric,
  { resourceId, label, eventType }: Threshold,
  services: readonly WatchedService[],
  { windowSeconds, to, isPart }: EvaluationSpan & { isPart: boolean },
): ReadValue {
  const from = to - Math.max(windowSeconds, ...services.map((one) => one.checkIntervalSeconds))
  const isCollected = services.some(
    ({ lastCheck }) => lastCheck !== undefined && Date.parse(lastCheck) >= from * 1000,
  )
  return {
    query: {
      metric: metric.name,
      serviceIds: services.map((one) => one.id),
      resourceId,
      label,
      eventType,
      from,
      to,
    },
    about: isPart ? services.map((one) => one.name) : [],
    isCollected,
  }
}

/** Positive if `one` violates the limit more than `other`. */
export function compareBreaches(one: Breach, other: Breach, { worst }: Pick<Comparison, 'worst'>): number {
  if (one.kind === 'uncollected') return other.kind === 'uncollected' ? 0 : -1
  if (other.kind === 'uncollected') return 1
  const [first, second] = [one, other].map(({ value }) => value ?? Number.MAX_VALUE) as [number, number]
  return worst === 'highest' ? first - second : second - first
}
