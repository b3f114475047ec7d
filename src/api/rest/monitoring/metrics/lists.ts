import { Type } from 'typebox'
import {
  eventTypeLabels,
  eventTypes,
  isOws,
  metricsOf,
  resourceTypeLabels,
  resourceTypes,
  serviceTypes,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { envelopeReply } from '../bodies.ts'
import { envelope } from '../envelope.ts'
import { queryFields } from '../parameters.ts'

const tags = ['monitoring']
const Key = Type.Object({ key: Type.String({ description: 'Name of the list beside it' }) })

export interface ListDeps {
  wire: MonitoringNames
}

export const listMetrics = operation({
  summary: 'List metrics',
  description: 'Names, types and units of the metrics that each type of service collects.',
  tags,
  answers: {
    200: Type.Object({
      metrics: Type.Array(
        Type.Object({
          service: Type.String({ description: 'Type of service' }),
          metrics: Type.Array(
            Type.Object({
              type: Type.Enum(['count', 'value', 'rate'], {
                description: 'count and value are sums, rate is a mean weighted by samples',
              }),
              name: Type.String(),
              unit: Type.String(),
            }),
          ),
        }),
      ),
    }),
  },
  handle: ({ wire }: ListDeps) => ({
    metrics: serviceTypes.map((type) => ({
      service: wire.serviceType(type),
      metrics: metricsOf(type).map(({ type: kind, name, unit }) => ({ type: kind, name, unit })),
    })),
  }),
})

export const listResourceTypes = operation({
  summary: 'List resource types',
  description: 'Types of resources that requests are counted by, such as `layer`.',
  tags,
  hidesFromOthers: true,
  answers: {
    200: envelopeReply(Key, {
      resource_types: Type.Array(
        Type.Object({ name: Type.String(), type: Type.String(), type_label: Type.String() }),
      ),
    }),
  },
  handle: () => ({
    ...envelope({ key: 'resource_types' }),
    resource_types: resourceTypes.map((name) => {
      const label = resourceTypeLabels[name]
      return { name, type: label, type_label: label }
    }),
  }),
})

export const listEventTypes = operation({
  summary: 'List event types',
  description: 'Types of events that requests are counted as, such as `view`, `download` and `OWS:WMS`.',
  tags,
  hidesFromOthers: true,
  query: Type.Object({
    ows_service: Type.Optional(
      Type.Boolean({
        description: 'true: those of OGC services; false: the others; absent: all, without labels',
      }),
    ),
  }),
  answers: {
    200: envelopeReply(Key, {
      event_types: Type.Array(Type.Object({ name: Type.String(), type_label: Type.Optional(Type.String()) })),
    }),
  },
  handle: ({ wire }: ListDeps, request) => {
    const fields = queryFields(request, wire.dialect)
    const includesOws = fields.flag('ows_service')
    fields.finish()
    return { ...envelope({ key: 'event_types' }), event_types: toEventTypesResponse(wire, includesOws) }
  },
})

function toEventTypesResponse(wire: MonitoringNames, includesOws: boolean | undefined): object[] {
  const hasLabels = wire.hasTypeLabels || includesOws !== undefined
  return eventTypes
    .filter((type) => includesOws === undefined || isOws(type) === includesOws)
    .map((type) => ({
      name: wire.eventType(type),
      type_label: hasLabels ? eventTypeLabels[type] : undefined,
    }))
}
