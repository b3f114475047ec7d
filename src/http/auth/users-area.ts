import { Type } from 'typebox'
import { deleteSessionsOf } from '../../accounts/session-repository.ts'
import type { User, UserValues } from '../../accounts/user-repository.ts'
import {
  countOtherAdmins,
  deleteUserRow,
  getUser,
  insertUser,
  listUsers,
  updateUser,
} from '../../accounts/user-repository.ts'
import { conflict, invalid } from '../../lib/errors.ts'
import type { Area, HttpContext } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import {
  callerName,
  checkUserName,
  OwnPasswordBody,
  refuseTokens,
  toWireUser,
  UserBody,
  UserReply,
} from './wire.ts'

const tags = ['security']
const Params = Type.Object({ name: Type.String() })
const admin = { access: 'admin' } as const

/** `/rest/security/users[/<name>]` for administrators, `/rest/security/self/password` for everyone. */
export const usersArea: Area = (app, context) => {
  const { kysely } = context.database

  app.get(
    '/rest/security/users',
    { config: admin, schema: { tags, summary: 'List users' } },
    async (request) => ({
      users: (await listUsers(kysely)).map((user) => toWireUser(request, user)),
    }),
  )

  app.get(
    '/rest/security/users/:name',
    { config: admin, schema: { tags, summary: 'One user', params: Params, response: { 200: UserReply } } },
    async (request, reply) =>
      sendEntity(request, reply, { user: toWireUser(request, await getUser(kysely, request.params.name)) }),
  )

  app.post(
    '/rest/security/users',
    {
      config: { access: 'admin', idempotent: true },
      schema: { tags, summary: 'Create a user', body: UserBody, response: { 201: UserReply } },
    },
    async (request, reply) => {
      const user = await createUser(context, request.body.user)
      const wire = toWireUser(request, user)
      return reply.code(201).header('location', wire.href).send({ user: wire })
    },
  )

  app.put(
    '/rest/security/users/:name',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change a user',
        params: Params,
        body: UserBody,
        response: { 200: UserReply },
      },
    },
    async (request) => {
      const user = await getUser(kysely, request.params.name)
      requireMatch(request, { user: toWireUser(request, user) })
      return { user: toWireUser(request, await changeUser(context, user, request.body.user)) }
    },
  )

  app.delete(
    '/rest/security/users/:name',
    { config: admin, schema: { tags, summary: 'Delete a user', params: Params } },
    async (request, reply) => {
      await deleteUser(context, await getUser(kysely, request.params.name))
      return reply.code(200).send()
    },
  )

  app.put(
    '/rest/security/self/password',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Change the own password', body: OwnPasswordBody },
    },
    async (request, reply) => {
      refuseTokens(request)
      const user = await getUser(kysely, callerName(request))
      await changeUser(context, user, { password: request.body.newPassword })
      return reply.code(200).send()
    },
  )
}

interface WantedUser {
  name?: string
  password?: string
  email?: string
  role?: User['role']
}

async function createUser({ database, passwords, clock }: HttpContext, wanted: WantedUser): Promise<User> {
  const { name, password, email, role = 'user' } = wanted
  if (name === undefined || password === undefined)
    throw invalid('invalid-body', 'A new user needs "user.name" and "user.password"')
  checkUserName(name)
  const values = { email, role, passwordHash: await passwords.hash(password) }
  await insertUser(database.kysely, name, values, clock.now().toISOString())
  return getUser(database.kysely, name)
}

async function changeUser(context: HttpContext, user: User, wanted: WantedUser): Promise<User> {
  const { database, passwords, clock } = context
  if (wanted.name !== undefined && wanted.name !== user.name)
    throw invalid('invalid-body', `The name of user "${user.name}" cannot be changed`)
  const { password } = wanted
  const values: UserValues = {
    email: wanted.email ?? user.email,
    role: wanted.role ?? user.role,
    passwordHash: password === undefined ? user.passwordHash : await passwords.hash(password),
  }
  await database.transaction(async (db) => {
    if (values.role !== 'admin') await keepAnAdmin(countOtherAdmins(db, user.name), user)
    await updateUser(db, user.name, values, clock.now().toISOString())
    if (password !== undefined) await deleteSessionsOf(db, user.name)
  })
  return getUser(database.kysely, user.name)
}

async function deleteUser({ database }: HttpContext, user: User): Promise<void> {
  await database.transaction(async (db) => {
    await keepAnAdmin(countOtherAdmins(db, user.name), user)
    await deleteUserRow(db, user.name)
  })
}

async function keepAnAdmin(others: Promise<number>, user: User): Promise<void> {
  if (user.role === 'admin' && (await others) === 0)
    throw conflict('last-admin', `User "${user.name}" is the last with the role admin`)
}
