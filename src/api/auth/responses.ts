import { Type } from 'typebox'
import { roles, type Session, type Token, tokenScopes, type User } from '../../access/index.ts'
import { minPasswordLength } from '../../core/config/settings.ts'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'

const Password = Type.String({ minLength: minPasswordLength, maxLength: 1024 })
const RoleName = Type.Union(roles.map((role) => Type.Literal(role)))

const Enabled = Type.Boolean({
  description:
    'false: the user cannot sign in, sessions end and API tokens are revoked. Tokens stay revoked after true',
})

export const UserBody = Type.Object({
  user: Type.Object({
    name: Type.Optional(Type.String()),
    password: Type.Optional(Password),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    role: Type.Optional(RoleName),
    enabled: Type.Optional(Enabled),
    keepTokens: Type.Optional(
      Type.Boolean({
        description:
          'True to keep the API tokens of the user when an administrator sets a new password; otherwise they are revoked',
      }),
    ),
    currentPassword: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Current password; required if administrators change their own password',
      }),
    ),
  }),
})

const WireUser = Type.Object(
  {
    name: Type.String(),
    email: Type.Optional(Type.String()),
    role: RoleName,
    enabled: Enabled,
    href: Type.String(),
  },
  { title: 'User' },
)
export const UserReply = Type.Object({ user: WireUser })
export const UserList = Type.Object({ users: Type.Array(WireUser) })

export const UserDependentsReply = Type.Object({
  dependents: Type.Object({
    tokens: Type.Object({
      total: Type.Integer({ minimum: 0 }),
      names: Type.Array(Type.String(), { description: 'The first hundred' }),
    }),
    sessions: Type.Integer({ minimum: 0, description: 'Active sessions' }),
  }),
})

export const OwnPasswordBody = Type.Object({
  currentPassword: Type.String({ maxLength: 1024, description: 'Current password' }),
  newPassword: Password,
})

const limitsOfToken = {
  scopes: Type.Optional(
    Type.Array(Type.Union(tokenScopes.map((scope) => Type.Literal(scope))), {
      minItems: 1,
      maxItems: tokenScopes.length,
      description:
        'Scopes of the token: `read`, `import` (create and replace layers), `manage` (all rights of its user). Default: all rights of the user',
    }),
  ),
  workspace: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Workspace to which the token is limited' }),
  ),
  layers: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^:]+:.+$', maxLength: 400 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'Layers to which the token is limited, as `<workspace>:<layer>`. Such a token only reads, and can be the parameter `access_token` in URLs below `/tiles` and of the OGC services',
    }),
  ),
}

export const TokenBody = Type.Object({
  token: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    expires: Type.Optional(Type.String({ description: 'ISO 8601 time' })),
    ...limitsOfToken,
  }),
})

const WireToken = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    created: Type.String(),
    expires: Type.Optional(Type.String()),
    lastUsed: Type.Optional(Type.String()),
    ...limitsOfToken,
    value: Type.Optional(
      Type.String({ description: 'The token itself; only in the response that creates it' }),
    ),
    href: Type.String(),
  },
  { title: 'Token' },
)
export const TokenReply = Type.Object({ token: WireToken })
export const TokenList = Type.Object({ tokens: Type.Array(WireToken) })

export const SessionBody = Type.Object({
  session: Type.Object({
    name: Type.String(),
    password: Type.String({ maxLength: 1024 }),
    code: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'One-time code or recovery code, of users who have switched them on',
      }),
    ),
  }),
})

export const SessionReply = Type.Object({
  session: Type.Object({
    user: Type.String(),
    role: RoleName,
    csrfToken: Type.Optional(Type.String()),
    expires: Type.Optional(Type.String()),
  }),
})

export function toUserResponse(request: FastifyRequest, user: User) {
  const { name, email, role, isEnabled } = user
  const href = request.link(`/rest/security/users/${encodeURIComponent(name)}`)
  return { name, email, role, enabled: isEnabled, href }
}

/** `place`: path of the token list. */
export function toTokenResponse(request: FastifyRequest, token: Token, place = '/rest/security/tokens') {
  const { id, caption, createdAt, expiresAt, lastUsedAt, limits } = token
  const { scopes, workspace, layers } = limits
  return {
    id,
    name: caption,
    created: createdAt,
    expires: expiresAt,
    lastUsed: lastUsedAt,
    scopes,
    workspace,
    layers,
    href: request.link(`${place}/${id}`),
  }
}

export function toSessionResponse({ user, csrfToken, expiresAt }: Session) {
  return { session: { user: user.name, role: user.role, csrfToken, expires: expiresAt } }
}

/** The time in a body, as ISO 8601 in UTC; it has to lie ahead. */
export function parseExpiry(text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (time > now.getTime()) return new Date(time).toISOString()
  throw invalid('invalid-body', `"token.expires" must be an ISO 8601 time in the future, found "${text}"`)
}

/**
 * Refuses requests authenticated by a token: a leaked token must not allow making more tokens or changing the
 * password.
 */
export function refuseTokens(request: FastifyRequest): void {
  if (request.caller.by !== 'token') return
  throw new Failure(
    'forbidden',
    'password-needed',
    'An API token cannot be used for this request: log in with the password',
  )
}

/** The caller's name, on routes that need a login. */
export function callerName(request: FastifyRequest): string {
  if (request.caller.name !== undefined) return request.caller.name
  throw new Failure('unauthenticated', 'login-needed', 'This needs a login')
}
