import type { ServerSettings } from '../config/settings.ts'
import { Failure } from '../lib/errors.ts'
import type { App, FastifyReply, FastifyRequest } from './app-types.ts'
import { originOf } from './links.ts'

const safeMethods = ['GET', 'HEAD', 'OPTIONS']
const allowedMethods = 'GET, HEAD, POST, PUT, DELETE'
const allowedHeaders =
  'Authorization, Content-Type, If-Match, If-None-Match, If-Range, Range, Idempotency-Key, X-CSRF-Token, Last-Event-ID'
const exposedHeaders =
  'Location, ETag, Accept-Ranges, Content-Range, Terrane-Ignored, X-Request-Id, Retry-After'

/** Whether the method changes nothing. */
export function isSafe(method: string): boolean {
  return safeMethods.includes(method)
}

/** Headers against content sniffing, framing and leaking, on every answer; pages may loosen the content policy. */
export function addSecurityHeaders(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-request-id': request.id,
    })
  })
}

/** Lets named origins call, and refuses unsafe requests that other pages make. */
export function guardOrigins(app: App, settings: ServerSettings): void {
  app.addHook('onRequest', async (request, reply) => {
    const origin = request.headers.origin
    const isAllowed = origin !== undefined && settings.corsOrigins.includes(origin)
    if (settings.corsOrigins.length > 0) reply.header('vary', 'Origin')
    if (isAllowed) {
      allowOrigin(reply, origin)
      if (isPreflight(request)) return answerPreflight(reply)
    } else if (!isSafe(request.method) && isForeign(request, settings)) {
      throw new Failure(
        'forbidden',
        'foreign-origin',
        `Requests from ${origin ?? 'another site'} are refused: TERRANE_CORS_ORIGINS does not name it`,
      )
    }
  })
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

function isPreflight(request: FastifyRequest): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': '600',
    })
    .send()
}
