import { setImmediate } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { EventBus, Events } from '../lib/events.ts'
import type { Space } from '../lib/files/free-space.ts'
import { BoundedNames } from './bounded-names.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Seconds: from an answer out of memory to a synchronous import. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/** Layers with a counter of their own; requests to further ones count as `other`. */
const maxLayers = 1000
/** What the label says of what has no counter of its own. */
const others = 'other'

/** What monitoring tells of itself. */
export interface MonitoringLoad {
  /** Requests that wait to be recorded. */
  waiting: number
  /** Requests that were not recorded since the start: too many waited. */
  dropped: number
  isDegraded: boolean
  /** Seconds since the last collection; undefined before the first. */
  collectionAge?: number | undefined
}

/** Loads and looks at data, as the importer counts them. */
export interface LoadCounts {
  running: number
  queued: number
}

export interface MetricsExportOptions {
  events: EventBus
  version: string
  loads(): LoadCounts
  /** Absent where monitoring is off. */
  monitoringLoad?(): MonitoringLoad
  /** Of the data directory. */
  freeSpace?(): Promise<Space | undefined>
}

/** Counts what a server does since its start, in Prometheus' text format; everything is held in memory. */
export class MetricsExport {
  readonly #registry = new Registry()
  readonly #counters = makeCounters(this.#registry)
  readonly #layers = new BoundedNames(maxLayers, others)
  readonly #stopListening: (() => void)[]

  constructor({ events, version, loads, monitoringLoad, freeSpace }: MetricsExportOptions) {
    const { imports, published, rows, exceptions, build, ended } = this.#counters
    addLoads(this.#registry, loads)
    build.set({ version, node: process.versions.node }, 1)
    if (monitoringLoad !== undefined) addMonitoring(this.#registry, monitoringLoad)
    if (freeSpace !== undefined) addDisk(this.#registry, freeSpace)
    this.#stopListening = [
      events.on('request.finished', (request) => this.#countRequest(request)),
      events.on('import.completed', ({ state }) => imports.inc({ state })),
      events.on('layer.published', ({ mode, rows: loaded }) => {
        published.inc({ mode })
        rows.inc(loaded)
      }),
      events.on('work.ended', ({ kind }) => ended.inc({ kind })),
      events.on('exception.caught', () => exceptions.inc({ source: 'job' })),
    ]
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

  #countRequest({
    method,
    route,
    status,
    milliseconds,
    sizeBytes,
    layers,
  }: Events['request.finished']): void {
    const { requests, duration, bytes, exceptions, layerRequests } = this.#counters
    const path = route === '' ? others : route
    const verb = methods.includes(method) ? method : others
    requests.inc({ method: verb, route: path, status: `${Math.floor(status / 100)}xx` })
    duration.observe({ route: path }, milliseconds / 1000)
    bytes.inc({ route: path }, sizeBytes)
    if (status >= 500) exceptions.inc({ source: 'request' })
    for (const layer of layers) layerRequests.inc({ layer: this.#layers.nameFor(layer) })
  }
}

function makeCounters(registry: Registry) {
  const registers = [registry]
  const exceptions = new Counter({
    name: 'terrane_exceptions_total',
    help: 'Requests that ended with a 5xx status, and jobs that failed.',
    labelNames: ['source'],
    registers,
  })
  for (const source of ['request', 'job']) exceptions.inc({ source }, 0)
  const ended = new Counter({
    name: 'terrane_work_ended_total',
    help: 'Loads and jobs that neither got on nor heard their signal and were ended, or whose thread or process died.',
    labelNames: ['kind'],
    registers,
  })
  for (const kind of ['load', 'job']) ended.inc({ kind }, 0)
  return {
    exceptions,
    ended,
    build: new Gauge({
      name: 'terrane_build_info',
      help: 'Versions of Terrane and of Node.',
      labelNames: ['version', 'node'],
      registers,
    }),
    requests: new Counter({
      name: 'terrane_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'terrane_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: durations,
      registers,
    }),
    bytes: new Counter({
      name: 'terrane_http_response_bytes_total',
      help: 'Bytes of answers.',
      labelNames: ['route'],
      registers,
    }),
    layerRequests: new Counter({
      name: 'terrane_layer_requests_total',
      help: `Successful requests about a published layer; those beyond the first ${maxLayers} layers are "${others}".`,
      labelNames: ['layer'],
      registers,
    }),
    imports: new Counter({
      name: 'terrane_imports_total',
      help: 'Runs of imports by the state that they ended in.',
      labelNames: ['state'],
      registers,
    }),
    published: new Counter({
      name: 'terrane_layers_published_total',
      help: 'Layers that imports made, replaced or added to.',
      labelNames: ['mode'],
      registers,
    }),
    rows: new Counter({
      name: 'terrane_rows_loaded_total',
      help: 'Rows, and granules of mosaics, that imports loaded.',
      registers,
    }),
  }
}

function addLoads(registry: Registry, loads: () => LoadCounts): void {
  const registers = [registry]
  new Gauge({
    name: 'terrane_loads_running',
    help: 'Loads, looks at data and chains of raster tools that are under way.',
    registers,
    collect() {
      this.set(loads().running)
    },
  })
  new Gauge({
    name: 'terrane_loads_queued',
    help: 'Loads, looks at data and chains of raster tools that wait for their turn.',
    registers,
    collect() {
      this.set(loads().queued)
    },
  })
}

function addDisk(registry: Registry, freeSpace: () => Promise<Space | undefined>): void {
  for (const [name, help, read] of [
    [
      'terrane_disk_free_bytes',
      'Free bytes on the disk of the data directory.',
      (one: Space) => one.freeBytes,
    ],
    ['terrane_disk_total_bytes', 'Bytes of the disk of the data directory.', (one: Space) => one.totalBytes],
  ] as const) {
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        const space = await freeSpace()
        if (space === undefined) this.remove()
        else this.set(read(space))
      },
    })
  }
}

function addMonitoring(registry: Registry, load: () => MonitoringLoad): void {
  const registers = [registry]
  new Gauge({
    name: 'terrane_monitoring_waiting_requests',
    help: 'Requests that wait to be recorded by monitoring.',
    registers,
    collect() {
      this.set(load().waiting)
    },
  })
  new Counter({
    name: 'terrane_monitoring_dropped_requests_total',
    help: 'Requests that monitoring did not record, since too many waited.',
    registers,
    collect() {
      this.reset()
      this.inc(load().dropped)
    },
  })
  new Gauge({
    name: 'terrane_monitoring_last_collection_age_seconds',
    help: 'Seconds since monitoring last collected.',
    registers,
    collect() {
      const { collectionAge } = load()
      if (collectionAge === undefined) this.remove()
      else this.set(collectionAge)
    },
  })
  new Gauge({
    name: 'terrane_monitoring_up',
    help: '1 while every part of monitoring works.',
    registers,
    collect() {
      this.set(load().isDegraded ? 0 : 1)
    },
  })
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
