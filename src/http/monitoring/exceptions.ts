import { notFound } from '../../lib/errors.ts'
import type { ServiceRecord } from '../../monitoring/model/records.ts'
import type { ExceptionFilter, ListedException } from '../../monitoring/query/exception-reads.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../importer/scope.ts'
import { IdParams } from './bodies.ts'
import { ExceptionReply, ExceptionsReply } from './exception-bodies.ts'
import { toWireException } from './exception-wire.ts'
import { asBuffer } from './metric-data.ts'
import type { ExceptionListRequest } from './metric-data-reads.ts'
import { describeFields, pathId, queryFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const tags = ['monitoring']
const config = { access: 'staff' } as const
const path = '/monitoring/api/exceptions'
const defaultLimit = 1000
const maxLimit = 10_000
const maxSeconds = 1e9

const Filters = describeFields({
  last: 'Those of so many seconds up to now; not together with valid_from and valid_to',
  valid_from: 'Those from this time on',
  valid_to: 'Those before this time',
  service_name: 'Those of this service',
  service_type: 'Those of services of this type',
  error_type: 'Those of this class',
  resource: 'Id of a resource that was affected',
  limit: `At most so many, the newest; default ${defaultLimit}`,
  interval: 'Has no meaning here',
})

/** `/monitoring/api/exceptions[/<id>]`. */
export function addExceptionRoutes(app: App, scope: MonitoringScope): void {
  const { services, series, settings } = scope.context
  const { basePath } = settings.server

  app.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: 'List exceptions, newest first',
        querystring: Filters,
        response: { 200: ExceptionsReply },
      },
    },
    async (request, reply) => {
      const known = await services.list()
      const asked: ExceptionListRequest = {
        ...{ query: readFilter(request, scope, known), dialect: scope.wire.dialect, path: basePath + path },
        services: known.map(({ id, name, type }) => ({ id, name, type })),
      }
      const bytes = await series.read('exceptionList', asked, { signal: clientSignal(reply) })
      return reply.type('application/json; charset=utf-8').send(asBuffer(bytes))
    },
  )

  app.get(
    `${path}/:id`,
    {
      config,
      schema: { tags, summary: 'One exception', params: IdParams, response: { 200: ExceptionReply } },
    },
    async (request) => {
      const id = pathId(request.params.id, 'Exception')
      const found = await series.read('exception', { id })
      const service = found === undefined ? undefined : findService(await services.list(), found)
      if (found === undefined || service === undefined)
        throw notFound('unknown-exception', `Exception ${id} does not exist`)
      return toWireException(found, { ...scope, service })
    },
  )
}

function findService(services: readonly ServiceRecord[], { serviceId }: ListedException) {
  return services.find(({ id }) => id === serviceId)
}

/** Throws `FieldFailure`. */
function readFilter(
  request: FastifyRequest,
  { context, wire }: MonitoringScope,
  known: readonly ServiceRecord[],
): ExceptionFilter {
  const fields = queryFields(request, wire.dialect)
  const from = fields.time('valid_from')
  const to = fields.time('valid_to')
  const last = fields.integer('last', { min: 60, max: maxSeconds })
  const name = fields.text('service_name')
  const type = fields.choice('service_type', wire.serviceTypes)
  const errorType = fields.text('error_type')
  const resourceId = fields.integer('resource', { min: 1 })
  const limit = fields.integer('limit', { min: 1, max: maxLimit }) ?? defaultLimit
  if (last !== undefined && (from !== undefined || to !== undefined))
    fields.fail('__all__', 'Cannot use last and valid_from/valid_to at the same time')
  if (from !== undefined && to !== undefined && to < from)
    fields.fail('__all__', 'valid_to must not be before valid_from')
  if (name !== undefined && !known.some((one) => one.name === name)) fields.failChoice('service_name', name)
  fields.finish()
  const services = known
    .filter((one) => name === undefined || one.name === name)
    .filter((one) => type === undefined || wire.serviceType(one.type) === type)
  const now = context.clock.now().getTime()
  const window = last === undefined ? { from, to } : { from: now - last * 1000, to: undefined }
  return { ...window, serviceIds: services.map(({ id }) => id), errorType, resourceId, limit }
}
