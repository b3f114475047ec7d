import type { ServiceType } from '../model/service-types.ts'
import { isHostType, mayHaveLog } from '../model/service-types.ts'
import type { HostMetric } from './hosts/host-metric.ts'
import { applicationMetrics, hostMetrics, logMetrics } from './registry.ts'
import type { LabelMetric, NumberMetric, RequestMetric } from './requests/request-metric.ts'
import { requestCount } from './requests/requests.ts'

export { skippedLines } from './hosts/skipped-lines.ts'
export { defaultLabel, noneLabel, otherLabel } from './metric.ts'
export { applicationMetrics, hostMetrics }

/** A metric computed from requests or read from hosts; `takenFrom` distinguishes them. */
export type Metric = RequestMetric | HostMetric

const metrics: readonly Metric[] = [...applicationMetrics, ...hostMetrics, ...logMetrics]
/** Metrics that count requests by a label. */
export const labelMetrics: readonly LabelMetric[] = applicationMetrics.filter(
  (metric) => metric.takenFrom === 'labels',
)
/** Metrics that add up a number of each request, or compute its mean. */
export const numberMetrics: readonly NumberMetric[] = applicationMetrics.filter(
  (metric) => metric.takenFrom === 'numbers',
)
/** Metric that has a value for every service with at least one request. */
export const everyRequest: Metric = requestCount

const byName = new Map(metrics.map((metric) => [metric.name, metric]))

/** Finds a metric by a name from a request. */
export function findMetric(name: string): Metric | undefined {
  return byName.get(name)
}

/** Returns the metric with a name that code refers to; throws for an unknown name. */
export function metricNamed(name: string): Metric {
  const metric = byName.get(name)
  if (metric === undefined) throw new Error(`There is no metric ${name}`)
  return metric
}

/** Returns the metrics of a service type, in listing order. */
export function metricsOf(type: ServiceType): readonly Metric[] {
  if (isHostType(type)) return hostMetrics
  return mayHaveLog(type) ? [...applicationMetrics, ...logMetrics] : applicationMetrics
}

/** True if the metric is not computed from requests but read from a host or a log. */
export function isHostMetric(metric: Metric): boolean {
  return metric.takenFrom === 'host'
}

/** True if its labels identify users. */
export function tellsUsers(metric: Metric): boolean {
  return metric.takenFrom === 'labels' && metric.user !== undefined
}

/** True if its rows store the distribution of the averaged values. */
export function hasQuantiles(metric: Metric): boolean {
  return metric.takenFrom === 'numbers' && metric.hasQuantiles
}

/** Returns the names of the metrics that satisfy a condition, for messages. */
export function namesWhere(holds: (metric: Metric) => boolean): string {
  return metrics
    .filter(holds)
    .map(({ name }) => name)
    .join(', ')
}

/** Returns the ids of the metrics that satisfy a condition. */
export function idsWhere(holds: (metric: Metric) => boolean): ReadonlySet<number> {
  return new Set(metrics.filter(holds).map(({ id }) => id))
}
