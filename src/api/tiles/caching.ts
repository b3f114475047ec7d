import type { LayerRecord } from '../../catalog/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { addVary, keepPrivately, ownMaxAgeSeconds } from '../caching.ts'
import { entityTags } from '../etag.ts'

/** Settings of the headers for caching. */
export interface CachingSettings {
  /** Program version, which is part of `ETag`s. */
  version: string
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
}

/** A layer at one version. */
export interface LayerAtVersion {
  layer: Pick<LayerRecord, 'id'>
  version: number
  /** True if the version is known to be that of the data. */
  isCurrent: boolean
}

/** Returns the parameter `v` of tile addresses: the versions of the layers, in order. */
export function versionsText(layers: readonly Pick<LayerAtVersion, 'version'>[]): string {
  return layers.map(({ version }) => version).join(',')
}

/**
 * The tag is the same for all encodings of a response, so it is weak; undefined if the response must not be
 * cached.
 */
function tagOf(program: string, layers: readonly LayerAtVersion[]): string | undefined {
  if (!layers.every(({ isCurrent }) => isCurrent)) return undefined
  return `"${program}-${layers.map(({ layer, version }) => `${layer.id}.${version}`).join('-')}"`
}

/** Sets how long a response about layers may be cached; not at all if `v` is not its version. */
export function setCacheControl(
  { version: program, sharedMaxAgeSeconds }: CachingSettings,
  reply: FastifyReply,
  layers: readonly LayerAtVersion[],
  v?: string,
): void {
  // Anonymous responses contain public data only.
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

/** True if the client has the response already. */
export function hasAlready(
  { headers }: FastifyRequest,
  { version: program }: Pick<CachingSettings, 'version'>,
  layers: readonly LayerAtVersion[],
): boolean {
  const known = headers['if-none-match']
  const tag = known === undefined ? undefined : tagOf(program, layers)
  return tag !== undefined && entityTags(known).includes(tag)
}
