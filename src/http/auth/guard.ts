import type { RouteOptions } from 'fastify'
import { findWorkspace } from '../../catalog/workspaces.ts'
import type { Database } from '../../db/connection.ts'
import { Failure } from '../../lib/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { isSafe } from '../browser-safety.ts'
import type { Access, Caller } from './access.ts'
import { anonymous, hasRole } from './access.ts'
import type { Authenticated, AuthenticationParts } from './authenticate.ts'
import { authenticate } from './authenticate.ts'
import { isSameText, readCredentials } from './credentials.ts'

/** Finds out who calls, and lets each route's `access` decide. A server with a route that has none does not start. */
export function guardRoutes(app: App, parts: AuthenticationParts): void {
  requireAccess(app)
  app.addHook('onRequest', async (request) => {
    if (request.is404) return
    const { caller, csrfToken } = await whoCalls(parts, request)
    request.caller = caller
    if (caller.by === 'session' && !isSafe(request.method)) requireCsrfToken(request, csrfToken)
    const access = request.routeOptions.config.access ?? 'admin'
    if (!(await mayCall(parts.database, request, access))) refuse(caller, access)
  })
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

async function whoCalls(parts: AuthenticationParts, request: FastifyRequest): Promise<Authenticated> {
  const { authorization, cookie } = request.headers
  const credentials = readCredentials({
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
  })
  if (credentials === undefined) return { caller: anonymous }
  return authenticate(parts, credentials, request.ip)
}

function requireCsrfToken(request: FastifyRequest, expected: string | undefined): void {
  const given = request.headers['x-csrf-token']
  if (expected !== undefined && typeof given === 'string' && isSameText(given, expected)) return
  throw new Failure(
    'forbidden',
    'csrf-token-missing',
    'A session needs the header X-CSRF-Token for this; GET /rest/security/session tells it',
  )
}

async function mayCall(database: Database, request: FastifyRequest, access: Access): Promise<boolean> {
  if (access === 'public') return true
  if (access !== 'workspace') return hasRole(request.caller, access)
  return hasRole(request.caller, 'user') || (await isPublic(database, workspaceOf(request.params)))
}

/** The workspace that a path names: `:workspace`, or the part of `:layer` before the colon. */
function workspaceOf(params: unknown): string | undefined {
  const { workspace, layer } = (params ?? {}) as Record<string, string | undefined>
  return workspace ?? layer?.split(':', 1)[0]
}

async function isPublic(database: Database, workspace: string | undefined): Promise<boolean> {
  if (workspace === undefined) return false
  return (await findWorkspace(database.kysely, workspace))?.isPublic ?? false
}

function refuse(caller: Caller, access: Access): never {
  if (caller.role === 'anonymous')
    throw new Failure(
      'unauthenticated',
      'login-needed',
      'This needs a login: user name and password, or a token',
    )
  throw new Failure(
    'forbidden',
    'not-allowed',
    `This needs the role ${access}, ${caller.name} is ${caller.role}`,
  )
}
