import { isAbsolute } from 'node:path'
import { Secret } from '../../../../core/secrets/secret.ts'
import {
  type HostRecord,
  type ServiceRecord,
  type ServiceSource,
  type ServiceValues,
  type SourceKind,
  sourceKinds,
  usualSources,
} from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import type { Fields } from '../parameters.ts'

const maxNameLength = 255
const maxNotesLength = 10_000
const hiddenPassword = '********'

/** A service as everyone may see it. */
export function toShortService(service: ServiceRecord, wire: MonitoringNames) {
  const { id, name, type, hostName, checkIntervalSeconds, lastCheck, isActive } = service
  return {
    id,
    name,
    type: wire.serviceType(type),
    host: hostName,
    check_interval: checkIntervalSeconds,
    last_check: lastCheck === undefined ? null : wire.time(Date.parse(lastCheck)),
    active: isActive,
  }
}

/** With what its administrators see. */
export function toFullService(service: ServiceRecord, wire: MonitoringNames, problem?: string) {
  const { password, ...source } = { password: undefined, ...service.source }
  return {
    ...toShortService(service, wire),
    url: service.url,
    notes: service.notes,
    problem: problem ?? null,
    source: { ...source, password: password === undefined ? undefined : hiddenPassword },
  }
}

interface Reading {
  fields: Fields
  wire: MonitoringNames
  hosts: readonly HostRecord[]
}

/** Reads the change in a body; throws `FieldFailure`. */
export function readChange({ fields, wire, hosts }: Reading, before?: ServiceRecord): Partial<ServiceValues> {
  const type = fields.choice('type', wire.serviceTypes)
  const values = {
    name: fields.name('name', maxNameLength),
    type: type === undefined ? undefined : wire.findServiceType(type),
    hostId: readHostId(fields, hosts),
    url: readUrl(fields, 'url', { keepsEmpty: true }),
    notes: fields.text('notes', { maxLength: maxNotesLength, keepsEmpty: true }),
    isActive: fields.flag('active'),
    checkIntervalSeconds: fields.integer('check_interval', { min: 60, max: 86_400 }),
    source: readSource(fields, before?.source),
  }
  if (before !== undefined) fields.finish()
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

/** Reads a new service from a body; throws `FieldFailure`. */
export function readNewService(reading: Reading): ServiceValues {
  const { fields } = reading
  const { name, type, hostId, source, ...rest } = readChange(reading)
  fields.required('name', name)
  fields.required('host', hostId)
  fields.required('type', type)
  const taken = source ?? (type && usualSources[type])
  if (type !== undefined && !fields.hasInside('source')) fields.required('source', taken)
  fields.finish()
  if (name === undefined || type === undefined || hostId === undefined || taken === undefined)
    throw new Error('A service lacks a required attribute')
  return {
    url: '',
    notes: '',
    isActive: true,
    checkIntervalSeconds: 60,
    ...rest,
    name,
    type,
    hostId,
    source: taken,
  }
}

function readHostId(fields: Fields, hosts: readonly HostRecord[]): number | undefined {
  const name = fields.text('host', { maxLength: maxNameLength })
  if (name === undefined) return undefined
  return hosts.find((host) => host.name === name)?.id ?? fields.fail('host', `Host ${name} does not exist`)
}

function readUrl(fields: Fields, name: string, { keepsEmpty = false } = {}): string | undefined {
  const text = fields.text(name, { keepsEmpty })
  if (text === undefined || text === '') return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return fields.fail(name, 'Enter an http or https address.')
  if (url.username === '' && url.password === '') return text
  return fields.fail(name, 'Enter an address without user and password.')
}

function readSource(parent: Fields, before: ServiceSource | undefined): ServiceSource | undefined {
  const fields = parent.inside('source')
  if (fields.names.length === 0) return undefined
  const kind = fields.required('kind', fields.choice('kind', sourceKinds) ?? before?.kind)
  if (kind === undefined || kind === 'own') return kind && { kind }
  const earlier = before?.kind === kind ? before : undefined
  return kind === 'log' ? readLog(fields, earlier) : readRemote(fields, kind, earlier)
}

function readLog(fields: Fields, before: ServiceSource | undefined): ServiceSource | undefined {
  const earlier = before?.kind === 'log' ? before.path : undefined
  const path = fields.required('path', fields.text('path') ?? earlier)
  if (path === undefined) return undefined
  return isAbsolute(path) ? { kind: 'log', path } : fields.fail('path', 'Enter an absolute path.')
}

function readRemote(
  fields: Fields,
  kind: Exclude<SourceKind, 'own' | 'log'>,
  before: ServiceSource | undefined,
): ServiceSource | undefined {
  const earlier = before !== undefined && 'url' in before ? before : undefined
  const url = fields.required('url', readUrl(fields, 'url') ?? earlier?.url)
  const user = fields.text('user', { maxLength: maxNameLength, keepsEmpty: true }) ?? earlier?.user
  const password = readPassword(fields, earlier?.password)
  if (url === undefined) return undefined
  return { kind, url, user: user === undefined || user === '' ? undefined : user, password }
}

/** The mask of a password keeps it; an empty text removes it. */
function readPassword(fields: Fields, before: Secret | undefined): Secret | undefined {
  const text = fields.text('password', { keepsEmpty: true })
  if (text === undefined) return before
  if (text !== hiddenPassword) return text === '' ? undefined : new Secret(text)
  return (
    before ??
    fields.fail('password', '"********" keeps a stored password, and there is none: send the password.')
  )
}
