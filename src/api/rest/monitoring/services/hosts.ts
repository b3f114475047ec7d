import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Services } from '../../../../monitoring/index.ts'
import type { HostRecord } from '../../../../monitoring/query/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { requireMatch, sendEntity } from '../../../etag.ts'
import { envelopeReply, Host, HostBody, IdParams, OkReply } from '../bodies.ts'
import { envelope, okStatus } from '../envelope.ts'
import type { Fields } from '../parameters.ts'
import { bodyFields, pathId } from '../parameters.ts'

const tags = ['monitoring']
const answers = { 200: envelopeReply(Host) }
const maxNameLength = 255

export interface HostDeps {
  services: Pick<Services, 'listHosts' | 'getHost' | 'createHost' | 'updateHost' | 'removeHost'>
  wire: MonitoringNames
}

export const listHosts = operation({
  summary: 'List hosts',
  description: 'Hosts that services run on, with name and address.',
  tags,
  answers: { 200: Type.Object({ hosts: Type.Array(Host) }) },
  handle: async ({ services }: HostDeps) => ({ hosts: await services.listHosts() }),
})

export const showHost = operation({
  summary: 'Show one host',
  description: 'Name and address of one host.',
  tags,
  params: IdParams,
  answers,
  handle: async ({ services }: HostDeps, request, reply) =>
    sendEntity(request, reply, envelope(await services.getHost(idOf(request)))),
})

export const createHost = operation({
  summary: 'Create a host',
  description: 'A host is a name and an address that services are assigned to. Needs the role `admin`.',
  tags,
  idempotent: true,
  body: HostBody,
  answers,
  handle: async ({ services, wire }: HostDeps, request, reply) => {
    const host = await services.createHost(readNewHost(hostFields(request, wire)))
    reply.header('location', request.link(`/monitoring/api/hosts/${host.id}`))
    return envelope(host)
  },
})

export const changeHost = operation({
  summary: 'Change a host',
  description: 'Changes name or address of a host. Needs the role `admin`.',
  tags,
  params: IdParams,
  body: HostBody,
  answers,
  handle: async ({ services, wire }: HostDeps, request) =>
    envelope(
      await services.updateHost(idOf(request), (before) => {
        requireMatch(request, envelope(before))
        return readHost(hostFields(request, wire))
      }),
    ),
})

export const removeHost = operation({
  summary: 'Remove a host',
  description: 'Removes a host that no service is assigned to. Needs the role `admin`.',
  tags,
  params: IdParams,
  answers: { 200: OkReply },
  handle: async ({ services }: HostDeps, request) => {
    await services.removeHost(idOf(request), (before) => requireMatch(request, envelope(before)))
    return okStatus()
  },
})

function idOf({ params }: { params: { id: string } }): number {
  return pathId(params.id, 'Host')
}

/** Reads `{host: {...}}` or the bare object. */
function hostFields(request: Pick<FastifyRequest, 'body'>, { dialect }: MonitoringNames): Fields {
  const fields = bodyFields(request, dialect)
  return fields.has('host') ? fields.inside('host') : fields
}

function readNewHost(fields: Fields): Omit<HostRecord, 'id'> {
  fields.required('name', readName(fields))
  fields.required('ip', readAddress(fields))
  const { name = '', ip = '' } = readHost(fields)
  return { name, ip }
}

function readHost(fields: Fields): Partial<Omit<HostRecord, 'id'>> {
  const [name, ip] = [readName(fields), readAddress(fields)]
  fields.finish()
  return { name, ip }
}

function readName(fields: Fields): string | undefined {
  return fields.name('name', maxNameLength)
}

function readAddress(fields: Fields): string | undefined {
  const ip = fields.text('ip')
  if (ip === undefined || isIP(ip) !== 0) return ip
  return fields.fail('ip', 'Enter a valid IPv4 or IPv6 address.')
}
