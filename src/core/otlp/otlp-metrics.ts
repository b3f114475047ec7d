import type { HrTime } from '@opentelemetry/api'
import { ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import type { MetricData } from '@opentelemetry/sdk-metrics'
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { TelemetrySettings } from '../config/telemetry-settings.ts'

/** A value of a metric, by its labels; of a histogram each bucket, the sum and the count are values. */
interface MetricValue {
  value: number
  labels: Record<string, string | number | undefined>
  /** Name with suffix, of values of a histogram. */
  metricName?: string | undefined
}

/** A metric as the registry of `/metrics` returns it. */
export interface ReadMetric {
  name: string
  help: string
  type: string
  values: MetricValue[]
}

/** Reads the present values of all metrics. */
export type ReadMetrics = () => Promise<ReadMetric[]>

const exportMs = 5_000

/** Exports the metrics of `/metrics` at intervals. Returns a function that exports once more and ends. */
export function openMetricExport(
  settings: TelemetrySettings,
  url: string,
  resource: Resource,
  read: ReadMetrics,
): () => Promise<void> {
  const startTime = hrTime(Date.now())
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url, headers: settings.headers, timeoutMillis: exportMs }),
    exportIntervalMillis: settings.metricIntervalMs,
    exportTimeoutMillis: Math.min(exportMs, settings.metricIntervalMs),
    metricProducers: [
      {
        collect: async () => {
          const span = { startTime, endTime: hrTime(Date.now()) }
          const metrics = (await read()).flatMap((metric) => toMetricData(metric, span) ?? [])
          const scopeMetrics = [{ scope: { name: 'terrane' }, metrics }]
          return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
        },
      },
    ],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return () => provider.shutdown()
}

interface Period {
  startTime: HrTime
  endTime: HrTime
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000]
}

/** Returns a metric as OpenTelemetry's data; undefined for types that it does not have. */
function toMetricData(metric: ReadMetric, period: Period): MetricData | undefined {
  const { name, help: description, type } = metric
  const unit = name.includes('_seconds') ? 's' : name.includes('_bytes') ? 'By' : '1'
  const common = {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const points = (): { attributes: Record<string, string>; value: number }[] =>
    metric.values.map(({ labels, value }) => ({ attributes: textLabels(labels), value }))
  const dataPoints = () => points().map((point) => ({ ...point, ...period }))
  if (type === 'counter')
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: dataPoints() }
  if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: dataPoints() }
  if (type !== 'histogram') return undefined
  const histograms = groupBuckets(metric).map((one) => ({ ...one, ...period }))
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms }
}

function textLabels(labels: MetricValue['labels']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

interface HistogramPoint {
  attributes: Record<string, string>
  value: { buckets: { boundaries: number[]; counts: number[] }; sum: number; count: number }
}

/** Joins the values of each label set; buckets of the registry are cumulative, those of OpenTelemetry are not. */
function groupBuckets({ name, values }: ReadMetric): HistogramPoint[] {
  const groups = new Map<string, HistogramPoint>()
  for (const { labels, value, metricName } of values) {
    const { le, ...rest } = labels
    const attributes = textLabels(rest)
    const key = JSON.stringify(attributes)
    const empty = { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 }
    const group = groups.get(key) ?? { attributes, value: empty }
    groups.set(key, group)
    const { buckets } = group.value
    if (metricName === `${name}_sum`) group.value.sum = value
    else if (metricName === `${name}_count`) group.value.count = value
    else {
      const before = buckets.counts.reduce((sum, count) => sum + count, 0)
      buckets.counts.push(value - before)
      if (le !== '+Inf') buckets.boundaries.push(Number(le))
    }
  }
  return [...groups.values()]
}
