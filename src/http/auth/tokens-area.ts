import { Type } from 'typebox'
import { notFound } from '../../lib/errors.ts'
import type { Area } from '../app-types.ts'
import { deleteToken, insertToken, listTokens } from './token-repository.ts'
import { callerName, parseExpiry, refuseTokens, TokenBody, TokenReply, toWireToken } from './wire.ts'

const tags = ['security']
const Params = Type.Object({ id: Type.String() })
const config = { access: 'user' } as const

function unknownToken(id: string): Error {
  return notFound('unknown-token', `Token ${id} does not exist`)
}

/** `/rest/security/tokens[/<id>]`: the caller's own API tokens. */
export const tokensArea: Area = (app, { database, clock }) => {
  const { kysely } = database

  app.get(
    '/rest/security/tokens',
    { config, schema: { tags, summary: 'List own tokens' } },
    async (request) => ({
      tokens: (await listTokens(kysely, callerName(request))).map((token) => toWireToken(request, token)),
    }),
  )

  app.get(
    '/rest/security/tokens/:id',
    { config, schema: { tags, summary: 'One own token', params: Params, response: { 200: TokenReply } } },
    async (request) => {
      const { id } = request.params
      const token = (await listTokens(kysely, callerName(request))).find((one) => String(one.id) === id)
      if (token === undefined) throw unknownToken(id)
      return { token: toWireToken(request, token) }
    },
  )

  app.post(
    '/rest/security/tokens',
    {
      config,
      schema: {
        tags,
        summary: 'Create a token; its value is shown this once',
        body: TokenBody,
        response: { 201: TokenReply },
      },
    },
    async (request, reply) => {
      refuseTokens(request)
      const now = clock.now()
      const { name, expires } = request.body.token
      const expiresAt = parseExpiry(expires, now)
      const at = now.toISOString()
      const wanted = { userName: callerName(request), caption: name, expiresAt, at }
      const { id, text } = await insertToken(kysely, wanted)
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
  )

  app.delete(
    '/rest/security/tokens/:id',
    { config, schema: { tags, summary: 'Revoke an own token', params: Params } },
    async (request, reply) => {
      const { id } = request.params
      const isDeleted = /^\d{1,15}$/.test(id) && (await deleteToken(kysely, callerName(request), Number(id)))
      if (!isDeleted) throw unknownToken(id)
      return reply.code(200).send()
    },
  )
}
