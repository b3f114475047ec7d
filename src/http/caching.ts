import { createHash } from 'node:crypto'
import type { LayerRecord } from '../catalog/records.ts'
import type { FastifyReply, FastifyRequest, HttpContext } from './app-types.ts'
import { tags } from './etag.ts'

/** How long who has read something public may keep it without asking. */
const ownMaxAgeSeconds = 300

/** For answers that depend on who asks: they are kept, and asked for again at each use. */
export function keepPrivately(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache')
  addVary(reply, 'Authorization', 'Cookie')
}

/** Adds names to `Vary` that are not there yet. */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const known = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const added = names.filter((name) => !known.some((one) => one.toLowerCase() === name.toLowerCase()))
  reply.header('vary', [...known, ...added].join(', '))
}

/**
 * Says how long an answer about a layer may be kept, by the layer's version; true where the client has it already: then
 * 304 is set, and there is nothing more to send. `ETag` is weak, since answers tell when they were made.
 */
export async function answerKept(
  context: HttpContext,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const { version, isCurrent } = await context.catalog.layers.versionOf(layer)
  const isPublic = request.caller.role === 'anonymous' && (await context.catalog.layers.isPublic(layer))
  const shared = context.settings.server.sharedMaxAgeSeconds
  if (isPublic) reply.header('cache-control', `public, max-age=${ownMaxAgeSeconds}, s-maxage=${shared}`)
  else keepPrivately(reply)
  if (!isCurrent) return false
  const meaning = [context.version, layer.id, version, layer.updatedAt, request.link(request.url)]
  const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  const wanted = tags(request.headers['if-none-match'])
  if (!wanted.includes(`"${digest}"`) && !wanted.includes('*')) return false
  reply.code(304)
  return true
}
