import { Type } from 'typebox'
import { metricsOf } from '../../monitoring/metrics/metrics.ts'
import { eventTypeLabels, eventTypes, isOws } from '../../monitoring/model/event-types.ts'
import { resourceTypeLabels, resourceTypes } from '../../monitoring/model/resource-types.ts'
import { serviceTypes } from '../../monitoring/model/service-types.ts'
import type { App } from '../app-types.ts'
import { envelopeReply } from './bodies.ts'
import type { MonitoringWire } from './dialect.ts'
import { envelope } from './envelope.ts'
import { describeFields, queryFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const tags = ['monitoring']
const Key = Type.Object({ key: Type.String({ description: 'Name of the list beside it' }) })
const Metrics = Type.Object({
  metrics: Type.Array(
    Type.Object({
      service: Type.String(),
      metrics: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), unit: Type.String() })),
    }),
  ),
})

/** Lists that are the same for every server: `resource_types`, `event_types`, `metrics`. */
export function addListRoutes(app: App, { wire }: MonitoringScope): void {
  app.get(
    '/monitoring/api/metrics',
    { config: { access: 'user' }, schema: { tags, summary: 'List metrics', response: { 200: Metrics } } },
    async () => ({ metrics: listMetrics(wire) }),
  )

  const resource_types = Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), type_label: Type.String() }),
  )
  app.get(
    '/monitoring/api/resource_types',
    {
      config: wire.reading,
      schema: {
        tags,
        summary: 'List resource types',
        response: { 200: envelopeReply(Key, { resource_types }) },
      },
    },
    async () => ({ ...envelope({ key: 'resource_types' }), resource_types: listResourceTypes() }),
  )

  const event_types = Type.Array(
    Type.Object({ name: Type.String(), type_label: Type.Optional(Type.String()) }),
  )
  app.get(
    '/monitoring/api/event_types',
    {
      config: wire.reading,
      schema: {
        tags,
        summary: 'List event types',
        querystring: describeFields({
          ows_service: 'true: those of OGC services; false: the others; absent: all, without labels',
        }),
        response: { 200: envelopeReply(Key, { event_types }) },
      },
    },
    async (request) => {
      const fields = queryFields(request, wire.dialect)
      const isOwsWanted = fields.flag('ows_service')
      fields.finish()
      return { ...envelope({ key: 'event_types' }), event_types: listEventTypes(wire, isOwsWanted) }
    },
  )
}

function listMetrics(wire: MonitoringWire): object[] {
  return serviceTypes.map((type) => ({
    service: wire.serviceType(type),
    metrics: metricsOf(type).map(({ type: kind, name, unit }) => ({ type: kind, name, unit })),
  }))
}

function listResourceTypes(): object[] {
  return resourceTypes.map((name) => {
    const label = resourceTypeLabels[name]
    return { name, type: label, type_label: label }
  })
}

function listEventTypes(wire: MonitoringWire, isOwsWanted: boolean | undefined): object[] {
  const hasLabels = wire.isOlder || isOwsWanted !== undefined
  return eventTypes
    .filter((type) => isOwsWanted === undefined || isOws(type) === isOwsWanted)
    .map((type) => ({
      name: wire.eventType(type),
      ...(hasLabels ? { type_label: eventTypeLabels[type] } : {}),
    }))
}
