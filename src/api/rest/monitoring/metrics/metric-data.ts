import { Type } from 'typebox'
import type { Clock } from '../../../../core/time/clock.ts'
import type { Services } from '../../../../monitoring/index.ts'
import {
  isHostMetric,
  type ResourceName,
  type SeriesReader,
  unknownResource,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import { queryFields } from '../parameters.ts'
import { isHidden } from './hidden-rows.ts'
import { MetricDataReply } from './metric-data-bodies.ts'
import { MetricDataParameters, pathMetric, readMetricDataQuery } from './metric-data-parameters.ts'
import type { SeriesReads } from './reader-thread.ts'
import type { ReadableLayers } from './resources.ts'
import { sendParts } from './send-chunks.ts'

export interface MetricDataDeps extends ReadableLayers {
  series: Pick<SeriesReader<SeriesReads>, 'stream'>
  services: Pick<Services, 'list'>
  /** Names of the layers of this server, as `workspace:name`. */
  layerNames(): Promise<ReadonlySet<string>>
  wire: MonitoringNames
  clock: Clock
}

/** Throws the error for an unknown resource if the caller may not read the layer named by a filter; ids are checked by the reader. */
function refuseHidden(resource: ResourceName | undefined, shown: ReadonlySet<string>): void {
  if (resource === undefined) return
  if ('id' in resource || !isHidden(resource, shown)) return
  throw unknownResource(resource)
}

export const showMetricData = operation({
  summary: 'Get values of a metric in periods',
  description:
    'Values from `valid_from` to `valid_to`, or of the last `last` seconds, in periods of `interval` seconds, grouped and filtered by resource, label, service or event type.',
  tags: ['monitoring'],
  hidesFromOthers: true,
  params: Type.Object({ metric: Type.String({ description: 'Name of a metric' }) }),
  query: MetricDataParameters,
  answers: { 200: MetricDataReply },
  handle: async (
    { series, services, layerNames, readableLayers, wire, clock }: MetricDataDeps,
    request,
    reply,
  ) => {
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
    const rights = await request.rights()
    const shown = rights.can('read', '*') ? undefined : await readableLayers(rights)
    if (shown !== undefined) refuseHidden(query.resource, shown)
    const requested = { query, dialect: wire.dialect, base: request.link(''), layers, shown }
    const options = { owner: requestOwner(request), signal: clientSignal(reply) }
    return sendParts(reply, series.stream('metricData', requested, options))
  },
})
