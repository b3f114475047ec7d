import { Type } from 'typebox'
import type { Accounts, User } from '../../access/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import {
  callerName,
  OwnPasswordBody,
  refuseTokens,
  toUserResponse,
  UserBody,
  UserDependentsReply,
  UserList,
  UserReply,
} from './responses.ts'

export type UserDeps = Pick<Accounts, 'users' | 'requireStrength'>

/** Dependencies of operations that change a password. */
export type PasswordDeps = Pick<Accounts, 'users' | 'confirmPassword' | 'requireStrength'>

const tags = ['security']
const params = Type.Object({ name: Type.String({ description: 'Name of a user' }) })

function show(request: FastifyRequest, user: User) {
  return { user: toUserResponse(request, user) }
}

export const listUsers = operation({
  summary: 'List users',
  description:
    'All users with role, mail address and whether they may sign in, by name. Needs the role `admin`.',
  tags,
  answers: { 200: UserList },
  handle: async ({ users }: UserDeps, request) => ({
    users: (await users.list()).map((user) => toUserResponse(request, user)),
  }),
})

export const showUser = operation({
  summary: 'Show one user',
  description:
    'One user by name, without the password. `ETag` names the state for a later `If-Match`. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: UserReply },
  handle: async ({ users }: UserDeps, request, reply) =>
    sendEntity(request, reply, show(request, await users.get(request.params.name))),
})

export const createUser = operation({
  summary: 'Create a user',
  description:
    'Needs `name` and `password` of at least 8 characters; the default role is `user`. Needs the role `admin`.',
  tags,
  idempotent: true,
  body: UserBody,
  answers: { 201: UserReply },
  handle: async (accounts: UserDeps, request, reply) => {
    const { users } = accounts
    const { name, password, email, role, enabled } = request.body.user
    if (name === undefined || password === undefined)
      throw invalid('invalid-body', 'A new user needs "user.name" and "user.password"')
    await accounts.requireStrength(password, { name, isOwn: false })
    const created = show(request, await users.create({ name, password, email, role, isEnabled: enabled }))
    return reply.code(201).header('location', created.user.href).send(created)
  },
})

export const changeUser = operation({
  summary: 'Change a user',
  description:
    'Changes the members in the body. A new password ends the sessions of the user and revokes the API tokens, unless `keepTokens` is true. `enabled: false` ends and revokes both. Administrators who change their own password send `currentPassword`. 409 `last-admin` if no administrator would remain.',
  tags,
  params,
  body: UserBody,
  answers: { 200: UserReply },
  handle: async (deps: PasswordDeps, request) => {
    const { name, password, email, role, enabled, keepTokens, currentPassword } = request.body.user
    const isOwn = request.params.name === request.caller.name
    const revokesTokens = password !== undefined && !isOwn && keepTokens !== true
    const change = { password, email, role, isEnabled: enabled, revokesTokens }
    const changed = await deps.users.change(request.params.name, change, async (current) => {
      requireMatch(request, show(request, current))
      if (name !== undefined && name !== current.name)
        throw invalid('invalid-body', `The name of user "${current.name}" cannot be changed`)
      if (password !== undefined) await deps.requireStrength(password, { name: current.name, isOwn })
      if (isOwn && password !== undefined) await confirmOwnPassword(deps, request, currentPassword)
    })
    return show(request, changed)
  },
})

/** Throws `Failure` unless the caller signed in without a token and gives the password that is valid now. */
async function confirmOwnPassword(
  accounts: PasswordDeps,
  request: FastifyRequest,
  currentPassword: string | undefined,
): Promise<void> {
  if (request.caller.by === 'local') return
  refuseTokens(request)
  if (currentPassword === undefined)
    throw invalid('invalid-body', 'A change of your own password needs "user.currentPassword"')
  await accounts.confirmPassword({ name: callerName(request), password: currentPassword }, request.ip)
}

export const deleteUser = operation({
  summary: 'Delete a user',
  description:
    'Deletes the user with all sessions and API tokens. Layers, imports and downloads of the user remain. The last administrator cannot be deleted (409).',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ users }: UserDeps, request, reply) => {
    await users.delete(request.params.name)
    return reply.code(200).send()
  },
})

const maxNames = 100

export const listUserDependents = operation({
  summary: 'List what is deleted with a user',
  description: 'API tokens and number of sessions that end when the user is deleted. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: UserDependentsReply },
  handle: async ({ users }: UserDeps, request) => {
    const { tokens, sessions } = await users.dependents(request.params.name)
    return { dependents: { tokens: { total: tokens.length, names: tokens.slice(0, maxNames) }, sessions } }
  },
})

export const endUserSessions = operation({
  summary: "End a user's logins of web pages",
  description:
    'The user has to sign in again on the pages; API tokens and the password stay valid. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ users }: UserDeps, request, reply) => {
    await users.endSessions(request.params.name)
    return reply.code(200).send()
  },
})

export const changeOwnPassword = operation({
  summary: 'Change your own password',
  description:
    'Needs the current password, also in a session; an API token is not enough. A password that is easy to guess is rejected with 400 `weak-password` (TERRANE_PASSWORD_STRENGTH). Sessions of the user end, API tokens remain valid. A wrong current password is 403 `wrong-password`; repeated attempts are delayed (429).',
  tags,
  body: OwnPasswordBody,
  answers: { 200: empty() },
  handle: async (deps: PasswordDeps, request, reply) => {
    const { currentPassword, newPassword } = request.body
    await confirmOwnPassword(deps, request, currentPassword)
    await deps.requireStrength(newPassword, { name: callerName(request), isOwn: true })
    await deps.users.change(callerName(request), { password: newPassword })
    return reply.code(200).send()
  },
})
