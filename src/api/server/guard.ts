import type { RouteOptions } from 'fastify'
import { type AccessRules, isSameText, type Rights } from '../../access/index.ts'
import { actAs, type WorkMeter } from '../../core/concurrency/acting.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { csrfField } from '../auth/credentials.ts'
import { isForm } from '../request-properties.ts'
import { tokenOfUrl } from '../url-token.ts'
import type { GuardCatalog } from './authorize.ts'
import { authorize } from './authorize.ts'
import { isSafe } from './browser-safety.ts'
import type { CallerIdentification } from './identify-caller.ts'
import { requireTokenScope } from './token-limits.ts'

/** Finds out who calls, and lets each route's `access` decide. A server with a route that has none does not start. */
export function guardRoutes(
  app: App,
  { catalog, rules }: { catalog: GuardCatalog; rules: Pick<AccessRules, 'now'> },
  identify: CallerIdentification['identify'],
  { meter, seeAs }: { meter: WorkMeter; seeAs(request: FastifyRequest): Promise<void> },
): void {
  requireAccess(app)
  app.decorateRequest('csrfToken')
  const known = new WeakMap<FastifyRequest, Promise<Rights>>()
  app.decorateRequest('rights', function rights() {
    const found = known.get(this) ?? rightsNow(rules, this)
    known.set(this, found)
    return found
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return noteCaller(identify, request)
    // Links must not leak a token in the address through `Referer`.
    if (request.headers.authorization === undefined && tokenOfUrl(request) !== undefined)
      reply.header('referrer-policy', 'no-referrer')
    const { caller, csrfToken } = await identify(request)
    request.caller = caller
    request.csrfToken = csrfToken
    if (!mayBringTokenInBody(request)) requireCsrfToken(request, request.headers['x-csrf-token'])
    requireTokenScope(request)
    await seeAs(request)
    const access = request.routeOptions.config.access ?? 'admin'
    await authorize(catalog, request, access)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (mayBringTokenInBody(request)) requireCsrfToken(request, takeToken(request.body))
    done()
  })
  // After the body was read, whose events come from elsewhere: what the handler does is done on behalf of the caller.
  app.addHook('preHandler', ({ caller, viewer = caller, ip }, _reply, done) =>
    actAs(viewer.name, ip, done, meter),
  )
}

async function rightsNow(rules: Pick<AccessRules, 'now'>, request: FastifyRequest): Promise<Rights> {
  return (await rules.now()).rightsOf(request.caller)
}

function requireAccess(app: App): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    const open = routes.find((route) => route.config?.access === undefined)
    if (open !== undefined) throw new Error(`Route ${open.method} ${open.url} has no access rule`)
  })
}

/** A path without a route has the same response for everybody, and is recorded for the caller. */
async function noteCaller(
  identify: CallerIdentification['identify'],
  request: FastifyRequest,
): Promise<void> {
  const identified = await identify(request).catch(() => undefined)
  if (identified !== undefined) request.caller = identified.caller
}

/** HTML forms cannot send headers: on routes that accept forms, the token may be a field. */
function mayBringTokenInBody(request: FastifyRequest): boolean {
  if (request.headers['x-csrf-token'] !== undefined || !isForm(request)) return false
  return request.routeOptions.config.takesForms === true
}

/** The token is not a field of what the form is about. */
function takeToken(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  const fields = body as Record<string, unknown>
  const token = fields[csrfField]
  delete fields[csrfField]
  return token
}

function requireCsrfToken({ caller, method, csrfToken }: FastifyRequest, given: unknown): void {
  if (caller.by !== 'session' || isSafe(method)) return
  if (csrfToken !== undefined && typeof given === 'string' && isSameText(given, csrfToken)) return
  throw new Failure(
    'forbidden',
    'csrf-token-missing',
    'This request of a session needs the header X-CSRF-Token: GET /rest/security/session returns its value',
  )
}
