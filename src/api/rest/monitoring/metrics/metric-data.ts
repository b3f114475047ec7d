import { Type } from 'typebox'
import type { Clock } from '../../../../core/time/clock.ts'
import type { Services } from '../../../../monitoring/index.ts'
import { isHostMetric, type SeriesReader } from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import { queryFields } from '../parameters.ts'
import { MetricDataReply } from './metric-data-bodies.ts'
import { MetricDataParameters, pathMetric, readMetricDataQuery } from './metric-data-parameters.ts'
import type { SeriesReads } from './reader-thread.ts'
import { sendParts } from './send-chunks.ts'

export interface MetricDataDeps {
  series: Pick<SeriesReader<SeriesReads>, 'stream'>
  services: Pick<Services, 'list'>
  /** Names of the layers of this server, as `workspace:name`. */
  layerNames(): Promise<ReadonlySet<string>>
  wire: MonitoringNames
  clock: Clock
}

export const showMetricData = operation({
  summary: 'Values of a metric in periods',
  description:
    'Values from `valid_from` to `valid_to`, or of the last `last` seconds, in periods of `interval` seconds, grouped and filtered by resource, label, service or event type.',
  tags: ['monitoring'],
  hidesFromOthers: true,
  params: Type.Object({ metric: Type.String({ description: 'Name of a metric' }) }),
  query: MetricDataParameters,
  answers: { 200: MetricDataReply },
  handle: async ({ series, services, layerNames, wire, clock }: MetricDataDeps, request, reply) => {
    const metric = pathMetric(request.params.metric)
    const fields = queryFields(request, wire.dialect)
    if (isHostMetric(metric) && fields.text('event_type') !== undefined) request.reportIgnored(['event_type'])
    const query = readMetricDataQuery(fields, metric, {
      wire,
      services: await services.list(),
      now: clock.now().getTime(),
    })
    const hasLinks = wire.hasOlderRows && query.grouping?.includes('resource') === true
    const layers = hasLinks ? await layerNames() : undefined
    const requested = { query, dialect: wire.dialect, base: request.link(''), layers }
    const options = { owner: requestOwner(request), signal: clientSignal(reply) }
    return sendParts(reply, series.stream('metricData', requested, options))
  },
})
