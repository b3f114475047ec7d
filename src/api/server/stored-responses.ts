import { createHash } from 'node:crypto'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { entityTags } from '../etag.ts'

/** Longer texts are not worth the time that this thread takes for their tag. */
const maxLength = 2 ** 20
const minLength = 256

/**
 * Adds an `ETag` of the content to JSON responses without one, and sends 304 if the client has it already.
 */
export function keepAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    done(null, isText && isPlainRead(request, reply) ? keep(request, reply, payload) : payload)
  })
}

/** Returns the payload; null if the client has it already. */
function keep(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): string | Buffer | null {
  const { access, isPublicRead = false } = request.routeOptions.config
  // Public responses that are equal for everyone.
  if (access === 'public' && !isPublicRead) reply.header('cache-control', 'no-cache')
  else keepPrivately(reply)
  if (payload.length < minLength || payload.length > maxLength) return payload
  const digest = createHash('sha256').update(payload).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  if (!entityTags(request.headers['if-none-match']).includes(`"${digest}"`)) return payload
  reply.code(304).removeHeader('content-length')
  return null
}

function isPlainRead({ method }: FastifyRequest, reply: FastifyReply): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const says = reply.hasHeader('cache-control') || reply.hasHeader('etag')
  return isRead && reply.statusCode === 200 && !says && /json/.test(String(reply.getHeader('content-type')))
}
