import { Type } from 'typebox'
import { hasRole } from '../../../../access/index.ts'
import { without } from '../../../../core/values/defined.ts'
import type { Services } from '../../../../monitoring/index.ts'
import type { ServiceRecord } from '../../../../monitoring/query/index.ts'
import type { FastifyReply, FastifyRequest } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { etagOf, requireMatch } from '../../../etag.ts'
import { envelopeReply, IdParams, OkReply, Service, ServiceBody, ShortService } from '../bodies.ts'
import { envelope, okStatus } from '../envelope.ts'
import type { Fields } from '../parameters.ts'
import { bodyFields, pathId } from '../parameters.ts'
import { readChange, readNewService, toFullService, toShortService } from './service-response.ts'

export interface AutoconfigureApiDeps {
  /** Creates missing hosts and services for this server and those in its settings. */
  autoconfigure(): Promise<void>
}

export const autoconfigure = operation({
  summary: 'Create missing hosts and services of this server and of the servers in its settings',
  description:
    'Adds this server and the services of `TERRANE_MAP_SERVERS` if they are missing; does not change existing ones. Needs the role `admin`.',
  tags: ['monitoring'],
  idempotent: true,
  answers: { 200: OkReply },
  handle: async (deps: AutoconfigureApiDeps) => {
    await deps.autoconfigure()
    return okStatus()
  },
})

const tags = ['monitoring']
const answers = { 200: envelopeReply(Service) }

interface WatchedDeps {
  services: Pick<Services, 'list' | 'listHosts' | 'get' | 'create' | 'update' | 'remove'>
  wire: MonitoringNames
}

export interface ServiceDeps extends WatchedDeps {
  /** Problem of the service's last poll. */
  problemOf(serviceId: number): string | undefined
}

export const listServices = operation({
  summary: 'List services',
  description: 'This server and the monitored map servers and hosts, with the time of the last collection.',
  tags,
  answers: { 200: Type.Object({ services: Type.Array(ShortService) }) },
  handle: async ({ services, wire }: WatchedDeps) => ({
    services: (await services.list()).map((one) => toShortService(one, wire)),
  }),
})

export const showService = operation({
  summary: 'Show one service; url, notes, problem and source for the role admin',
  description: 'Type, host, interval and last collection of one service.',
  tags,
  params: IdParams,
  answers: { 200: envelopeReply(Type.Union([ShortService, Service])) },
  handle: async ({ services, wire, problemOf }: ServiceDeps, request, reply) => {
    const service = await services.get(idOf(request))
    reply.header('etag', etagOf(settingsOf(service))).header('cache-control', 'no-cache')
    const isAdmin = hasRole(request.caller, 'admin')
    return envelope(
      isAdmin ? toFullService(service, wire, problemOf(service.id)) : toShortService(service, wire),
    )
  },
})

export const createService = operation({
  summary: 'Create a service',
  description:
    'Monitors a map server by its access log or monitor, or a host by its node exporter. Needs the role `admin`.',
  tags,
  idempotent: true,
  body: ServiceBody,
  answers,
  handle: async ({ services, wire }: WatchedDeps, request, reply) => {
    const fields = serviceFields(request, wire)
    const values = readNewService({ fields, wire, hosts: await services.listHosts() })
    const service = await services.create(values)
    reply.header('location', request.link(`/monitoring/api/services/${service.id}`))
    return sendService(reply, service, wire)
  },
})

export const changeService = operation({
  summary: 'Change a service',
  description:
    'Changes the members in the body. A password is stored encrypted; `********` keeps the stored one. Needs the role `admin`.',
  tags,
  params: IdParams,
  body: ServiceBody,
  answers,
  handle: async ({ services, wire }: WatchedDeps, request, reply) => {
    const hosts = await services.listHosts()
    const service = await services.update(idOf(request), (before) => {
      requireMatch(request, settingsOf(before))
      return readChange({ fields: serviceFields(request, wire), wire, hosts }, before)
    })
    return sendService(reply, service, wire)
  },
})

export const removeService = operation({
  summary: 'Remove a service and its collected values',
  description: 'Removes the service with all values collected from it. Needs the role `admin`.',
  tags,
  params: IdParams,
  answers: { 200: OkReply },
  handle: async ({ services }: Pick<WatchedDeps, 'services'>, request) => {
    await services.remove(idOf(request), (before) => requireMatch(request, settingsOf(before)))
    return okStatus()
  },
})

function idOf({ params }: { params: { id: string } }): number {
  return pathId(params.id, 'Service')
}

function sendService(reply: FastifyReply, service: ServiceRecord, wire: MonitoringNames) {
  reply.header('etag', etagOf(settingsOf(service)))
  return envelope(toFullService(service, wire))
}

/** Returns the fields covered by the `ETag`: a poll changes none that users edit. */
function settingsOf(service: ServiceRecord): object {
  return without(service, 'lastCheck')
}

/** Reads `{service: {...}}` or the bare object. */
function serviceFields(request: Pick<FastifyRequest, 'body'>, { dialect }: MonitoringNames): Fields {
  const fields = bodyFields(request, dialect)
  return fields.has('service') ? fields.inside('service') : fields
}
