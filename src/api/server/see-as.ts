import { type Accounts, anonymous, type Caller, hasRole } from '../../access/index.ts'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { loginNeeded } from '../app-types.ts'
import { readCookie } from '../auth/credentials.ts'
import { isSafe } from './browser-safety.ts'

/** Header that names the subject of a request, for programs. */
const seeAsHeader = 'terrane-see-as'
/** Cookie with the same value, for pages: images and tiles cannot send headers. It counts in a session alone. */
const seeAsCookie = 'terrane_see_as'

/** Finds the subjects that administrators see as. */
export interface SeeAsSubjects {
  users: Pick<Accounts['users'], 'find'>
  groups: Pick<Accounts['groups'], 'find'>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The administrator on whose behalf `caller` is another subject; absent: `caller` is who calls. */
    viewer: Caller | undefined
    /** The subject as the header or the cookie names it. */
    seenAs: string | undefined
  }
}

/**
 * Routes that answer for the administrator: the session with its sign-out, whether the server is well, and the files of the
 * pages, which are the same for everybody.
 */
const ownRoutes = /^\/(?:rest\/security\/session|health|app|assets|embed)(?:\/|$)/
/** Secrets, tokens, sessions and users are never shown as another subject; explanations of rights are. */
const closedRoutes = /^\/rest\/(?:security\/(?!access$)|audit)/

/**
 * Lets administrators see what a user, a member of a group or an anonymous caller sees: reading requests are decided for
 * the subject that the header `Terrane-See-As` (or a cookie of the session) names. Everything else is refused.
 */
export function seeAsOthers(app: App, subjects: SeeAsSubjects): (request: FastifyRequest) => Promise<void> {
  app.decorateRequest('viewer')
  app.decorateRequest('seenAs')
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.viewer !== undefined) reply.header('cache-control', 'no-store').removeHeader('etag')
    done(null, payload)
  })
  return async (request) => {
    const route = request.routeOptions.url ?? ''
    const named = namedSubject(request)
    if (named === undefined || ownRoutes.test(route)) return
    requireReading(request, route)
    const { caller } = request
    request.caller = await findSubject(subjects, named)
    request.viewer = caller
    request.seenAs = named.text
    // The client may have stored a response for the administrator.
    delete request.headers['if-none-match']
    delete request.headers['if-modified-since']
  }
}

interface NamedSubject {
  text: string
  isInHeader: boolean
}

/** Throws `Failure` if a caller who is no administrator names a subject by the header; the cookie then does not count. */
function namedSubject({ headers, caller }: FastifyRequest): NamedSubject | undefined {
  const header = headers[seeAsHeader]
  if (header !== undefined) {
    if (hasRole(caller, 'admin')) return { text: String(header), isInHeader: true }
    if (caller.role === 'anonymous') throw loginNeeded()
    throw new Failure(
      'forbidden',
      'not-allowed',
      `The header Terrane-See-As needs the role admin, ${caller.name} is ${caller.role}`,
    )
  }
  if (caller.by !== 'session' || headers.cookie === undefined || !hasRole(caller, 'admin')) return undefined
  const text = readCookie(headers.cookie, seeAsCookie)
  return text === undefined ? undefined : { text, isInHeader: false }
}

function requireReading(request: FastifyRequest, route: string): void {
  if (!isSafe(request.method))
    throw new Failure(
      'forbidden',
      'see-as-reads-only',
      'Seeing as another subject only reads: stop it before you change something',
    )
  if (closedRoutes.test(route))
    throw new Failure(
      'forbidden',
      'see-as-not-here',
      'Accounts, tokens, sessions and the audit log are not shown as another subject',
    )
}

/**
 * Returns the caller that a text names: `anonymous`, `user:<name>`, or `group:<name>` for a user who is only in that
 * group. A cookie whose subject was deleted meanwhile names an anonymous caller, who sees least.
 */
async function findSubject(
  { users, groups }: SeeAsSubjects,
  { text, isInHeader }: NamedSubject,
): Promise<Caller> {
  if (text === 'anonymous') return anonymous
  const [, kind, encoded = ''] = /^(user|group):(.{1,1000})$/.exec(text) ?? []
  const name = decodeName(encoded)
  const user = kind === 'user' ? await users.find(name) : undefined
  if (user?.isEnabled === true) return { name: user.name, role: user.role, by: 'local' }
  const group = kind === 'group' ? await groups.find(name) : undefined
  if (group !== undefined) return { role: 'user', by: 'local', groups: [group.name] }
  if (!isInHeader) return anonymous
  throw invalid(
    'unknown-subject',
    `Terrane-See-As names no subject: give "anonymous", "user:<name>" of a user who is not switched off, or "group:<name>"`,
  )
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
