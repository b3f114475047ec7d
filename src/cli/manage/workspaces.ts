import { ownValue } from '../../core/values/record-keys.ts'
import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
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
  const response = await client.get(collection)
  return listOf(readField(response, 'workspaces'), 'workspace').map((one) => readString(one, 'name'))
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
    return { json: { workspaces }, text: listText('workspaces', ['name', 'public', 'default'], workspaces) }
  },
}

const quotaKinds = ['bytes', 'layers', 'versions'] as const
const quotaOptions = ['quota-bytes', 'quota-layers', 'quota-versions'] as const
const byteUnits: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

/** Reads a limit: a number, for bytes with a unit such as `10 GiB`, or `none`. */
function readLimit(kind: (typeof quotaKinds)[number], text: string): number | 'none' {
  if (text === 'none') return text
  const pattern = kind === 'bytes' ? /^(\d+(?:\.\d+)?)\s*(?:([kmgt])i?)?b?$/i : /^(\d+)()$/
  const [, digits, unit = ''] = pattern.exec(text) ?? []
  const value = Math.round(Number(digits) * (ownValue(byteUnits, unit.toLowerCase()) ?? 1))
  if (digits !== undefined && Number.isSafeInteger(value)) return value
  const example = kind === 'bytes' ? '10GiB' : '100'
  throw new UsageError(`--quota-${kind} takes a number such as ${example}, or none; found "${text}"`)
}

/** Returns the limits in the options; undefined if there are none. */
function readQuota(values: Partial<Record<(typeof quotaOptions)[number], string>>): object | undefined {
  const limits = quotaKinds.flatMap((kind) => {
    const text = values[`quota-${kind}`]
    return text === undefined ? [] : [[kind, readLimit(kind, text)] as const]
  })
  return limits.length === 0 ? undefined : Object.fromEntries(limits)
}

const show: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    const response = await client.get(workspacePath(name))
    // Not for callers who only read the workspace.
    const usage = await client.get(`${workspacePath(name)}/usage`).catch(() => undefined)
    return describe({ ...Object(response), ...Object(usage) })
  },
}

const create: Action = {
  words: ['NAME'],
  options: ['public', 'private', 'default', ...quotaOptions],
  run: async ({ client, values }, [name = '']) => {
    const quota = readQuota(values)
    const body = { name, ...givenOptions({ public: eitherOption(values, 'public', 'private'), quota }) }
    return describe(
      await client.post(`${collection}${values.default === true ? '?default=true' : ''}`, {
        workspace: body,
      }),
    )
  },
}

const change: Action = {
  words: ['NAME'],
  options: ['public', 'private', 'default', ...quotaOptions],
  run: async ({ client, values }, [name = '']) => {
    const quota = readQuota(values)
    const requested = givenOptions({ public: eitherOption(values, 'public', 'private'), quota })
    requireChange(
      'workspaces change',
      givenOptions({ ...requested, default: values.default }),
      '--public, --private, --default, --quota-bytes, --quota-layers, --quota-versions',
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
    return { json: { deleted: name }, text: `Workspace ${name} is deleted` }
  },
}

function describe(response: unknown) {
  const workspace = readField(response, 'workspace')
  const quota = readField(workspace, 'quota')
  const usage = readField(response, 'usage')
  const fields = ['name', 'public', 'dateCreated', 'dateModified']
  const shown: [string, string][] = fields.map((name) => [name, readString(workspace, name)])
  for (const kind of quotaKinds) {
    const used = readField(readField(usage, kind), 'used')
    const limit = readField(quota, kind)
    const most = limit === undefined ? '' : `at most ${String(limit)}`
    if (used !== undefined) shown.push([kind, most === '' ? String(used) : `${String(used)} of ${most}`])
    else if (most !== '') shown.push([kind, most])
  }
  return { json: response, text: fieldsText(shown) }
}

const workspaces: ManagedType = {
  command: 'workspaces',
  actions: { list, show, create, change, delete: remove },
}

/** `terrane workspaces` */
export function runWorkspaces(args: string[], env: Environment): Promise<number> {
  return runKind(workspaces, args, env)
}
