import { Type } from 'typebox'
import { notFound } from '../../../../core/errors/errors.ts'
import type { Clock } from '../../../../core/time/clock.ts'
import type { Services } from '../../../../monitoring/index.ts'
import type {
  ExceptionFilter,
  ListedException,
  SeriesReader,
  ServiceRecord,
} from '../../../../monitoring/query/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { clientSignal, requestOwner } from '../../../request-properties.ts'
import { IdParams, listReplies } from '../bodies.ts'
import { describeFields, pathId, queryFields } from '../parameters.ts'
import { ExceptionReply, ListedExceptionBody } from './exception-bodies.ts'
import { toExceptionResponse } from './exception-response.ts'
import type { SeriesReads } from './reader-thread.ts'
import { sendParts } from './send-chunks.ts'

const tags = ['monitoring']
const defaultLimit = 1000
const limitBounds = { min: 1, max: 10_000 }
const lastBounds = { min: 60, max: 1e9 }

export interface ExceptionDeps {
  series: Pick<SeriesReader<SeriesReads>, 'read' | 'stream'>
  services: Pick<Services, 'list'>
  wire: MonitoringNames
  clock: Clock
  /** In front of every path. */
  basePath: string
}

export const listExceptions = operation({
  summary: 'List exceptions, newest first',
  description: 'Failures of requests with time, service, type and a link to the details.',
  tags,
  query: describeFields({
    last: Type.Integer({
      description: 'Only entries of the last seconds, up to now; not together with valid_from and valid_to',
      minimum: lastBounds.min,
      maximum: lastBounds.max,
    }),
    valid_from: 'Only entries from this time on',
    valid_to: 'Only entries before this time',
    service_name: 'Only entries of this service',
    service_type: 'Only services of this type',
    error_type: 'Only exceptions of this class',
    resource: Type.Integer({ description: 'Id of a resource that was affected', minimum: 1 }),
    limit: Type.Integer({
      description: `Maximum number of entries, the newest; default ${defaultLimit}`,
      minimum: limitBounds.min,
      maximum: limitBounds.max,
    }),
    interval: 'Not supported',
  }),
  ...listReplies('exceptions', ListedExceptionBody),
  handle: async ({ series, services, wire, clock, basePath }: ExceptionDeps, request, reply) => {
    const known = await services.list()
    const requested = {
      query: readFilter(request, { wire, known, now: clock.now().getTime() }),
      dialect: wire.dialect,
      path: `${basePath}/monitoring/api/exceptions`,
      services: known.map(({ id, name, type }) => ({ id, name, type })),
    }
    const options = { owner: requestOwner(request), signal: clientSignal(reply) }
    return sendParts(reply, series.stream('exceptionList', requested, options))
  },
})

export const showException = operation({
  summary: 'Show one exception',
  description: 'Request, message and stack of one failure.',
  tags,
  params: IdParams,
  answers: { 200: ExceptionReply },
  handle: async ({ series, services, wire }: Omit<ExceptionDeps, 'clock' | 'basePath'>, request) => {
    const id = pathId(request.params.id, 'Exception')
    const found = await series.read('exception', { id }, { owner: requestOwner(request) })
    const service = found === undefined ? undefined : findService(await services.list(), found)
    if (found === undefined || service === undefined)
      throw notFound('unknown-exception', `Exception ${id} does not exist`)
    return toExceptionResponse(found, { wire, service })
  },
})

function findService(services: readonly ServiceRecord[], { serviceId }: ListedException) {
  return services.find(({ id }) => id === serviceId)
}

interface FilterContext {
  wire: MonitoringNames
  known: readonly ServiceRecord[]
  now: number
}

/** Throws `FieldFailure`. */
function readFilter(
  request: Pick<FastifyRequest, 'query'>,
  { wire, known, now }: FilterContext,
): ExceptionFilter {
  const fields = queryFields(request, wire.dialect)
  const from = fields.time('valid_from')
  const to = fields.time('valid_to')
  const last = fields.integer('last', lastBounds)
  const name = fields.text('service_name')
  const type = fields.choice('service_type', wire.serviceTypes)
  const errorType = fields.text('error_type')
  const resourceId = fields.integer('resource', { min: 1 })
  const limit = fields.integer('limit', limitBounds) ?? defaultLimit
  if (last !== undefined && (from !== undefined || to !== undefined))
    fields.fail('__all__', 'Cannot use last and valid_from/valid_to at the same time')
  if (from !== undefined && to !== undefined && to < from)
    fields.fail('__all__', 'valid_to must not be before valid_from')
  if (name !== undefined && !known.some((one) => one.name === name)) fields.failChoice('service_name', name)
  fields.finish()
  const services = known
    .filter((one) => name === undefined || one.name === name)
    .filter((one) => type === undefined || wire.serviceType(one.type) === type)
  const window = last === undefined ? { from, to } : { from: now - last * 1000, to: undefined }
  return { ...window, serviceIds: services.map(({ id }) => id), errorType, resourceId, limit }
}
