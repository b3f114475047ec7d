import type { Environment } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManagedType } from './run-kind.ts'
import { givenOptions, runKind } from './run-kind.ts'

const collection = '/rest/security/tokens'
const fields = ['id', 'name', 'created', 'expires', 'lastUsed']
const needsPassword = true

function tokenPath(id: string): string {
  return `${collection}/${encodeURIComponent(id)}`
}

const list: Action = {
  words: [],
  options: [],
  needsPassword,
  run: async ({ client }) => {
    const tokens = listOf(await client.get(collection), 'tokens')
    return { json: { tokens }, text: listText('tokens of this user', fields, tokens) }
  },
}

const show: Action = {
  words: ['ID'],
  options: [],
  needsPassword,
  run: async ({ client }, [id = '']) => describe(await client.get(tokenPath(id))),
}

const create: Action = {
  words: ['NAME'],
  options: ['expires'],
  needsPassword,
  run: async ({ client, values: { expires } }, [name = '']) =>
    describe(await client.post(collection, { token: { name, ...givenOptions({ expires }) } })),
}

const remove: Action = {
  words: ['ID'],
  options: [],
  needsPassword,
  run: async ({ client }, [id = '']) => {
    await client.delete(tokenPath(id))
    return { json: { deleted: id }, text: `Token ${id} is revoked` }
  },
}

function describe(response: unknown) {
  const token = readField(response, 'token')
  const value = readString(token, 'value')
  const text = fieldsText(fields.map((name) => [name, readString(token, name)]))
  return { json: response, text: value === '' ? text : `${text}\n\n${value}\nIt is shown only now.` }
}

const tokens: ManagedType = { command: 'tokens', actions: { list, show, create, delete: remove } }

/** `terrane tokens`: tokens of the authenticated user. */
export function runTokens(args: string[], env: Environment): Promise<number> {
  return runKind(tokens, args, env)
}
