import { Type } from 'typebox'
import type { Accounts } from '../../accounts/accounts.ts'
import type { User } from '../../accounts/records.ts'
import { invalid } from '../../lib/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import {
  callerName,
  OwnPasswordBody,
  refuseTokens,
  toWireUser,
  UserBody,
  UserDependentsReply,
  UserList,
  UserReply,
} from './wire.ts'

export type UserParts = Pick<Accounts, 'users'>

const tags = ['security']
const params = Type.Object({ name: Type.String() })

function show(request: FastifyRequest, user: User) {
  return { user: toWireUser(request, user) }
}

export const listUsers = operation({
  summary: 'List users',
  tags,
  answers: { 200: UserList },
  handle: async ({ users }: UserParts, request) => ({
    users: (await users.list()).map((user) => toWireUser(request, user)),
  }),
})

export const showUser = operation({
  summary: 'One user',
  tags,
  params,
  answers: { 200: UserReply },
  handle: async ({ users }: UserParts, request, reply) =>
    sendEntity(request, reply, show(request, await users.get(request.params.name))),
})

export const createUser = operation({
  summary: 'Create a user',
  tags,
  idempotent: true,
  body: UserBody,
  answers: { 201: UserReply },
  handle: async ({ users }: UserParts, request, reply) => {
    const { name, password, enabled, ...rest } = request.body.user
    if (name === undefined || password === undefined)
      throw invalid('invalid-body', 'A new user needs "user.name" and "user.password"')
    const created = show(request, await users.create({ name, password, ...rest, isEnabled: enabled }))
    return reply.code(201).header('location', created.user.href).send(created)
  },
})

export const changeUser = operation({
  summary: 'Change a user',
  tags,
  params,
  body: UserBody,
  answers: { 200: UserReply },
  handle: async ({ users }: UserParts, request) => {
    const { name, enabled, ...rest } = request.body.user
    const change = { ...rest, isEnabled: enabled }
    const changed = await users.change(request.params.name, change, (current) => {
      requireMatch(request, show(request, current))
      if (name !== undefined && name !== current.name)
        throw invalid('invalid-body', `The name of user "${current.name}" cannot be changed`)
    })
    return show(request, changed)
  },
})

export const deleteUser = operation({
  summary: 'Delete a user',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ users }: UserParts, request, reply) => {
    await users.delete(request.params.name)
    return reply.code(200).send()
  },
})

const mostNames = 100

export const listUserDependents = operation({
  summary: 'What goes with a user who is deleted',
  tags,
  params,
  answers: { 200: UserDependentsReply },
  handle: async ({ users }: UserParts, request) => {
    const { tokens, sessions } = await users.dependents(request.params.name)
    return { dependents: { tokens: { total: tokens.length, names: tokens.slice(0, mostNames) }, sessions } }
  },
})

export const endUserSessions = operation({
  summary: "End a user's logins of web pages",
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ users }: UserParts, request, reply) => {
    await users.endSessions(request.params.name)
    return reply.code(200).send()
  },
})

export const changeOwnPassword = operation({
  summary: 'Change the own password',
  tags,
  body: OwnPasswordBody,
  answers: { 200: empty() },
  handle: async ({ users }: UserParts, request, reply) => {
    refuseTokens(request)
    await users.change(callerName(request), { password: request.body.newPassword })
    return reply.code(200).send()
  },
})
