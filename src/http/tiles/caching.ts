import type { LayerRecord } from '../../catalog/records.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { addVary, keepPrivately } from '../caching.ts'
import { tags } from '../etag.ts'
import { ownMaxAgeSeconds } from '../public-copies.ts'
import type { TileParts } from './tile-parts.ts'

/** A layer at one version. */
export interface LayerAtVersion {
  layer: Pick<LayerRecord, 'id'>
  version: number
  /** Whether the version is known to be that of the data. */
  isCurrent: boolean
}

/** What `v` is in the addresses of tiles: the versions of the layers, in their order. */
export function versionsText(layers: readonly Pick<LayerAtVersion, 'version'>[]): string {
  return layers.map(({ version }) => version).join(',')
}

/** The same for all encodings of an answer, so it is weak; undefined where nothing may be kept. */
function tagOf(program: string, layers: readonly LayerAtVersion[]): string | undefined {
  if (!layers.every(({ isCurrent }) => isCurrent)) return undefined
  return `"${program}-${layers.map(({ layer, version }) => `${layer.id}.${version}`).join('-')}"`
}

/** Says how long an answer about layers may be kept; with another `v` than that of the answer nobody keeps it. */
export function sayHowLong(
  { version: program, sharedMaxAgeSeconds }: Pick<TileParts, 'version' | 'sharedMaxAgeSeconds'>,
  reply: FastifyReply,
  layers: readonly LayerAtVersion[],
  v?: string,
): void {
  // The anonymous are answered about what is public alone.
  const isPublic = reply.request.caller.role === 'anonymous'
  if (isPublic)
    reply.header('cache-control', `public, max-age=${ownMaxAgeSeconds}, s-maxage=${sharedMaxAgeSeconds}`)
  else keepPrivately(reply)
  const tag = tagOf(program, layers)
  const isStale = v !== undefined && v !== versionsText(layers)
  if (tag === undefined || isStale) reply.header('cache-control', 'no-store')
  if (tag !== undefined) reply.header('etag', `W/${tag}`)
  addVary(reply, 'Accept-Encoding')
}

/** Whether the client has the answer already. */
export function hasAlready(
  { headers }: FastifyRequest,
  { version: program }: Pick<TileParts, 'version'>,
  layers: readonly LayerAtVersion[],
): boolean {
  const known = headers['if-none-match']
  const tag = known === undefined ? undefined : tagOf(program, layers)
  return tag !== undefined && tags(known).includes(tag)
}
