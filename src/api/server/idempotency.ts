import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { conflict, invalid } from '../../core/errors/errors.ts'
import type { Claim, IdempotencyKeys, StoredResponse } from '../../core/idempotency/idempotency-keys.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'

const storedHeaders = ['content-type', 'content-crs', 'location', 'etag']

/**
 * Implements `Idempotency-Key` on routes with `idempotent: true`: the first response is stored for 24 hours
 * and repeated. Server errors are not stored.
 */
export function repeatAnswers(app: App, keys: IdempotencyKeys): void {
  const claims = new Map<FastifyRequest, Claim>()

  app.addHook('onReady', () => keys.start())

  app.addHook('onClose', async () => keys.stop())

  const repeatOrBegin = async (
    request: FastifyRequest,
    reply: FastifyReply,
    claim: Claim,
  ): Promise<FastifyReply | undefined> => {
    const earlier = await keys.claim(claim)
    if (earlier !== undefined) return repeat(reply, claim, earlier)
    claims.set(request, claim)
    return undefined
  }

  const settle = async (reply: FastifyReply, payload: unknown, claim: Claim): Promise<void> => {
    const body = textOf(payload)
    const { statusCode: status } = reply
    if (status >= 500 || body === undefined) await keys.release(claim)
    else await keys.keep(claim, { status, headers: headersOf(reply), body })
  }

  // Most requests have no key: they pass without a promise.
  app.addHook('preHandler', (request, reply, done) => {
    const claim = claimOf(request)
    return claim === undefined ? done() : repeatOrBegin(request, reply, claim)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const claim = claims.get(request)
    claims.delete(request)
    return claim === undefined ? done() : settle(reply, payload, claim)
  })

  app.addHook('onResponse', (request, _reply, done) => {
    const claim = claims.get(request)
    claims.delete(request)
    return claim === undefined ? done() : keys.release(claim)
  })
}

function claimOf(request: FastifyRequest): Claim | undefined {
  const key = request.headers['idempotency-key']
  const userName = request.caller.name
  if (key === undefined || userName === undefined || request.routeOptions.config.idempotent !== true)
    return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid('invalid-header', 'Idempotency-Key must be 1 to 255 printable characters')
  return { userName, key, requestHash: fingerprint(request) }
}

/** Returns a fingerprint of a request; for a streamed body it includes the length only. */
function fingerprint(request: FastifyRequest): string {
  const isStream = request.body === undefined || request.body instanceof Readable
  const hash = createHash('sha256').update(`${request.method} ${request.url}\n`)
  if (request.body instanceof Uint8Array) return hash.update(request.body).digest('base64url')
  const body = isStream ? request.headers['content-length'] : JSON.stringify(request.body)
  return hash.update(String(body)).digest('base64url')
}

function repeat(reply: FastifyReply, claim: Claim, earlier: StoredResponse): FastifyReply {
  if (earlier.requestHash !== claim.requestHash)
    throw conflict('idempotency-key-reused', `Idempotency-Key "${claim.key}" was used with another request`)
  if (earlier.status === 0) {
    reply.header('retry-after', '1')
    throw conflict(
      'request-under-way',
      `The first request with Idempotency-Key "${claim.key}" is still running`,
    )
  }
  reply.code(earlier.status).headers(earlier.headers).header('idempotency-replayed', 'true')
  return reply.send(earlier.body === '' ? undefined : earlier.body)
}

function textOf(payload: unknown): string | undefined {
  if (payload === undefined || payload === null) return ''
  if (typeof payload === 'string') return payload
  return Buffer.isBuffer(payload) ? payload.toString('utf8') : undefined
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const found = storedHeaders.flatMap((name) => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)]]
  })
  return Object.fromEntries(found) as Record<string, string>
}
