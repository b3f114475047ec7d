import { Type } from 'typebox'
import { operation } from '../../../endpoint.ts'
import { envelopeReply } from '../bodies.ts'
import { envelope } from '../envelope.ts'
import { pathMetric } from './metric-data-parameters.ts'

export const showMetric = operation({
  summary: 'One metric, with what alerts call it',
  tags: ['monitoring'],
  params: Type.Object({ metric: Type.String({ description: 'Name of a metric' }) }),
  answers: {
    200: envelopeReply(
      Type.Object({
        name: Type.String(),
        type: Type.Enum(['count', 'value', 'rate']),
        unit: Type.String(),
        description: Type.String(),
      }),
    ),
  },
  handle: (_parts: object, request) => {
    const { name, type, unit, description } = pathMetric(request.params.metric)
    return envelope({ name, type, unit, description })
  },
})
