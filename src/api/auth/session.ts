import { type Accounts, sessionSeconds } from '../../access/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { readCredentials, sessionCookie } from './credentials.ts'
import { callerName, SessionBody, SessionReply, toSessionResponse } from './responses.ts'

export type SessionDeps = Pick<Accounts, 'logIn' | 'sessions' | 'users'>

const tags = ['security']

export const logIn = operation({
  summary: 'Log in',
  description:
    'Checks user and password, sets the session cookie (HttpOnly, SameSite=Lax) and answers the CSRF token that unsafe requests of the session send as `X-CSRF-Token`. A session lasts 12 hours.',
  tags,
  body: SessionBody,
  answers: { 200: SessionReply },
  handle: async (accounts: SessionDeps, request, reply) => {
    const session = await accounts.logIn(request.body.session, request.ip)
    reply.header('set-cookie', cookie(request, session.id, sessionSeconds))
    return reply.header('cache-control', 'no-store').send(toSessionResponse(session))
  },
})

export const showSession = operation({
  summary: 'Who is logged in',
  description: 'User and role of the caller; in a session its CSRF token and its end too.',
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
  description: 'Ends the session of the cookie and deletes the cookie.',
  tags,
  answers: { 200: empty() },
  handle: async ({ sessions }: SessionDeps, request, reply) => {
    const id = sessionId(request)
    if (id !== undefined) await sessions.end(id)
    reply.header('set-cookie', cookie(request, '', 0))
    return reply.code(200).send()
  },
})

function sessionId(request: FastifyRequest): string | undefined {
  const { cookie: header } = request.headers
  const credentials =
    request.caller.by === 'session' && header !== undefined && readCredentials({ cookie: header })
  return credentials !== false && credentials?.kind === 'session' ? credentials.id : undefined
}

function cookie(request: FastifyRequest, value: string, seconds: number): string {
  const isSecure = request.link('').startsWith('https:')
  const place = new URL(request.link('/')).pathname.replace(/\/$/, '') || '/'
  const flags = `Path=${place}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return `${sessionCookie}=${value}; ${flags}`
}
