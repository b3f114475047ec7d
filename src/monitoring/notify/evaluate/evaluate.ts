import type { Metric } from '../../metrics/metrics.ts'
import { findMetric, isHostMetric, metricsOf } from '../../metrics/metrics.ts'
import type { ServiceRecord } from '../../model/records.ts'
import type { Definition, FieldOption, FoundValue, Threshold, ValueQuestion } from '../model/model.ts'

/** What evaluation has to know of a service. */
export type WatchedService = Pick<
  ServiceRecord,
  'id' | 'name' | 'type' | 'isActive' | 'checkIntervalSeconds' | 'lastCheck'
>

/** A question with what its answer means. */
export interface Ask {
  question: ValueQuestion
  /** Names of the services, where the threshold is about these alone. */
  about: string[]
  /** Whether some service was collected in the period, so that no row means 0. */
  isCollected: boolean
}

export type Plan =
  | { kind: 'ask'; metric: Metric; asks: Ask[]; eachLabel: boolean }
  | { kind: 'impossible'; reason: string }

export interface Span {
  windowSeconds: number
  /** End of the last complete period, in seconds since 1970. */
  to: number
}

/**
 * What has to be asked to evaluate a threshold. One number for everything in its scope; only gauges of hosts are
 * compared host by host and label by label, since the mean of two disks says nothing about either.
 */
export function planOf(
  definition: Pick<Definition, 'metric' | 'option'>,
  threshold: Threshold,
  services: readonly WatchedService[],
  span: Span,
): Plan {
  const metric = findMetric(definition.metric)
  if (metric === undefined) return impossible(`there is no metric ${definition.metric}`)
  const found = servicesFor(metric, definition.option, threshold, services)
  if (typeof found === 'string') return impossible(found)
  const isGauge = isHostMetric(metric) && metric.type === 'rate'
  const groups = isGauge ? found.map((one) => [one]) : [found]
  const isPart = isGauge || threshold.serviceId !== undefined
  return {
    kind: 'ask',
    metric,
    asks: groups.map((group) => toAsk(metric, threshold, group, { ...span, isPart })),
    eachLabel: isGauge && metric.isLabelled && threshold.label === undefined,
  }
}

function impossible(reason: string): Plan {
  return { kind: 'impossible', reason }
}

function servicesFor(
  metric: Metric,
  option: FieldOption,
  { serviceId }: Threshold,
  services: readonly WatchedService[],
): WatchedService[] | string {
  if (serviceId === undefined) {
    const found = services.filter((one) => one.isActive && metricsOf(one.type).includes(metric))
    const mayBeNone = metric.type === 'rate' && option !== 'max_timeout'
    return found.length > 0 || mayBeNone ? found : `no active service measures ${metric.name}`
  }
  const service = services.find((one) => one.id === serviceId)
  if (service === undefined) return 'its service is not there any more'
  if (!service.isActive) return `service ${service.name} is switched off`
  return metricsOf(service.type).includes(metric)
    ? [service]
    : `service ${service.name} does not measure ${metric.name}`
}

function toAsk(
  metric: Metric,
  { resourceId, label, eventType }: Threshold,
  services: readonly WatchedService[],
  { windowSeconds, to, isPart }: Span & { isPart: boolean },
): Ask {
  const from = to - Math.max(windowSeconds, ...services.map((one) => one.checkIntervalSeconds))
  const isCollected = services.some(
    ({ lastCheck }) => lastCheck !== undefined && Date.parse(lastCheck) >= from * 1000,
  )
  return {
    question: {
      metric: metric.name,
      serviceIds: services.map((one) => one.id),
      ...(resourceId === undefined ? {} : { resourceId }),
      ...(label === undefined ? {} : { label }),
      ...(eventType === undefined ? {} : { eventType }),
      from,
      to,
    },
    about: isPart ? services.map((one) => one.name) : [],
    isCollected,
  }
}

/** How a value breaks a limit. */
export type Breach =
  | { kind: 'below' | 'above'; value: number }
  /** `seconds` is absent where nothing was ever measured. */
  | { kind: 'late'; seconds?: number }
  | { kind: 'uncollected' }

export interface Compared {
  option: FieldOption
  limit: number
  metric: Pick<Metric, 'type'>
  found: FoundValue
  isCollected: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** Whether one number breaks a limit; undefined where it does not. A value that equals the limit is fine. */
export function findBreach({ option, limit, metric, found, isCollected, now }: Compared): Breach | undefined {
  if (option === 'max_timeout') {
    if (found.lastValidTo === undefined) return { kind: 'late' }
    const seconds = now / 1000 - found.lastValidTo
    return seconds > limit ? { kind: 'late', seconds } : undefined
  }
  const isSum = metric.type !== 'rate'
  if (found.value === undefined && isSum && !isCollected) return { kind: 'uncollected' }
  const value = found.value ?? (isSum ? 0 : undefined)
  if (value === undefined) return undefined
  if (option === 'min_value') return value < limit ? { kind: 'below', value } : undefined
  return value > limit ? { kind: 'above', value } : undefined
}

const ranks: Record<Breach['kind'], number> = { uncollected: 0, above: 1, below: 1, late: 2 }

/** Positive where `one` is further beyond the limit than `other`. */
export function compareBreaches(one: Breach, other: Breach): number {
  if (one.kind !== other.kind) return ranks[one.kind] - ranks[other.kind]
  if (one.kind === 'late' && other.kind === 'late')
    return (one.seconds ?? Number.MAX_VALUE) - (other.seconds ?? Number.MAX_VALUE)
  if (one.kind === 'above' && other.kind === 'above') return one.value - other.value
  if (one.kind === 'below' && other.kind === 'below') return other.value - one.value
  return 0
}
