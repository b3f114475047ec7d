import type { FastifyReply } from './app-types.ts'

/**
 * A signal that aborts when the client goes away before it has its answer; not where the answer is kept under an
 * idempotency key, for the client to ask again.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const abort = new AbortController()
  if (reply.request.headers['idempotency-key'] !== undefined) return abort.signal
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) abort.abort(new Error('The client went away'))
  })
  return abort.signal
}
