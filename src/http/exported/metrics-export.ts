import { setImmediate } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ExportSources } from './exported-metric.ts'
import { exportedMetrics } from './registry.ts'

/** Counts what a server does since its start, in Prometheus' text format; everything is held in memory. */
export class MetricsExport {
  readonly #registry = new Registry()
  readonly #stopListening: (() => void)[]

  constructor(sources: ExportSources) {
    this.#stopListening = exportedMetrics.flatMap((metric) => metric.add(this.#registry, sources))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Everything, with what is known of the process; other requests are answered between one metric and the next. */
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

  close(): void {
    for (const stop of this.#stopListening) stop()
  }
}

/** Gauges whose names say that they are counters. */
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
