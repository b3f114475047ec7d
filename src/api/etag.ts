import { createHash } from 'node:crypto'
import { Failure } from '../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from './app-types.ts'

/** A tag that changes whenever the representation does. */
export function etagOf(representation: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(representation)).digest('base64url').slice(0, 22)}"`
}

/** Sends a representation with its `ETag`; 304 if the client has it already. */
export function sendEntity(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: unknown,
): FastifyReply {
  const etag = etagOf(representation)
  reply.header('etag', etag).header('cache-control', 'no-cache')
  if (entityTags(request.headers['if-none-match']).includes(etag)) return reply.code(304).send()
  return reply.send(representation)
}

/** Throws `Failure` (`precondition`) if `If-Match` names another state than the current one. */
export function requireMatch(request: FastifyRequest, current: unknown): void {
  const requested = entityTags(request.headers['if-match'])
  if (requested.length === 0 || requested.includes('*') || requested.includes(etagOf(current))) return
  throw changedMeanwhile()
}

function changedMeanwhile(): Failure {
  return new Failure(
    'precondition',
    'changed-meanwhile',
    'If-Match does not match the current state, which was changed meanwhile: read it again',
  )
}

/** As `requireMatch`, where the present state is known by any of several representations. */
export async function requireAnyMatch(
  request: FastifyRequest,
  current: () => Promise<readonly unknown[]>,
): Promise<boolean> {
  const requested = entityTags(request.headers['if-match'])
  if (requested.length === 0 || requested.includes('*')) return false
  const present = await current()
  if (present.some((one) => requested.includes(etagOf(one)))) return true
  throw changedMeanwhile()
}

/** The tag of a feature: of its state, and of the version of its layer, where that is known for sure. */
export function featureEtag(state: string, version: number | undefined): string {
  return version === undefined ? `"${state}"` : `"${state}.${version}"`
}

/** The tags of features as those of their states alone, whatever became of others in between. */
export function featureStates(header: string): string[] {
  return entityTags(header).map((tag) => tag.replace(/\.\d+"$/, '"'))
}

/** The tags of an `If-Match` or `If-None-Match` header. */
export function entityTags(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .filter((tag) => tag !== '')
}
