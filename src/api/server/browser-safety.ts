import type { ServerSettings } from '../../core/config/settings.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Access, App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { resourceAccesses } from '../app-types.ts'
import { originOf } from './links.ts'

const safeMethods = ['GET', 'HEAD', 'OPTIONS']
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const allowedHeaders =
  'Authorization, Content-Type, Content-Crs, If-Match, If-None-Match, If-Range, Range, Idempotency-Key, X-CSRF-Token, Last-Event-ID, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata'
const exposedHeaders =
  'Location, ETag, Accept-Ranges, Content-Range, Content-Crs, Link, Terrane-Ignored, Terrane-Tile, X-Request-Id, Retry-After, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Expires'
/** Paths readable by everyone, and the headers that reading needs. */
const publicPaths = /^\/(?:ogc|stac|tiles|rest\/(?:catalogue|layers|state|styles|workspaces))(?=[/?]|$)/
const publicHeaders = 'Accept, Content-Type, If-None-Match, If-Modified-Since, If-Range, Range'

/** True if the method changes nothing. */
export function isSafe(method: string): boolean {
  return safeMethods.includes(method)
}

/** Allows requests from the configured origins, and refuses unsafe requests from other pages. */
export function guardOrigins(app: App, settings: ServerSettings): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isPreflightAnswered(request, reply, settings)) done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isPublicRead(request, reply) && !reply.hasHeader('access-control-allow-origin'))
      letEveryoneRead(reply)
    done()
  })
}

/** Throws `Failure` (`forbidden`) where another page may not ask this. */
function isPreflightAnswered(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: ServerSettings,
): boolean {
  const origin = request.headers.origin
  const isAllowed = origin !== undefined && settings.corsOrigins.includes(origin)
  if (settings.corsOrigins.length > 0) reply.header('vary', 'Origin')
  if (isAllowed) {
    allowOrigin(reply, origin)
    if (isPreflight(request)) return answerPreflight(reply, allowedMethods, allowedHeaders)
  } else if (isPublicPreflight(request)) {
    letEveryoneRead(reply)
    return answerPreflight(reply, 'GET, HEAD', publicHeaders)
  } else if (!isSafe(request.method) && isForeign(request, settings)) {
    throw new Failure('forbidden', 'foreign-origin', foreignText(origin, request, settings))
  }
  return false
}

/** True for anonymous reads of public resources. */
function isPublicRead(request: FastifyRequest, reply: FastifyReply): boolean {
  const { method, headers } = request
  const hasCredentials = headers.authorization !== undefined || headers.cookie !== undefined
  if (hasCredentials || !isSafe(method) || reply.statusCode === 401) return false
  const { isPublicRead: isMarked = false, access } = request.routeOptions.config
  const isOpenable = isMarked || (access !== undefined && isReadableByAll(access))
  return isOpenable && request.caller.role === 'anonymous'
}

/** True if a route may answer without a login. */
function isReadableByAll(access: Access): boolean {
  return Object.hasOwn(resourceAccesses, access) && access.indexOf(':') < 0
}

function letEveryoneRead(reply: FastifyReply): void {
  reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders })
}

function isPublicPreflight(request: FastifyRequest): boolean {
  const method = request.headers['access-control-request-method']
  return isPreflight(request) && (method === 'GET' || method === 'HEAD') && publicPaths.test(request.url)
}

/** The advice depends on the page: one of this server behind a proxy, or another site's. */
function foreignText(origin: string | undefined, request: FastifyRequest, settings: ServerSettings): string {
  const own = originOf(request, settings)
  return [
    `A page of ${origin ?? 'another site'} may not change anything here: this server is known as ${own}.`,
    settings.publicUrl === undefined
      ? 'If the page belongs to this server behind a proxy, set TERRANE_PUBLIC_URL to the URL in the browser.'
      : 'If the page belongs to this server, TERRANE_PUBLIC_URL differs from the URL in the browser.',
    'Pages of other sites are let in by TERRANE_CORS_ORIGINS.',
  ].join(' ')
}

function isForeign(request: FastifyRequest, settings: ServerSettings): boolean {
  const { origin } = request.headers
  if (origin !== undefined) return !isOwn(origin, request, settings)
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** The public address, or the host that the request names; a proxy may have taken https off. */
function isOwn(origin: string, request: FastifyRequest, settings: ServerSettings): boolean {
  if (origin === originOf(request, settings)) return true
  return URL.canParse(origin) && new URL(origin).host === request.host
}

function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': exposedHeaders,
  })
}

/**
 * True for a browser's request about what a page of another origin may do (Fetch standard, CORS-preflight
 * request).
 */
export function isPreflight(request: FastifyRequest): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}

function answerPreflight(reply: FastifyReply, methods: string, headers: string): true {
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers,
      'access-control-max-age': '600',
    })
    .send()
  return true
}
