import { Type } from 'typebox'
import type { ApiArea } from '../app-types.ts'
import { media } from '../description.ts'
import { addEndpoints, endpoint, operation } from '../endpoint.ts'
import type { MetricsExport } from '../metrics-export/metrics-export.ts'

/** Metrics of this server for Prometheus; reads no database. */
const showMetrics = operation({
  summary: 'Counters for Prometheus, in its text format',
  description:
    'Counters and gauges of requests, loads, tiles and memory since the start of this process, as `text/plain` in the exposition format 0.0.4.',
  tags: ['server'],
  answers: { 200: media('The text format', { 'text/plain': Type.String() }) },
  handle: async ({ metrics }: { metrics: MetricsExport }, _request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
})

export const metricsEndpoints = [endpoint('GET', '/metrics', 'user', 'unrecorded', { showMetrics })]

/** `/metrics`; what it counts with is closed with the server. */
export function metricsArea(metrics: MetricsExport): ApiArea {
  return (app) => {
    app.addHook('onClose', async () => metrics.close())
    addEndpoints(app, metricsEndpoints, { metrics })
  }
}
