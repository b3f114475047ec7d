import { createHash } from 'node:crypto'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { tags } from '../etag.ts'

/** Longer texts are not worth the time that this thread takes for their tag. */
const maxLength = 2 ** 20
const minLength = 256

/** Gives answers of JSON that say nothing themselves a tag by what stands in them, and 304 to who has it already. */
export function keepAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    done(null, isText && isPlainRead(request, reply) ? keep(request, reply, payload) : payload)
  })
}

/** What is sent of it: nothing to who has it already. */
function keep(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): string | Buffer | null {
  const { access, isPublicRead = false } = request.routeOptions.config
  // What everyone may read, and reads alike.
  if (access === 'public' && !isPublicRead) reply.header('cache-control', 'no-cache')
  else keepPrivately(reply)
  if (payload.length < minLength || payload.length > maxLength) return payload
  const digest = createHash('sha256').update(payload).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  if (!tags(request.headers['if-none-match']).includes(`"${digest}"`)) return payload
  reply.code(304).removeHeader('content-length')
  return null
}

function isPlainRead({ method }: FastifyRequest, reply: FastifyReply): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const says = reply.hasHeader('cache-control') || reply.hasHeader('etag')
  return isRead && reply.statusCode === 200 && !says && /json/.test(String(reply.getHeader('content-type')))
}
