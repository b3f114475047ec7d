import { askLine, isTerminal } from '../ask.ts'
import type { Environment } from '../options.ts'
import { readChoice, UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { eitherOption, givenOptions, requireChange, runKind } from './run-kind.ts'

const collection = '/rest/security/users'
const tokenFields = ['id', 'name', 'created', 'expires', 'lastUsed']
const roles = ['user', 'staff', 'admin'] as const

function userPath(name: string): string {
  return `${collection}/${encodeURIComponent(name)}`
}

function readRole(role: string | undefined): string | undefined {
  return role === undefined ? undefined : readChoice('--role', role, roles)
}

/** Returns a password from the environment, or typed twice. */
async function newPassword({ env, connect }: ManageContext): Promise<string> {
  const { TERRANE_NEW_PASSWORD: givenOptions } = env
  if (givenOptions !== undefined && givenOptions !== '') return givenOptions
  if (!isTerminal()) throw new UsageError('The new password is needed: set TERRANE_NEW_PASSWORD')
  await connect()
  const password = await askLine('New password: ', { isShown: false })
  const again = await askLine('The same again: ', { isShown: false })
  if (password === again) return password
  throw new UsageError('The two passwords differ')
}

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const users = listOf(await client.get(collection), 'users')
    return { json: { users }, text: listText('users', ['name', 'role', 'email', 'enabled'], users) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => describe(await client.get(userPath(name))),
}

const create: Action = {
  words: ['NAME'],
  options: ['role', 'email'],
  run: async (context, [name = '']) => {
    const { client, values } = context
    const role = readRole(values.role)
    const password = await newPassword(context)
    const user = { name, password, ...givenOptions({ role, email: values.email }) }
    return describe(await client.post(collection, { user }))
  },
}

const change: Action = {
  words: ['NAME'],
  options: ['role', 'email', 'password', 'keep-tokens', 'enable', 'disable'],
  run: async (context, [name = '']) => {
    const { client, values } = context
    if (values['keep-tokens'] === true && values.password !== true)
      throw new UsageError('--keep-tokens belongs to --password')
    const requested = givenOptions({
      role: readRole(values.role),
      email: values.email,
      enabled: eitherOption(values, 'enable', 'disable'),
      password: values.password === true ? await newPassword(context) : undefined,
    })
    requireChange('users change', requested, '--role, --email, --password, --enable or --disable')
    // Administrators who change their own password must confirm the present one.
    const proof =
      values.password === true
        ? givenOptions({
            currentPassword: (await context.connect()).password,
            keepTokens: values['keep-tokens'],
          })
        : {}
    return describe(await client.put(userPath(name), { user: { ...requested, ...proof } }))
  },
}

const remove: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    await client.delete(userPath(name))
    return { json: { deleted: name }, text: `User ${name} is deleted` }
  },
}

const tokens: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    const found = listOf(await client.get(`${userPath(name)}/tokens`), 'tokens')
    return { json: { tokens: found }, text: listText(`tokens of ${name}`, tokenFields, found) }
  },
}

const revoke: Action = {
  words: ['NAME', 'ID'],
  options: [],
  run: async ({ client }, [name = '', id = '']) => {
    await client.delete(`${userPath(name)}/tokens/${encodeURIComponent(id)}`)
    return { json: { revoked: id }, text: `Token ${id} of ${name} is revoked` }
  },
}

const logout: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    await client.delete(`${userPath(name)}/sessions`)
    return { json: { loggedOut: name }, text: `The logins of ${name} are ended` }
  },
}

const ownPassword: Action = {
  words: [],
  options: [],
  needsPassword: true,
  run: async (context) => {
    const newOne = await newPassword(context)
    const { password: currentPassword } = await context.connect()
    await context.client.put('/rest/security/self/password', { currentPassword, newPassword: newOne })
    return { json: { changed: 'password' }, text: 'The password is changed' }
  },
}

function describe(response: unknown) {
  const user = readField(response, 'user')
  return {
    json: response,
    text: fieldsText(['name', 'role', 'email', 'enabled'].map((name) => [name, readString(user, name)])),
  }
}

const users: ManagedType = {
  command: 'users',
  actions: { list, show, create, change, delete: remove, tokens, revoke, logout, password: ownPassword },
}

/** `terrane users` */
export function runUsers(args: string[], env: Environment): Promise<number> {
  return runKind(users, args, env)
}
