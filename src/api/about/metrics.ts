import { Type } from 'typebox'
import type { Catalog } from '../../catalog/index.ts'
import type { ApiArea } from '../app-types.ts'
import { media } from '../description.ts'
import { addEndpoints, endpoint, operation } from '../endpoint.ts'
import { hideLayers } from '../metrics-export/hide-layers.ts'
import type { MetricsExport } from '../metrics-export/metrics-export.ts'

interface MetricsDeps {
  metrics: MetricsExport
  layers: Pick<Catalog['layers'], 'findForReading'>
}

/** Metrics of this server for Prometheus; reads no database for callers who may read all layers. */
const showMetrics = operation({
  summary: 'Counters for Prometheus, in its text format',
  description:
    'Counters and gauges of requests, loads, tiles and memory since the start of this process, as `text/plain` in the exposition format 0.0.4. Layers that the caller may not read are summed as `(not shown)`.',
  tags: ['server'],
  answers: { 200: media('The text format', { 'text/plain': Type.String() }) },
  handle: async ({ metrics, layers }: MetricsDeps, request, reply) => {
    const rights = await request.rights()
    const text = await metrics.text()
    const isReadable = async (name: string): Promise<boolean> => {
      const [workspace = '', ...rest] = name.split(':')
      const layer = await layers.findForReading(workspace, rest.join(':'))
      return layer !== undefined && rights.can('read', layer)
    }
    const shown = rights.can('read', '*') ? text : await hideLayers(text, isReadable)
    return reply.type(metrics.contentType).send(shown)
  },
})

export const metricsEndpoints = [endpoint('GET', '/metrics', 'user', 'unrecorded', { showMetrics })]

/** `/metrics`; what it counts with is closed with the server. */
export function metricsArea({ metrics, layers }: MetricsDeps): ApiArea {
  return (app) => {
    app.addHook('onClose', async () => metrics.close())
    addEndpoints(app, metricsEndpoints, { metrics, layers })
  }
}
