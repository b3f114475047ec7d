import { Type } from 'typebox'
import { hasRole } from '../../accounts/caller.ts'
import type { ServiceRecord } from '../../monitoring/model/records.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { etagOf, requireMatch } from '../etag.ts'
import { envelopeReply, IdParams, OkReply, Service, ServiceBody, ShortService } from './bodies.ts'
import { envelope, okStatus } from './envelope.ts'
import type { Fields } from './parameters.ts'
import { bodyFields, pathId } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'
import { readChange, readNewService, toFullService, toShortService } from './service-wire.ts'

const tags = ['monitoring']
const path = '/monitoring/api/services'
const reading = { access: 'user' } as const
const changing = { access: 'admin' } as const
const reply = { 200: envelopeReply(Service) }

/** `/monitoring/api/services[/<id>]`. */
export function addServiceRoutes(app: App, scope: MonitoringScope): void {
  addReading(app, scope)
  addChanging(app, scope)
}

function addReading(app: App, { context, wire }: MonitoringScope): void {
  const { services } = context

  app.get(
    path,
    {
      config: reading,
      schema: {
        tags,
        summary: 'List services',
        response: { 200: Type.Object({ services: Type.Array(ShortService) }) },
      },
    },
    async () => ({ services: (await services.list()).map((one) => toShortService(one, wire)) }),
  )

  app.get(
    `${path}/:id`,
    {
      config: reading,
      schema: {
        tags,
        summary: 'One service; url, notes, problem and source for the role admin',
        params: IdParams,
        response: reply,
      },
    },
    async (request, answer) => {
      const service = await services.get(pathId(request.params.id, 'Service'))
      answer.header('etag', etagOf(settingsOf(service))).header('cache-control', 'no-cache')
      const problem = context.monitoring?.problemOf(service.id)
      const isAdmin = hasRole(request.caller, 'admin')
      return envelope(isAdmin ? toFullService(service, wire, problem) : toShortService(service, wire))
    },
  )
}

function addChanging(app: App, scope: MonitoringScope): void {
  const { services } = scope.context
  const { wire } = scope

  app.post(
    path,
    {
      config: { access: 'admin', idempotent: true },
      schema: { tags, summary: 'Create a service', body: ServiceBody, response: reply },
    },
    async (request, answer) => {
      const values = await readNewService({ fields: serviceFields(request, scope), wire, services })
      const service = await services.create(values)
      answer.header('location', request.link(`${path}/${service.id}`))
      return sendService(answer, service, scope)
    },
  )

  app.put(
    `${path}/:id`,
    {
      config: changing,
      schema: { tags, summary: 'Change a service', params: IdParams, body: ServiceBody, response: reply },
    },
    async (request, answer) => {
      const service = await getMatching(request, request.params.id, scope)
      const fields = serviceFields(request, scope)
      const change = await readChange({ fields, wire, services }, service)
      return sendService(answer, await services.update(service.id, change), scope)
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: changing,
      schema: {
        tags,
        summary: 'Remove a service and what was collected of it',
        params: IdParams,
        response: { 200: OkReply },
      },
    },
    async (request) => {
      const service = await getMatching(request, request.params.id, scope)
      await services.remove(service.id)
      return okStatus()
    },
  )
}

async function getMatching(
  request: FastifyRequest,
  id: string,
  { context }: MonitoringScope,
): Promise<ServiceRecord> {
  const service = await context.services.get(pathId(id, 'Service'))
  requireMatch(request, settingsOf(service))
  return service
}

function sendService(answer: FastifyReply, service: ServiceRecord, { wire }: MonitoringScope) {
  answer.header('etag', etagOf(settingsOf(service)))
  return envelope(toFullService(service, wire))
}

/** What an `ETag` stands for: a collection changes nothing that somebody edits. */
function settingsOf(service: ServiceRecord): object {
  const { lastCheck, ...settings } = service
  return settings
}

/** Of `{service: {...}}` or the bare object. */
function serviceFields(request: FastifyRequest, { wire }: MonitoringScope): Fields {
  const fields = bodyFields(request, wire.dialect)
  return fields.has('service') ? fields.inside('service') : fields
}
