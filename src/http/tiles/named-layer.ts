import { hasRole } from '../../accounts/caller.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { notFound } from '../../lib/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import type { TileParts } from './tile-parts.ts'

/** The layer that `<workspace>:<layer>` names; one that the caller may not read is as good as none. */
export async function namedLayer(
  { catalog: { layers } }: Pick<TileParts, 'catalog'>,
  request: FastifyRequest,
  id: string,
): Promise<LayerRecord> {
  const colon = Math.max(id.indexOf(':'), 0)
  const layer = await layers.find(id.slice(0, colon), id.slice(colon + 1))
  const isReadable =
    layer !== undefined && (hasRole(request.caller, 'user') || (await layers.isPublic(layer)))
  if (!isReadable) throw notFound('unknown-layer', `Layer "${id}" does not exist, or needs a login`)
  request.usedLayer = layer
  return layer
}
