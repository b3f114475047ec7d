import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import { importPermissions } from './import-permissions.ts'
import type { Action, ManagedType } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const collection = '/rest/security/permissions'
const fields = ['id', 'subject', 'resource', 'actions']

/** Reads `user:anna`, `group:gis`, `everyone` or `authenticated`. */
function readSubject(text: string): object {
  if (text === 'everyone' || text === 'authenticated') return { [text]: true }
  const [kind = '', ...rest] = text.split(':')
  const name = rest.join(':')
  if ((kind === 'user' || kind === 'group') && name !== '') return { [kind]: name }
  throw new UsageError(`A subject is user:NAME, group:NAME, everyone or authenticated; found "${text}"`)
}

function writeSubject(subject: unknown): string {
  const [[kind = '', name] = []] = Object.entries(Object(subject))
  return name === true ? kind : `${kind}:${String(name)}`
}

function toRow(permission: unknown): Record<string, unknown> {
  return {
    ...Object(permission),
    subject: writeSubject(readField(permission, 'subject')),
    actions: listOf(permission, 'actions').map(String).join(','),
  }
}

const list: Action = {
  words: ['RESOURCE'],
  hasOptionalWord: true,
  options: [],
  run: async ({ client }, [resource]) => {
    const query = resource === undefined ? '' : `?resource=${encodeURIComponent(resource)}`
    const permissions = listOf(await client.get(collection + query), 'permissions')
    return { json: { permissions }, text: listText('permissions', fields, permissions.map(toRow)) }
  },
}

const create: Action = {
  words: ['SUBJECT', 'RESOURCE', 'ACTIONS'],
  options: [],
  run: async ({ client }, [subject = '', resource = '', actions = '']) => {
    const permission = { subject: readSubject(subject), resource, actions: actions.split(',') }
    const response = await client.post(collection, { permission })
    const row = toRow(readField(response, 'permission'))
    return {
      json: response,
      text: fieldsText(fields.map((name) => [name, readString(row, name) ?? String(row[name])])),
    }
  },
}

const remove: Action = {
  words: ['ID'],
  options: [],
  run: async ({ client }, [id = '']) => {
    await client.delete(`${collection}/${encodeURIComponent(id)}`)
    return { json: { deleted: id }, text: `Permission ${id} is deleted` }
  },
}

const permissions: ManagedType = {
  command: 'permissions',
  actions: { list, create, delete: remove, import: importPermissions },
}

/** `terrane permissions` */
export function runPermissions(args: string[], env: Environment): Promise<number> {
  return runKind(permissions, args, env)
}

const explain: Action = {
  words: ['RESOURCE', 'USER'],
  hasOptionalWord: true,
  options: [],
  run: async ({ client }, [resource = '', user]) => {
    const query = new URLSearchParams({ resource })
    if (user !== undefined) query.set('user', user)
    const response = await client.get(`/rest/security/access?${query}`)
    const decisions = listOf(readField(response, 'access'), 'decisions').map((one) => ({
      ...Object(one),
      allowed: readField(one, 'allowed') === true ? 'yes' : 'no',
    }))
    return { json: response, text: listText('decisions', ['action', 'allowed', 'reason'], decisions) }
  },
}

/** `terrane access explain` */
export function runAccess(args: string[], env: Environment): Promise<number> {
  return runKind({ command: 'access', actions: { explain } }, args, env)
}
