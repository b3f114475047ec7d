import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { conflict, invalid } from '../lib/errors.ts'
import type { App, FastifyReply, FastifyRequest, HttpContext } from './app-types.ts'
import type { Claim, StoredAnswer } from './idempotency-repository.ts'
import { claimKey, releaseAllKeys, releaseKey, renewKeys, storeAnswer } from './idempotency-repository.ts'

const keepMs = 24 * 3600_000
/** A claim is renewed while its request is under way; one that is older was a killed process's. */
const renewMs = 10_000
const abandonedMs = 30_000
const storedHeaders = ['content-type', 'location', 'etag']

/**
 * Honours `Idempotency-Key` on routes with `idempotent: true`: the first answer is kept for 24 hours and given again.
 * Failures of the server itself are not kept.
 */
export function repeatAnswers(app: App, { database, clock, log }: HttpContext): void {
  const claims = new Map<FastifyRequest, Claim>()
  const at = (ageMs = 0): string => new Date(clock.now().getTime() - ageMs).toISOString()
  const renewal = setInterval(() => {
    renewKeys(database.kysely, claims.values(), at()).catch((error: unknown) =>
      log.error({ err: error }, 'idempotency keys could not be renewed'),
    )
  }, renewMs).unref()

  app.addHook('onReady', async () => {
    if (database.kind === 'sqlite') await releaseAllKeys(database.kysely)
  })

  app.addHook('onClose', async () => clearInterval(renewal))

  app.addHook('preHandler', async (request, reply) => {
    const claim = claimOf(request)
    if (claim === undefined) return
    const times = { now: at(), expiredBefore: at(keepMs), abandonedBefore: at(abandonedMs) }
    const earlier = await claimKey(database, claim, times)
    if (earlier === undefined) claims.set(request, claim)
    else return repeat(reply, claim, earlier)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = claims.get(request)
    if (claim === undefined) return
    claims.delete(request)
    const body = textOf(payload)
    if (reply.statusCode >= 500 || body === undefined) return releaseKey(database.kysely, claim)
    const { statusCode: status } = reply
    await storeAnswer(database.kysely, claim, { status, headers: headersOf(reply), body, at: at() })
  })

  app.addHook('onResponse', async (request) => {
    const claim = claims.get(request)
    claims.delete(request)
    if (claim !== undefined) await releaseKey(database.kysely, claim)
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

/** What makes two requests the same; of a body that is streamed its length stands for it. */
function fingerprint(request: FastifyRequest): string {
  const isStream = request.body === undefined || request.body instanceof Readable
  const body = isStream ? request.headers['content-length'] : JSON.stringify(request.body)
  return createHash('sha256').update(`${request.method} ${request.url}\n${body}`).digest('base64url')
}

function repeat(reply: FastifyReply, claim: Claim, earlier: StoredAnswer): FastifyReply {
  if (earlier.requestHash !== claim.requestHash)
    throw conflict('idempotency-key-reused', `Idempotency-Key "${claim.key}" was used with another request`)
  if (earlier.status === 0) {
    reply.header('retry-after', '1')
    throw conflict(
      'request-under-way',
      `The first request with Idempotency-Key "${claim.key}" is still under way`,
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
