import type { RouteOptions } from 'fastify'
import { type Caller, hasRole, isSameText } from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { actAs } from '../../core/concurrency/acting.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Access, App, FastifyRequest } from '../app-types.ts'
import { loginNeeded } from '../app-types.ts'
import { csrfField } from '../auth/credentials.ts'
import { isForm } from '../request-properties.ts'
import { plainStyleName } from '../rest/catalog/style-documents.ts'
import { tokenOfUrl } from '../url-token.ts'
import { isSafe } from './browser-safety.ts'
import type { CallerIdentification } from './identify-caller.ts'
import { requireTokenScope } from './token-limits.ts'

/** Parts of the catalogue that decide about public access. */
export type GuardCatalog = Pick<Catalog, 'workspaces' | 'layers' | 'styles'>

/** Finds out who calls, and lets each route's `access` decide. A server with a route that has none does not start. */
export function guardRoutes(
  app: App,
  catalog: GuardCatalog,
  identify: CallerIdentification['identify'],
): void {
  requireAccess(app)
  app.decorateRequest('csrfToken')
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
    const access = request.routeOptions.config.access ?? 'admin'
    if (!(await mayCall(catalog, request, access))) refuse(caller, access)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (mayBringTokenInBody(request)) requireCsrfToken(request, takeToken(request.body))
    done()
  })
  // After the body was read, whose events come from elsewhere: what the handler does is done on behalf of the caller.
  app.addHook('preHandler', ({ caller, ip }, _reply, done) => actAs(caller.name, ip, done))
}

function requireAccess(app: App): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    const open = routes.find((route) => route.config?.access === undefined)
    if (open !== undefined) throw new Error(`Route ${open.method} ${open.url} does not say who may call it`)
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

/** The token is no field of what the form is about. */
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
    'A session needs the header X-CSRF-Token for this; GET /rest/security/session tells it',
  )
}

async function mayCall(catalog: GuardCatalog, request: FastifyRequest, access: Access): Promise<boolean> {
  if (access === 'public') return true
  if (!isOpenable(access)) return hasRole(request.caller, access)
  return hasRole(request.caller, 'user') || isOpen(catalog, access, request)
}

function isOpenable(access: Access): access is 'workspace' | 'layer' | 'style' {
  return access === 'workspace' || access === 'layer' || access === 'style'
}

/**
 * True if the resource in the path is public, or in a public workspace, for routes that respond equally to
 * private and missing resources.
 */
async function isOpen(
  { workspaces, layers, styles }: GuardCatalog,
  access: 'workspace' | 'layer' | 'style',
  { params }: FastifyRequest,
): Promise<boolean> {
  const { workspace, layer, style } = params as Record<string, string | undefined>
  const place = workspace ?? layer?.split(':', 1)[0]
  if (place !== undefined && (await workspaces.find(place))?.isPublic === true) return true
  if (access === 'layer' && layer !== undefined) {
    const found = await layers.findNamed(layer)
    return found !== undefined && layers.isPublic(found)
  }
  return access === 'style' && style !== undefined && isOpenStyle(styles, workspace, style)
}

async function isOpenStyle(
  styles: Catalog['styles'],
  workspace: string | undefined,
  name: string,
): Promise<boolean> {
  for (const one of new Set([name, plainStyleName(name)]))
    if (await styles.drawsPublicLayer({ workspace, name: one })) return true
  return false
}

function refuse(caller: Caller, access: Access): never {
  if (caller.role === 'anonymous') throw loginNeeded()
  if (caller.tokenLayers !== undefined)
    throw new Failure('forbidden', 'token-layers', 'This token is good for reading its layers alone')
  throw new Failure(
    'forbidden',
    'not-allowed',
    `This needs the role ${access}, ${caller.name} is ${caller.role}`,
  )
}
