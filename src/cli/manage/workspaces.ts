import type { Environment } from '../options.ts'
import type { RestRequests } from '../rest-client.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManagedType } from './run-kind.ts'
import { eitherOption, givenOptions, requireChange, runKind } from './run-kind.ts'

const collection = '/rest/workspaces'

export function workspacePath(name: string): string {
  return `${collection}/${encodeURIComponent(name)}`
}

export async function workspaceNames(client: RestRequests): Promise<string[]> {
  const answer = await client.get(collection)
  return listOf(readField(answer, 'workspaces'), 'workspace').map((one) => readString(one, 'name'))
}

/** Returns the default workspace. */
export async function defaultWorkspace(client: RestRequests): Promise<string> {
  return readString(readField(await client.get(`${collection}/default`), 'workspace'), 'name')
}

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const preferred = await defaultWorkspace(client).catch(() => '')
    const workspaces: object[] = []
    for (const name of await workspaceNames(client)) {
      const one = readField(await client.get(workspacePath(name)), 'workspace')
      workspaces.push({ name, public: readField(one, 'public') === true, default: name === preferred })
    }
    return { answer: { workspaces }, text: listText('workspaces', ['name', 'public', 'default'], workspaces) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => describe(await client.get(workspacePath(name))),
}

const create: Action = {
  words: ['NAME'],
  options: ['public', 'private', 'default'],
  run: async ({ client, values }, [name = '']) => {
    const body = { name, ...givenOptions({ public: eitherOption(values, 'public', 'private') }) }
    return describe(
      await client.post(`${collection}${values.default === true ? '?default=true' : ''}`, {
        workspace: body,
      }),
    )
  },
}

const change: Action = {
  words: ['NAME'],
  options: ['public', 'private', 'default'],
  run: async ({ client, values }, [name = '']) => {
    const requested = givenOptions({ public: eitherOption(values, 'public', 'private') })
    requireChange(
      'workspaces change',
      givenOptions({ ...requested, default: values.default }),
      '--public, --private, --default',
    )
    if (values.default === true) await client.put(`${collection}/default`, { workspace: { name } })
    return describe(await client.put(workspacePath(name), { workspace: requested }))
  },
}

const remove: Action = {
  words: ['NAME'],
  options: ['recurse'],
  run: async ({ client, values }, [name = '']) => {
    await client.delete(`${workspacePath(name)}${values.recurse === true ? '?recurse=true' : ''}`)
    return { answer: { deleted: name }, text: `Workspace ${name} is deleted` }
  },
}

function describe(answer: unknown) {
  const workspace = readField(answer, 'workspace')
  const text = fieldsText(
    ['name', 'public', 'dateCreated', 'dateModified'].map((name) => [name, readString(workspace, name)]),
  )
  return { answer, text }
}

const workspaces: ManagedType = {
  command: 'workspaces',
  actions: { list, show, create, change, delete: remove },
}

/** `terrane workspaces` */
export function runWorkspaces(args: string[], env: Environment): Promise<number> {
  return runKind(workspaces, args, env)
}
