import { Histogram } from 'prom-client'
import type { ExportedMetric } from './exported-metric.ts'
import { counter } from './exported-metric.ts'

/**
 * Returns the first `limit` names unchanged, and one common name for all others, so that the number of labels
 * is bounded.
 */
class BoundedNames {
  readonly #limit: number
  readonly #other: string
  readonly #known = new Set<string>()

  constructor(limit: number, other: string) {
    this.#limit = limit
    this.#other = other
  }

  nameFor(name: string): string {
    if (this.#known.has(name)) return name
    if (this.#known.size >= this.#limit) return this.#other
    this.#known.add(name)
    return name
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** In seconds: from a response from memory to a synchronous import. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/** Maximum number of layers with a counter of their own; requests to further ones count as `other`. */
const maxLayers = 1000
/** Label of requests without a counter of their own. */
const others = 'other'

export const requestsTotal = counter(
  { name: 'terrane_http_requests_total', help: 'Answered requests.', labels: ['method', 'route', 'status'] },
  (requests, events) => [
    events.on('request.finished', ({ method, route, status }) => {
      const verb = methods.includes(method) ? method : others
      requests.inc({ method: verb, route: routeOf(route), status: `${Math.floor(status / 100)}xx` })
    }),
  ],
)

const duration = {
  name: 'terrane_http_request_duration_seconds',
  help: 'Time from the head of a request to the end of its answer.',
}

export const requestDuration: ExportedMetric = {
  ...duration,
  add: (registry, { events }) => {
    const times = new Histogram({
      ...duration,
      labelNames: ['route'] as const,
      buckets: durations,
      registers: [registry],
    })
    return [
      events.on('request.finished', ({ route, milliseconds }) =>
        times.observe({ route: routeOf(route) }, milliseconds / 1000),
      ),
    ]
  },
}

export const responseBytes = counter(
  { name: 'terrane_http_response_bytes_total', help: 'Bytes of answers.', labels: ['route'] },
  (bytes, events) => [
    events.on('request.finished', ({ route, sizeBytes }) => bytes.inc({ route: routeOf(route) }, sizeBytes)),
  ],
)

export const layerRequests = counter(
  {
    name: 'terrane_layer_requests_total',
    help: `Successful requests by layer; layers beyond the first ${maxLayers} are counted as "${others}".`,
    labels: ['layer'],
  },
  (requests, events) => {
    const known = new BoundedNames(maxLayers, others)
    return [
      events.on('request.finished', ({ layers }) => {
        for (const layer of layers) requests.inc({ layer: known.nameFor(layer) })
      }),
    ]
  },
)

function routeOf(route: string): string {
  return route === '' ? others : route
}
