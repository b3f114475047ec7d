import { ownerOf } from '../core/concurrency/acting.ts'
import { Failure } from '../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from './app-types.ts'

const retryAfterSeconds = 5

/** The signals of responses: a listener for each call would make Node warn of a leak. */
const clientSignals = new WeakMap<FastifyReply, AbortSignal>()
const requestSignals = new WeakMap<FastifyReply, AbortSignal>()

/**
 * Returns the signal that aborts if the client disconnects before it has the response; never aborts if the
 * response is stored under an idempotency key, since the client may request it again.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  return cachedSignal(clientSignals, reply, (abort) => {
    if (reply.request.headers['idempotency-key'] !== undefined) return
    reply.raw.once('close', () => {
      if (!reply.raw.writableEnded) abort.abort(new Error('The client went away'))
    })
  })
}

/**
 * Returns the signal of a reading request. It aborts if the client disconnects before it has the whole
 * response, and with a `Failure` (`unavailable`, `request-too-slow`) if the response has not begun by the
 * request deadline (`TERRANE_REQUEST_SECONDS`), counted from the first call. A response that has begun may
 * take longer.
 */
export function requestSignal(reply: FastifyReply): AbortSignal {
  return cachedSignal(requestSignals, reply, (abort) => {
    const { requestMs } = reply.server
    const timer = setTimeout(() => {
      if (!reply.raw.headersSent) abort.abort(tooSlow(requestMs))
    }, requestMs)
    reply.raw.once('close', () => {
      clearTimeout(timer)
      if (!reply.raw.writableFinished) abort.abort(new Error(`The client of ${reply.request.id} went away`))
    })
  })
}

function cachedSignal(
  signals: WeakMap<FastifyReply, AbortSignal>,
  reply: FastifyReply,
  watch: (abort: AbortController) => void,
): AbortSignal {
  const cached = signals.get(reply)
  if (cached !== undefined) return cached
  const abort = new AbortController()
  signals.set(reply, abort.signal)
  watch(abort)
  return abort.signal
}

function tooSlow(ms: number): Failure {
  const text = `The server is too busy to answer within ${ms / 1000} s: try again later`
  return new Failure('unavailable', 'request-too-slow', text, { retryAfterSeconds })
}

/** True if the body was sent as a form, in which an unchecked checkbox is absent. */
export function isForm(request: FastifyRequest): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    request.headers['content-type'] ?? '',
  )
}

/** Returns the owner of a request, for fair shares: its user, or the address of an anonymous client. */
export function requestOwner({
  caller,
  viewer = caller,
  ip,
}: Pick<FastifyRequest, 'caller' | 'viewer' | 'ip'>): string {
  return ownerOf(viewer.name, ip)
}
