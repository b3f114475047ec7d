import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { HostRecord } from '../../monitoring/model/records.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { envelopeReply, Host, HostBody, IdParams, OkReply } from './bodies.ts'
import { envelope, okStatus } from './envelope.ts'
import type { Fields } from './parameters.ts'
import { bodyFields, pathId } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const tags = ['monitoring']
const path = '/monitoring/api/hosts'
const reading = { access: 'user' } as const
const changing = { access: 'admin' } as const
const reply = { 200: envelopeReply(Host) }
const maxNameLength = 255

/** `/monitoring/api/hosts[/<id>]`. */
export function addHostRoutes(app: App, scope: MonitoringScope): void {
  const { services } = scope.context

  app.get(
    path,
    {
      config: reading,
      schema: { tags, summary: 'List hosts', response: { 200: Type.Object({ hosts: Type.Array(Host) }) } },
    },
    async () => ({ hosts: await services.listHosts() }),
  )

  app.get(
    `${path}/:id`,
    { config: reading, schema: { tags, summary: 'One host', params: IdParams, response: reply } },
    async (request, answer) => {
      const host = await services.getHost(pathId(request.params.id, 'Host'))
      return sendEntity(request, answer, envelope(host))
    },
  )

  app.post(
    path,
    {
      config: { access: 'admin', idempotent: true },
      schema: { tags, summary: 'Create a host', body: HostBody, response: reply },
    },
    async (request, answer) => {
      const fields = hostFields(request, scope)
      fields.required('name', readName(fields))
      fields.required('ip', readAddress(fields))
      const change = readHost(fields)
      const host = await services.createHost({ name: change.name ?? '', ip: change.ip ?? '' })
      answer.header('location', request.link(`${path}/${host.id}`))
      return envelope(host)
    },
  )

  app.put(
    `${path}/:id`,
    {
      config: changing,
      schema: { tags, summary: 'Change a host', params: IdParams, body: HostBody, response: reply },
    },
    async (request) => {
      const host = await services.getHost(pathId(request.params.id, 'Host'))
      requireMatch(request, envelope(host))
      return envelope(await services.updateHost(host.id, readHost(hostFields(request, scope))))
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: changing,
      schema: { tags, summary: 'Remove a host', params: IdParams, response: { 200: OkReply } },
    },
    async (request) => {
      const host = await services.getHost(pathId(request.params.id, 'Host'))
      requireMatch(request, envelope(host))
      await services.removeHost(host.id)
      return okStatus()
    },
  )
}

/** Of `{host: {...}}` or the bare object. */
function hostFields(request: FastifyRequest, { wire }: MonitoringScope): Fields {
  const fields = bodyFields(request, wire.dialect)
  return fields.has('host') ? fields.inside('host') : fields
}

function readHost(fields: Fields): Partial<Omit<HostRecord, 'id'>> {
  const [name, ip] = [readName(fields), readAddress(fields)]
  fields.finish()
  return { ...(name === undefined ? {} : { name }), ...(ip === undefined ? {} : { ip }) }
}

function readName(fields: Fields): string | undefined {
  return fields.name('name', maxNameLength)
}

function readAddress(fields: Fields): string | undefined {
  const ip = fields.text('ip')
  if (ip === undefined || isIP(ip) !== 0) return ip
  return fields.fail('ip', 'Enter a valid IPv4 or IPv6 address.')
}
