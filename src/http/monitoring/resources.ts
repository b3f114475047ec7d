import { Type } from 'typebox'
import { findMetric } from '../../monitoring/metrics/metrics.ts'
import { resourceTypes } from '../../monitoring/model/resource-types.ts'
import type { ListQuery, ResourceListQuery } from '../../monitoring/query/list-reads.ts'
import type { App, FastifyReply } from '../app-types.ts'
import { clientSignal } from '../importer/scope.ts'
import { asBuffer } from './metric-data.ts'
import { readTimes } from './metric-data-parameters.ts'
import type { Fields } from './parameters.ts'
import { describeFields, queryFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const namedTypes = resourceTypes.filter((type) => type !== '')

const filters = {
  metric_name: 'Only what this metric has values of',
  valid_from: 'Only what has values from this time on',
  valid_to: 'Only what has values up to this time',
  last: 'Only what has values of so many seconds up to now; not together with valid_from and valid_to',
  interval: 'Has no meaning here',
}

const Resources = Type.Object({
  resources: Type.Array(Type.Object({ id: Type.Integer(), type: Type.String(), name: Type.String() })),
})
const Labels = Type.Object({
  labels: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
})

/** `/monitoring/api/resources` and `/monitoring/api/labels`; the answers are made in the reader thread. */
export function addResourceRoutes(app: App, { context, wire }: MonitoringScope): void {
  const tags = ['monitoring']
  const answer = async (
    name: 'labels' | 'resources',
    query: ResourceListQuery,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const asked = { query, dialect: wire.dialect }
    const bytes = await context.series.read(name, asked, { signal: clientSignal(reply) })
    return reply.type('application/json; charset=utf-8').send(asBuffer(bytes))
  }
  app.get(
    '/monitoring/api/resources',
    {
      config: wire.reading,
      schema: {
        tags,
        summary: 'List resources that were used',
        querystring: describeFields({ ...filters, resource_type: 'Only resources of this type' }),
        response: { 200: Resources },
      },
    },
    async (request, reply) => {
      const fields = queryFields(request, wire.dialect)
      const type = fields.choice('resource_type', namedTypes)
      const query = readListQuery(fields, context.clock.now().getTime())
      return answer('resources', { ...query, ...(type === undefined ? {} : { type }) }, reply)
    },
  )
  app.get(
    '/monitoring/api/labels',
    {
      config: wire.reading,
      schema: {
        tags,
        summary: 'List labels',
        querystring: describeFields(filters),
        response: { 200: Labels },
      },
    },
    async (request, reply) =>
      answer(
        'labels',
        readListQuery(queryFields(request, wire.dialect), context.clock.now().getTime()),
        reply,
      ),
  )
}

/** Throws `FieldFailure`. */
function readListQuery(fields: Fields, now: number): ListQuery {
  const metric = fields.text('metric_name')
  if (metric !== undefined && findMetric(metric) === undefined) fields.failChoice('metric_name', metric)
  fields.integer('interval', { min: 60 })
  const { validFrom, validTo, lastSeconds } = readTimes(fields) ?? {}
  if (validFrom !== undefined && validTo !== undefined && validTo < validFrom)
    fields.fail('valid_to', 'Ensure this time is not before valid_from.')
  fields.finish()
  const from = lastSeconds === undefined ? validFrom : now - lastSeconds * 1000
  return {
    ...(metric === undefined ? {} : { metric }),
    ...(from === undefined ? {} : { from: from / 1000 }),
    ...(validTo === undefined ? {} : { to: validTo / 1000 }),
  }
}
