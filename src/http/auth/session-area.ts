import type { AuthenticationParts } from '../../accounts/authenticate.ts'
import { checkPassword } from '../../accounts/authenticate.ts'
import {
  deleteSession,
  findSession,
  insertSession,
  sessionSeconds,
} from '../../accounts/session-repository.ts'
import { getUser } from '../../accounts/user-repository.ts'
import type { Area, FastifyRequest, HttpContext } from '../app-types.ts'
import { readCredentials, sessionCookie } from './credentials.ts'
import { callerName, SessionBody, SessionReply, toWireSession } from './wire.ts'

const tags = ['security']
const path = '/rest/security/session'

/** `/rest/security/session`: login and logout of the web pages. */
export function sessionArea(authentication: AuthenticationParts): Area {
  return (app, context) => {
    const { database, clock } = context

    app.post(
      path,
      {
        config: { access: 'public' },
        schema: { tags, summary: 'Log in', body: SessionBody, response: { 200: SessionReply } },
      },
      async (request, reply) => {
        const user = await checkPassword(authentication, request.body.session, request.ip)
        const session = await insertSession(database.kysely, user, clock.now())
        reply.header('set-cookie', cookie(request, session.id, sessionSeconds))
        return reply.header('cache-control', 'no-store').send(toWireSession(session))
      },
    )

    app.get(
      path,
      {
        config: { access: 'user' },
        schema: { tags, summary: 'Who is logged in', response: { 200: SessionReply } },
      },
      async (request, reply) =>
        reply.header('cache-control', 'no-store').send(await describe(context, request)),
    )

    app.delete(
      path,
      { config: { access: 'user' }, schema: { tags, summary: 'Log out' } },
      async (request, reply) => {
        const id = sessionId(request)
        if (id !== undefined) await deleteSession(database.kysely, id)
        reply.header('set-cookie', cookie(request, '', 0))
        return reply.code(200).send()
      },
    )
  }
}

async function describe({ database, clock }: HttpContext, request: FastifyRequest): Promise<object> {
  const id = sessionId(request)
  const session = id === undefined ? undefined : await findSession(database.kysely, id, clock.now())
  if (session !== undefined) return toWireSession(session)
  const user = await getUser(database.kysely, callerName(request))
  return { session: { user: user.name, role: user.role } }
}

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
