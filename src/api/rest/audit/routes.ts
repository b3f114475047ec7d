import { Type } from 'typebox'
import type { AuditLog, AuditSealer, EntryFilter, StoredEntry } from '../../../audit/index.ts'
import { auditOutcomes } from '../../../audit/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { media } from '../../description.ts'
import { endpoint, operation } from '../../endpoint.ts'

/** Dependencies of the audit log's operations. */
interface AuditDeps {
  log: Pick<AuditLog, 'list' | 'dropped' | 'flush'>
  sealer: Pick<AuditSealer, 'verify'>
}

const tags = ['audit']
const defaultLimit = 100
const maxLimit = 100_000

const Entry = Type.Object(
  {
    time: Type.String(),
    user: Type.Union([Type.String(), Type.Null()]),
    via: Type.String({ description: '`password`, `token`, `oidc`, `ldap`, `header`, `system`, or `none`' }),
    address: Type.Union([Type.String(), Type.Null()]),
    action: Type.String({ description: 'Such as `user.change` or `sign-in`' }),
    outcome: Type.Union(auditOutcomes.map((one) => Type.Literal(one))),
    resource: Type.Union([Type.String(), Type.Null()]),
    before: Type.Unknown({
      description: 'State before the change, without secrets; null where there is none',
    }),
    after: Type.Unknown({ description: 'State after the change; of an edit the version of the layer' }),
    request: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the request, as in its `X-Request-Id`',
    }),
  },
  { title: 'AuditEntry' },
)

const Query = Type.Object({
  from: Type.Optional(Type.String({ description: 'ISO 8601 time or day, inclusive' })),
  to: Type.Optional(Type.String({ description: 'ISO 8601 time, exclusive; a day is included whole' })),
  user: Type.Optional(Type.String({ description: 'Name of a user' })),
  action: Type.Optional(Type.String({ description: 'An action or its prefix: `user` for `user.change`' })),
  resource: Type.Optional(
    Type.String({ description: 'A layer, a workspace, a path, or the path of a collection' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 100,
      description: '`next` of a response: entries after those of that response',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, description: 'Default 100' })),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'Default: by `Accept`' }),
  ),
})

const listAuditEntries = operation({
  summary: 'Audit log',
  description:
    'Changes, sign-ins and refused administration, the newest first. CSV by `format=csv` or `Accept: text/csv`. `next` is there if older entries follow: give it as `after`. `dropped` is the number of entries that this server could not store since its start. Needs the role `admin`.',
  tags,
  query: Query,
  answers: {
    200: media('Entries', {
      'application/json': Type.Object({
        entries: Type.Array(Entry),
        next: Type.Optional(Type.String({ description: 'Value of `after` for older entries' })),
        dropped: Type.Integer(),
      }),
      'text/csv': Type.String(),
    }),
  },
  handle: async ({ log }: AuditDeps, request, reply) => {
    const { limit = defaultLimit, format, from, to, after, ...rest } = request.query
    const filter: EntryFilter = {
      ...rest,
      from: parseTime('from', from),
      to: parseTime('to', to),
      after: parseAfter(after),
    }
    // One more tells whether older entries follow.
    const found = await log.list(filter, limit + 1)
    const listed = found.slice(0, limit)
    const entries = listed.map(toWire)
    reply.header('cache-control', 'no-store')
    const isCsv =
      format === 'csv' || (format === undefined && /^text\/csv\b/.test(request.headers.accept ?? ''))
    if (!isCsv)
      return {
        entries,
        next: found.length > limit ? toAfter(listed.at(-1)) : undefined,
        dropped: log.dropped,
      }
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="audit.csv"')
      .send(toCsv(entries))
  },
})

const verifyAuditLog = operation({
  summary: 'Verify the audit log',
  description:
    'Checks the seals of all days and the entries that they cover: finds changed, missing and inserted entries and seals. Needs the role `admin`.',
  tags,
  answers: {
    200: Type.Object({
      verification: Type.Object({
        intact: Type.Boolean(),
        days: Type.Integer(),
        entries: Type.Integer(),
        lastDay: Type.Optional(Type.String()),
        problems: Type.Array(Type.Object({ day: Type.String(), text: Type.String() })),
      }),
    }),
  },
  handle: async ({ log, sealer }: AuditDeps, _request, reply) => {
    await log.flush()
    const { isIntact, ...verification } = await sealer.verify()
    return reply
      .header('cache-control', 'no-store')
      .send({ verification: { intact: isIntact, ...verification } })
  },
})

/** The audit log. */
export const auditEndpoints = [
  endpoint('GET', '/rest/audit', 'admin', 'view', { listAuditEntries }),
  endpoint('GET', '/rest/audit/verification', 'admin', 'view', { verifyAuditLog }),
]

function parseTime(name: 'from' | 'to', text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw invalid('invalid-parameter', `"${name}" must be an ISO 8601 time, found "${text}"`)
  const dayMs = 86_400_000
  return new Date(isDay && name === 'to' ? time + dayMs : time).toISOString()
}

function toAfter(entry: StoredEntry | undefined): string | undefined {
  return entry === undefined ? undefined : `${entry.time}_${entry.id}`
}

function parseAfter(text: string | undefined): EntryFilter['after'] {
  if (text === undefined) return undefined
  const [, time, id] = /^(\d{4}-[\dT:.-]{1,30}Z)_(\d{1,15})$/.exec(text) ?? []
  if (time !== undefined && id !== undefined) return { time, id: Number(id) }
  throw invalid('invalid-parameter', `"after" must be the "next" of a response, found "${text}"`)
}

function toWire({
  time,
  user,
  via,
  address,
  action,
  outcome,
  resource,
  before,
  after,
  request,
}: StoredEntry) {
  return {
    time,
    user: user ?? null,
    via,
    address: address ?? null,
    action,
    outcome,
    resource: resource ?? null,
    before: parseState(before),
    after: parseState(after),
    request: request ?? null,
  }
}

function parseState(text: string | undefined): unknown {
  return text === undefined ? null : JSON.parse(text)
}

const columns = [
  'time',
  'user',
  'via',
  'address',
  'action',
  'outcome',
  'resource',
  'before',
  'after',
  'request',
] as const

function toCsv(entries: readonly ReturnType<typeof toWire>[]): string {
  const lines = entries.map((entry) => columns.map((name) => toCell(entry[name])).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

/** A spreadsheet must not run a text of a client as a formula. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
