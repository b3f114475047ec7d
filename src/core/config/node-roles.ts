import type { Secret } from '../secrets/secret.ts'
import type { NodeRole } from './node-role.ts'
import { nodeRoles } from './node-role.ts'
import type { Reader } from './parse.ts'

/** Reads `TERRANE_ROLES`. An embedded catalogue has one server, which does everything. */
export function readRoles(read: Reader, databaseUrl: Secret | undefined): NodeRole[] {
  const text = read.text('TERRANE_ROLES', { type: 'list', default: 'serve,work' }) ?? ''
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const unknown = names.find((name) => !nodeRoles.some((role) => role === name))
  if (unknown !== undefined)
    read.problem('TERRANE_ROLES', `names "${unknown}": the roles are ${nodeRoles.join(' and ')}`)
  const roles = names.length === 0 ? [...nodeRoles] : nodeRoles.filter((role) => names.includes(role))
  if (databaseUrl === undefined && unknown === undefined && roles.length < nodeRoles.length)
    read.problem(
      'TERRANE_ROLES',
      'must be serve,work with an embedded catalogue, which has one server: set TERRANE_DATABASE_URL for several',
    )
  return roles
}
