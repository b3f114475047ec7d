import { Buffer } from 'node:buffer'
import { Type } from 'typebox'
import type { App } from '../app-types.ts'
import { clientSignal } from '../importer/scope.ts'
import { LayerNames } from './layer-names.ts'
import { MetricDataReply } from './metric-data-bodies.ts'
import { MetricDataParameters, pathMetric, readMetricDataQuery } from './metric-data-parameters.ts'
import type { MetricDataRequest } from './metric-data-writer.ts'
import { queryFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const Params = Type.Object({ metric: Type.String({ description: 'Name of a metric' }) })

/** `/monitoring/api/metric_data/<metric>`; the answer is made in the reader thread. */
export function addMetricDataRoute(app: App, { context, wire }: MonitoringScope): void {
  const layers = new LayerNames(context)
  app.get(
    '/monitoring/api/metric_data/:metric',
    {
      config: wire.reading,
      schema: {
        tags: ['monitoring'],
        summary: 'Values of a metric in periods',
        params: Params,
        querystring: MetricDataParameters,
        response: { 200: MetricDataReply },
      },
    },
    async (request, reply) => {
      const metric = pathMetric(request.params.metric)
      const query = readMetricDataQuery(queryFields(request, wire.dialect), metric, {
        wire,
        services: await context.services.list(),
        now: context.clock.now().getTime(),
      })
      const hasLinks = wire.isOlder && query.grouping?.includes('resource') === true
      const asked: MetricDataRequest = {
        ...{ query, dialect: wire.dialect, base: request.link('') },
        ...(hasLinks ? { layers: await layers.names() } : {}),
      }
      const bytes = await context.series.read('metricData', asked, {
        signal: clientSignal(reply),
      })
      return reply.type('application/json; charset=utf-8').send(asBuffer(bytes))
    },
  )
}

/** The same bytes, which the HTTP library sends as they are. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
