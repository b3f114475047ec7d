import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Type } from 'typebox'
import { hasRole } from '../../access/index.ts'
import type { LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { EarlierLayer, PreviousVersions } from '../../render/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { loginNeeded } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { requestSignal } from '../request-properties.ts'
import type { TileDeps } from './send-tile.ts'
import { countsText, mvt } from './send-tile.ts'
import { chosenProperties, parseProperties } from './tile-query.ts'

const unzip = promisify(gunzip)

/**
 * Withdrawn data must not be public: earlier versions are for signed-in users only, also of public layers.
 */
export function requireLoginForVersions({ caller }: FastifyRequest): void {
  if (!hasRole(caller, 'user')) throw loginNeeded()
}

/** Parses a version number in an address. */
export function parseVersion(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw invalid('invalid-parameter', `version "${text}" is not the number of a version`)
}

/** Query parameter for an earlier version of a layer. */
export const requestedVersion = Type.Optional(
  Type.String({
    description:
      'Version of the layer; one layer only, and only for users who are logged in. Not related to `v` of tiles',
  }),
)

function singleLayer(layers: readonly LayerRecord[]): LayerRecord {
  const [layer, ...others] = layers
  if (layer !== undefined && others.length === 0) return layer
  throw invalid('invalid-parameter', 'version needs a single layer')
}

/** Returns the one requested layer at an earlier version. */
export function earlierLayer(
  earlier: Pick<PreviousVersions, 'at' | 'tile'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { layers, version }: { layers: readonly LayerRecord[]; version: string },
): Promise<EarlierLayer> {
  requireLoginForVersions(request)
  return earlier.at(singleLayer(layers), parseVersion(version), requestSignal(reply))
}

/** Sends a vector tile of a layer at an earlier version. */
export async function sendTileOfVersion(
  { earlier, limiter }: Pick<TileDeps, 'earlier' | 'limiter'>,
  reply: FastifyReply,
  { layers, tile, version }: { layers: readonly LayerRecord[]; tile: TileAddress; version: string },
): Promise<FastifyReply> {
  requireLoginForVersions(reply.request)
  const layer = singleLayer(layers)
  const names = parseProperties(reply.request.url)
  const made = await limiter.run(reply, async (signal) => {
    const then = await earlier.at(layer, parseVersion(version), signal)
    return earlier.tile(then, { tile, attributes: chosenProperties(then.layer, names) }, signal)
  })
  if (made === undefined) return reply.hijack()
  keepPrivately(reply)
  reply.header('terrane-tile', countsText([made]))
  if (made.bytes.length === 0) return reply.code(204).send()
  return reply.header('content-type', mvt).send(await unzip(made.bytes))
}
