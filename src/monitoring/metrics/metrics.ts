import type { ServiceType } from '../model/service-types.ts'
import { isHostType } from '../model/service-types.ts'

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

type Row = [
  id: number,
  name: string,
  type: MetricType,
  unit: string,
  description: string,
  isLabelled?: 'labelled',
]

/** In the order in which they are listed. A new metric takes a number that none ever had: the next here from 101 on. */
const applicationRows: Row[] = [
  [1, 'request', 'rate', 'Count', 'Requests'],
  [2, 'request.count', 'count', 'Count', 'Number of requests'],
  [3, 'request.users', 'value', 'Count', 'Number of visitors', 'labelled'],
  [4, 'request.ip', 'value', 'Count', 'Requests by client address', 'labelled'],
  [5, 'request.ua', 'value', 'Count', 'Requests by user agent', 'labelled'],
  [6, 'request.ua.family', 'value', 'Count', 'Requests by family of user agents', 'labelled'],
  [7, 'request.path', 'value', 'Count', 'Requests by path', 'labelled'],
  [8, 'request.method', 'value', 'Count', 'Requests by method', 'labelled'],
  [9, 'request.country', 'value', 'Count', 'Requests by country', 'labelled'],
  [10, 'request.region', 'value', 'Count', 'Requests by region', 'labelled'],
  [11, 'request.city', 'value', 'Count', 'Requests by city', 'labelled'],
  [12, 'response.status', 'value', 'Count', 'Responses by status', 'labelled'],
  [13, 'response.time', 'rate', 'ms', 'Response time'],
  [14, 'response.size', 'rate', 'B', 'Response size'],
  [15, 'response.error.count', 'count', 'Count', 'Number of errors'],
  [16, 'response.error.types', 'value', 'Count', 'Errors by type', 'labelled'],
]

/** The next number here is 202. */
const hostRows: Row[] = [
  [17, 'load.1m', 'rate', 'Rate', 'Load over 1 minute'],
  [18, 'load.5m', 'rate', 'Rate', 'Load over 5 minutes'],
  [19, 'load.15m', 'rate', 'Rate', 'Load over 15 minutes'],
  [20, 'mem.all', 'rate', 'B', 'Memory'],
  [21, 'mem.free', 'rate', 'B', 'Memory that is free'],
  [22, 'mem.usage', 'rate', 'B', 'Memory in use'],
  [23, 'mem.usage.percent', 'rate', '%', 'Memory in use'],
  [24, 'mem.buffers', 'rate', 'B', 'Memory for buffers'],
  [25, 'uptime', 'rate', 's', 'Time since the start of the host'],
  [26, 'cpu.usage', 'count', 's', 'Processor time'],
  [27, 'cpu.usage.rate', 'rate', 'Rate', 'Processors in use'],
  [28, 'cpu.usage.percent', 'rate', '%', 'Processors in use'],
  [29, 'storage.total', 'rate', 'B', 'Storage', 'labelled'],
  [30, 'storage.used', 'rate', 'B', 'Storage in use', 'labelled'],
  [31, 'storage.free', 'rate', 'B', 'Storage that is free', 'labelled'],
  [32, 'network.in', 'count', 'B', 'Received bytes', 'labelled'],
  [33, 'network.out', 'count', 'B', 'Sent bytes', 'labelled'],
  [34, 'network.in.rate', 'rate', 'B/s', 'Received bytes a second', 'labelled'],
  [35, 'network.out.rate', 'rate', 'B/s', 'Sent bytes a second', 'labelled'],
  [201, 'storage.usage.percent', 'rate', '%', 'Storage in use', 'labelled'],
]

function toMetrics(rows: Row[]): Metric[] {
  return rows.map(([id, name, type, unit, description, labelled]) => ({
    id,
    name,
    type,
    unit,
    description,
    isLabelled: labelled === 'labelled',
  }))
}

export const applicationMetrics: readonly Metric[] = toMetrics(applicationRows)
export const hostMetrics: readonly Metric[] = toMetrics(hostRows)

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
/** Of requests that lack what the label tells, so that each split sums up to its metric. */
export const noneLabel = '(none)'
