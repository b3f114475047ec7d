import { Type } from 'typebox'
import { type Accounts, type SignInOrigin, sessionSeconds } from '../../access/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { readCredentials, sessionCookie } from './credentials.ts'
import { callerName, SessionBody, SessionReply, toSessionResponse } from './responses.ts'

export type SessionDeps = Pick<
  Accounts,
  'logIn' | 'sessions' | 'users' | 'providers' | 'idTokenOf' | 'passkeys' | 'transactions' | 'logInByPasskey'
>

const tags = ['security']

export const logIn = operation({
  summary: 'Log in',
  description:
    'Checks user and password, sets the session cookie (HttpOnly, SameSite=Lax) and returns the CSRF token that unsafe requests of the session send as `X-CSRF-Token`. A session lasts 12 hours. Users with one-time codes send `code` too (401 `code-needed` without it).',
  tags,
  body: SessionBody,
  answers: { 200: SessionReply },
  handle: async (accounts: SessionDeps, request, reply) => {
    const session = await accounts.logIn(request.body.session, originOf(request))
    setSession(request, reply, session)
    return reply.header('cache-control', 'no-store').send(toSessionResponse(session))
  },
})

export const showSession = operation({
  summary: 'Show the current session',
  description: 'User and role of the caller; for a session also its CSRF token and expiry.',
  tags,
  answers: { 200: SessionReply },
  handle: async ({ sessions, users }: SessionDeps, request, reply) => {
    reply.header('cache-control', 'no-store')
    const id = sessionId(request)
    const session = id === undefined ? undefined : await sessions.find(id)
    if (session !== undefined) return toSessionResponse(session)
    const user = await users.get(callerName(request))
    return { session: { user: user.name, role: user.role } }
  },
})

export const logOut = operation({
  summary: 'Log out',
  description:
    'Ends the session of the cookie and deletes the cookie. After a sign-in by OpenID Connect, the response contains the URL that ends the session at the provider, if the provider has one.',
  tags,
  answers: { 200: Type.Object({ logout: Type.Object({ providerUrl: Type.String({ format: 'uri' }) }) }) },
  handle: async (accounts: SessionDeps, request, reply) => {
    const id = sessionId(request)
    const session = id === undefined ? undefined : await accounts.sessions.find(id)
    const idToken = id === undefined ? undefined : await accounts.idTokenOf(id)
    if (id !== undefined) await accounts.sessions.end(id)
    reply.header('set-cookie', cookie(request, { name: sessionCookie, value: '', seconds: 0 }))
    const { oidc } = accounts.providers
    if (oidc === undefined || session?.via !== 'oidc') return reply.code(200).send()
    const providerUrl = await oidc.endSessionUrl(idToken, request.link('/app'))
    return providerUrl === undefined ? reply.code(200).send() : reply.send({ logout: { providerUrl } })
  },
})

/** Sets the cookie of a new session. */
export function setSession(request: FastifyRequest, reply: FastifyReply, { id }: { id: string }): void {
  reply.header('set-cookie', cookie(request, { name: sessionCookie, value: id, seconds: sessionSeconds }))
}

/** Returns the address and the browser of a sign-in on the pages. */
export function originOf(request: FastifyRequest): SignInOrigin {
  return { address: request.ip, agent: request.headers['user-agent'] }
}

/** The id of the caller's session, if the caller has one. */
export function sessionId(request: FastifyRequest): string | undefined {
  const { cookie: header } = request.headers
  const credentials =
    request.caller.by === 'session' && header !== undefined && readCredentials({ cookie: header })
  return credentials !== false && credentials?.kind === 'session' ? credentials.id : undefined
}

/** A cookie of this server; 0 seconds delete it. */
export function cookie(
  request: FastifyRequest,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): string {
  const isSecure = request.link('').startsWith('https:')
  const place = new URL(request.link('/')).pathname.replace(/\/$/, '') || '/'
  const flags = `Path=${place}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return `${name}=${value}; ${flags}`
}
