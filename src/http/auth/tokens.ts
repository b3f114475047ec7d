import { Type } from 'typebox'
import { deleteToken, insertToken, listTokens } from '../../accounts/token-repository.ts'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import {
  callerName,
  parseExpiry,
  refuseTokens,
  TokenBody,
  TokenList,
  TokenReply,
  toWireToken,
} from './wire.ts'

const tags = ['security']
const params = Type.Object({ id: Type.String() })

export interface TokenParts {
  database: Database
  clock: Clock
}

function unknownToken(id: string): Error {
  return notFound('unknown-token', `Token ${id} does not exist`)
}

export const listOwnTokens = operation({
  summary: 'List own tokens',
  tags,
  answers: { 200: TokenList },
  handle: async ({ database }: TokenParts, request) => ({
    tokens: (await listTokens(database.kysely, callerName(request))).map((one) => toWireToken(request, one)),
  }),
})

export const showToken = operation({
  summary: 'One own token',
  tags,
  params,
  answers: { 200: TokenReply },
  handle: async ({ database }: TokenParts, request) => {
    const { id } = request.params
    const token = (await listTokens(database.kysely, callerName(request))).find(
      (one) => String(one.id) === id,
    )
    if (token === undefined) throw unknownToken(id)
    return { token: toWireToken(request, token) }
  },
})

export const createToken = operation({
  summary: 'Create a token; its value is shown this once',
  tags,
  body: TokenBody,
  answers: { 201: TokenReply },
  handle: async ({ database, clock }: TokenParts, request, reply) => {
    refuseTokens(request)
    const now = clock.now()
    const { name, expires } = request.body.token
    const expiresAt = parseExpiry(expires, now)
    const at = now.toISOString()
    const wanted = { userName: callerName(request), caption: name, expiresAt, at }
    const { id, text } = await insertToken(database.kysely, wanted)
    const wire = toWireToken(request, {
      id,
      caption: name,
      createdAt: at,
      expiresAt,
      lastUsedAt: undefined,
    })
    return reply
      .code(201)
      .header('location', wire.href)
      .header('cache-control', 'no-store')
      .send({ token: { ...wire, value: text } })
  },
})

export const revokeToken = operation({
  summary: 'Revoke an own token',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ database }: TokenParts, request, reply) => {
    const { id } = request.params
    const isDeleted =
      /^\d{1,15}$/.test(id) && (await deleteToken(database.kysely, callerName(request), Number(id)))
    if (!isDeleted) throw unknownToken(id)
    return reply.code(200).send()
  },
})
