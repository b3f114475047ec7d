import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Resource } from '../../lib/resource.ts'
import { query } from '../../lib/router.ts'

type Reply = Calls['GET /rest/audit']['answer']
export type AuditEntry = Reply['entries'][number]

/** Parameters of the address that filter the entries; the endpoint has the same. */
export const termNames = ['user', 'action', 'resource', 'from', 'to'] as const

const perPage = 100
/** Limit of the endpoint. */
export const maxInCsv = 100_000

export function auditTerms(): NonNullable<Call['query']> {
  return Object.fromEntries(termNames.map((name) => [name, query.value.get(name) || undefined]))
}

export function auditCall(): Call {
  const after = query.value.get('after') || undefined
  return { path: '/rest/audit', query: { ...auditTerms(), limit: perPage, after } }
}

export const auditLog = new Resource((signal) => call<Reply>(auditCall(), signal))
