import { setImmediate } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ReadMetric } from '../../core/otlp/otlp-metrics.ts'
import type { ExportSources } from './exported-metric.ts'
import { exportedMetrics } from './registry.ts'

/** Metrics of a server since its start, in Prometheus' text format; held in memory. */
export class MetricsExport {
  readonly #registry = new Registry()
  readonly #stopListening: (() => void)[]

  constructor(sources: ExportSources) {
    this.#stopListening = exportedMetrics.flatMap((metric) => metric.add(this.#registry, sources))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns all metrics, with those of the process; other requests are processed between two metrics. */
  async text(): Promise<string> {
    const texts: string[] = []
    for (const registry of [this.#registry, processRegistry()]) {
      for (const { name } of registry.getMetricsAsArray()) {
        await setImmediate()
        texts.push(await registry.getSingleMetricAsString(name))
      }
    }
    return `${texts.join('\n\n')}\n`
  }

  /** Returns all metrics with their values, for an export. */
  async read(): Promise<ReadMetric[]> {
    const all = [this.#registry, processRegistry()].map((registry) => registry.getMetricsAsJSON())
    return (await Promise.all(all)).flat() as unknown as ReadMetric[]
  }

  close(): void {
    for (const stop of this.#stopListening) stop()
  }
}

/** Gauges whose names suggest counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

let ofProcess: Registry | undefined

/** Facts of the process, which all servers in it share. */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
    for (const name of misnamed) ofProcess.removeSingleMetric(name)
  }
  return ofProcess
}
