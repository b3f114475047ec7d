import type { ServiceType } from '../model/service-types.ts'
import { isHostType, mayHaveLog } from '../model/service-types.ts'
import type { HostMetric } from './hosts/host-metric.ts'
import { applicationMetrics, hostMetrics, logMetrics } from './registry.ts'
import type { LabelMetric, NumberMetric, RequestMetric } from './requests/request-metric.ts'
import { requestCount } from './requests/requests.ts'

export { skippedLines } from './hosts/skipped-lines.ts'
export { defaultLabel, noneLabel, otherLabel } from './metric.ts'
export { applicationMetrics, hostMetrics }

/** What is counted of requests, or read of hosts: what of it differs says `takenFrom`. */
export type Metric = RequestMetric | HostMetric

const metrics: readonly Metric[] = [...applicationMetrics, ...hostMetrics, ...logMetrics]
/** Those that count requests by a label. */
export const labelMetrics: readonly LabelMetric[] = applicationMetrics.filter(
  (metric) => metric.takenFrom === 'labels',
)
/** Those that add up a number of requests, or take its mean. */
export const numberMetrics: readonly NumberMetric[] = applicationMetrics.filter(
  (metric) => metric.takenFrom === 'numbers',
)
/** Has a value wherever a service was asked anything. */
export const everyRequest: Metric = requestCount

const byName = new Map(metrics.map((metric) => [metric.name, metric]))

/** The metric of a name that somebody has sent. */
export function findMetric(name: string): Metric | undefined {
  return byName.get(name)
}

/** The metric of that name; for names that the code itself holds. */
export function metricNamed(name: string): Metric {
  const metric = byName.get(name)
  if (metric === undefined) throw new Error(`There is no metric ${name}`)
  return metric
}

/** What services of a type measure, in the order in which it is listed. */
export function metricsOf(type: ServiceType): readonly Metric[] {
  if (isHostType(type)) return hostMetrics
  return mayHaveLog(type) ? [...applicationMetrics, ...logMetrics] : applicationMetrics
}

/** Whether it is not computed from requests: it was read of a host, or of a log. */
export function isHostMetric(metric: Metric): boolean {
  return metric.takenFrom === 'host'
}

/** Whether its labels stand for users. */
export function tellsUsers(metric: Metric): boolean {
  return metric.takenFrom === 'labels' && metric.user !== undefined
}

/** Whether its rows keep the distribution of what they are the mean of. */
export function hasQuantiles(metric: Metric): boolean {
  return metric.takenFrom === 'numbers' && metric.hasQuantiles
}

/** The names of the metrics that something holds of, for texts. */
export function namesWhere(holds: (metric: Metric) => boolean): string {
  return metrics
    .filter(holds)
    .map(({ name }) => name)
    .join(', ')
}

/** The ids of the metrics that something holds of. */
export function idsWhere(holds: (metric: Metric) => boolean): ReadonlySet<number> {
  return new Set(metrics.filter(holds).map(({ id }) => id))
}
