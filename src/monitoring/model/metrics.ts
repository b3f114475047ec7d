import type { ServiceType } from './service-types.ts'
import { isHostType } from './service-types.ts'

export const metricTypes = ['count', 'value', 'rate'] as const
/** How stored rows become one value: `count` and `value` are summed, `rate` is the mean weighted by samples. */
export type MetricType = (typeof metricTypes)[number]

export interface Metric {
  /** In the series; never given to another metric. */
  id: number
  name: string
  type: MetricType
  unit: string
  /** What alerts call it. */
  description: string
  /** Whether a period has one row for each label; otherwise it has one row with the default label. */
  isLabelled: boolean
}

type Row = [name: string, type: MetricType, unit: string, description: string, isLabelled?: 'labelled']

const applicationRows: Row[] = [
  ['request', 'rate', 'Count', 'Requests'],
  ['request.count', 'count', 'Count', 'Number of requests'],
  ['request.users', 'value', 'Count', 'Number of visitors', 'labelled'],
  ['request.ip', 'value', 'Count', 'Requests by client address', 'labelled'],
  ['request.ua', 'value', 'Count', 'Requests by user agent', 'labelled'],
  ['request.ua.family', 'value', 'Count', 'Requests by family of user agents', 'labelled'],
  ['request.path', 'value', 'Count', 'Requests by path', 'labelled'],
  ['request.method', 'value', 'Count', 'Requests by method', 'labelled'],
  ['request.country', 'value', 'Count', 'Requests by country', 'labelled'],
  ['request.region', 'value', 'Count', 'Requests by region', 'labelled'],
  ['request.city', 'value', 'Count', 'Requests by city', 'labelled'],
  ['response.status', 'value', 'Count', 'Responses by status', 'labelled'],
  ['response.time', 'rate', 'ms', 'Response time'],
  ['response.size', 'rate', 'B', 'Response size'],
  ['response.error.count', 'count', 'Count', 'Number of errors'],
  ['response.error.types', 'value', 'Count', 'Errors by type', 'labelled'],
]

const hostRows: Row[] = [
  ['load.1m', 'rate', 'Rate', 'Load over 1 minute'],
  ['load.5m', 'rate', 'Rate', 'Load over 5 minutes'],
  ['load.15m', 'rate', 'Rate', 'Load over 15 minutes'],
  ['mem.all', 'rate', 'B', 'Memory'],
  ['mem.free', 'rate', 'B', 'Memory that is free'],
  ['mem.usage', 'rate', 'B', 'Memory in use'],
  ['mem.usage.percent', 'rate', '%', 'Memory in use'],
  ['mem.buffers', 'rate', 'B', 'Memory for buffers'],
  ['uptime', 'rate', 's', 'Time since the start of the host'],
  ['cpu.usage', 'count', 's', 'Processor time'],
  ['cpu.usage.rate', 'rate', 'Rate', 'Processors in use'],
  ['cpu.usage.percent', 'rate', '%', 'Processors in use'],
  ['storage.total', 'rate', 'B', 'Storage', 'labelled'],
  ['storage.used', 'rate', 'B', 'Storage in use', 'labelled'],
  ['storage.free', 'rate', 'B', 'Storage that is free', 'labelled'],
  ['network.in', 'count', 'B', 'Received bytes', 'labelled'],
  ['network.out', 'count', 'B', 'Sent bytes', 'labelled'],
  ['network.in.rate', 'rate', 'B/s', 'Received bytes a second', 'labelled'],
  ['network.out.rate', 'rate', 'B/s', 'Sent bytes a second', 'labelled'],
]

/** From 201 on. */
const laterHostRows: Row[] = [['storage.usage.percent', 'rate', '%', 'Storage in use', 'labelled']]

function toMetrics(rows: Row[], firstId: number): Metric[] {
  return rows.map(([name, type, unit, description, labelled], index) => ({
    id: firstId + index,
    name,
    type,
    unit,
    description,
    isLabelled: labelled === 'labelled',
  }))
}

export const applicationMetrics: readonly Metric[] = toMetrics(applicationRows, 1)
/** New metrics of applications are numbered from 101, of hosts from 201, so that no id ever moves. */
export const hostMetrics: readonly Metric[] = [
  ...toMetrics(hostRows, applicationRows.length + 1),
  ...toMetrics(laterHostRows, 201),
]

const byName = new Map([...applicationMetrics, ...hostMetrics].map((metric) => [metric.name, metric]))

export function findMetric(name: string): Metric | undefined {
  return byName.get(name)
}

/** The metric of that name; for names that the code itself holds. */
export function metricNamed(name: string): Metric {
  const metric = byName.get(name)
  if (metric === undefined) throw new Error(`There is no metric ${name}`)
  return metric
}

export function metricsOf(type: ServiceType): readonly Metric[] {
  return isHostType(type) ? hostMetrics : applicationMetrics
}

export function isHostMetric(metric: Metric): boolean {
  return hostMetrics.includes(metric)
}

/** The label of rows that nothing splits. */
export function defaultLabel(metric: Metric): string {
  return metric.type === 'count' ? 'count' : 'value'
}

/** Stands for the labels beyond the cap. */
export const otherLabel = '(other)'
