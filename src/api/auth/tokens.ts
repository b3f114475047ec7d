import { Type } from 'typebox'
import type { Accounts, TokenLimits } from '../../access/index.ts'
import { invalid, notFound } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import {
  callerName,
  parseExpiry,
  refuseTokens,
  TokenBody,
  TokenList,
  TokenReply,
  toTokenResponse,
} from './responses.ts'

const tags = ['security']
const params = Type.Object({ id: Type.String({ description: 'Id of an API token' }) })
const ofUser = Type.Object({ name: Type.String({ description: 'Name of a user' }) })

export interface TokenDeps {
  tokens: Accounts['tokens']
  clock: Clock
}

/** Dependencies of listing other users' tokens. */
export interface UserTokenDeps {
  users: Pick<Accounts['users'], 'get'>
  tokens: Accounts['tokens']
}

function unknownToken(id: string): Error {
  return notFound('unknown-token', `Token ${id} does not exist`)
}

export const listOwnTokens = operation({
  summary: 'List own tokens',
  description:
    'API tokens of the caller with creation, expiry and last use, oldest first. Their values are not stored.',
  tags,
  answers: { 200: TokenList },
  handle: async ({ tokens }: TokenDeps, request) => ({
    tokens: (await tokens.list(callerName(request))).map((one) => toTokenResponse(request, one)),
  }),
})

export const showToken = operation({
  summary: 'Show one own token',
  description: 'One API token of the caller by id, without its value.',
  tags,
  params,
  answers: { 200: TokenReply },
  handle: async ({ tokens }: TokenDeps, request) => {
    const { id } = request.params
    const token = (await tokens.list(callerName(request))).find((one) => String(one.id) === id)
    if (token === undefined) throw unknownToken(id)
    return { token: toTokenResponse(request, token) }
  },
})

export const createToken = operation({
  summary: 'Create a token; its value is shown this once',
  description:
    'The token has all rights of the caller, except creating tokens and changing the password. `scopes`, `workspace` and `layers` limit it. Needs the password or a session.',
  tags,
  body: TokenBody,
  answers: { 201: TokenReply },
  handle: async ({ tokens, clock }: TokenDeps, request, reply) => {
    refuseTokens(request)
    const { name, expires, ...requested } = request.body.token
    const expiresAt = parseExpiry(expires, clock.now())
    const token = await tokens.create(callerName(request), {
      caption: name,
      expiresAt,
      limits: parseLimits(requested),
    })
    const wire = toTokenResponse(request, token)
    return reply
      .code(201)
      .header('location', wire.href)
      .header('cache-control', 'no-store')
      .send({ token: { ...wire, value: token.text } })
  },
})

/** A token for layers only reads: other scopes, or a workspace beside them, are a mistake. */
function parseLimits({ scopes, workspace, layers }: TokenLimits): TokenLimits {
  if (layers === undefined) return { scopes, workspace }
  if (workspace !== undefined || scopes?.some((scope) => scope !== 'read') === true)
    throw invalid(
      'invalid-body',
      '"token.layers" makes a token that only reads these layers: leave out "workspace", and scopes other than "read"',
    )
  return { scopes: ['read'], layers: [...new Set(layers)] }
}

export const revokeToken = operation({
  summary: 'Revoke an own token',
  description: 'Rejects the token from the next request on.',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ tokens }: TokenDeps, request, reply) => {
    await revoke(tokens, callerName(request), request.params.id)
    return reply.code(200).send()
  },
})

async function revoke(tokens: Accounts['tokens'], user: string, id: string): Promise<void> {
  const isRevoked = /^\d{1,15}$/.test(id) && (await tokens.revoke(user, Number(id)))
  if (!isRevoked) throw unknownToken(id)
}

export const listUserTokens = operation({
  summary: "List a user's tokens, without their values",
  description: 'Name, creation, expiry and last use of each API token of a user. Needs the role `admin`.',
  tags,
  params: ofUser,
  answers: { 200: TokenList },
  handle: async ({ users, tokens }: UserTokenDeps, request) => {
    const { name } = await users.get(request.params.name)
    const place = `/rest/security/users/${encodeURIComponent(name)}/tokens`
    return { tokens: (await tokens.list(name)).map((one) => toTokenResponse(request, one, place)) }
  },
})

export const revokeUserToken = operation({
  summary: "Revoke a user's token",
  description: 'Rejects the token from the next request on. Needs the role `admin`.',
  tags,
  params: Type.Object({ ...ofUser.properties, ...params.properties }),
  answers: { 200: empty() },
  handle: async ({ users, tokens }: UserTokenDeps, request, reply) => {
    const { name } = await users.get(request.params.name)
    await revoke(tokens, name, request.params.id)
    return reply.code(200).send()
  },
})
