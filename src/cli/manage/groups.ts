import type { Environment } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManagedType } from './run-kind.ts'
import { givenOptions, requireChange, runKind } from './run-kind.ts'

const collection = '/rest/security/groups'

function groupPath(name: string): string {
  return `${collection}/${encodeURIComponent(name)}`
}

function withMembers(group: unknown): Record<string, unknown> {
  const members = listOf(group, 'members').map(String)
  return { ...Object(group), members: members.join(', ') }
}

function describe(response: unknown) {
  const group = withMembers(readField(response, 'group'))
  const fields = ['name', 'title', 'source', 'members']
  return { json: response, text: fieldsText(fields.map((name) => [name, readString(group, name)])) }
}

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const groups = listOf(await client.get(collection), 'groups')
    const fields = ['name', 'title', 'source', 'members']
    return { json: { groups }, text: listText('groups', fields, groups.map(withMembers)) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => describe(await client.get(groupPath(name))),
}

const create: Action = {
  words: ['NAME'],
  options: ['title', 'member'],
  run: async ({ client, values }, [name = '']) => {
    const group = { name, ...givenOptions({ title: values.title, members: values.member }) }
    return describe(await client.post(collection, { group }))
  },
}

const change: Action = {
  words: ['NAME'],
  options: ['name', 'title', 'member'],
  run: async ({ client, values }, [name = '']) => {
    const requested = givenOptions({ name: values.name, title: values.title, members: values.member })
    requireChange('groups change', requested, '--name, --title or --member')
    return describe(await client.put(groupPath(name), { group: requested }))
  },
}

const remove: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    await client.delete(groupPath(name))
    return { json: { deleted: name }, text: `Group ${name} is deleted with its permissions` }
  },
}

const groups: ManagedType = { command: 'groups', actions: { list, show, create, change, delete: remove } }

/** `terrane groups` */
export function runGroups(args: string[], env: Environment): Promise<number> {
  return runKind(groups, args, env)
}
