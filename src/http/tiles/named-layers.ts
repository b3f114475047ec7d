import { hasRole } from '../../accounts/caller.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { notFound } from '../../lib/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { parseLayerNames } from './layer-names.ts'
import type { TileDeps } from './tile-deps.ts'

/** Returns the layers in the path, in order; a layer that the caller may not read counts as missing. */
export async function namedLayers(
  deps: Pick<TileDeps, 'catalog'>,
  request: FastifyRequest,
): Promise<LayerRecord[]> {
  const ids = parseLayerNames(request.url)
  const [only = ''] = ids
  const layers =
    ids.length === 1
      ? [await readableLayer(deps, request, only)]
      : await Promise.all(ids.map((id) => readableLayer(deps, request, id)))
  request.usedLayers = layers
  return layers
}

async function readableLayer(
  { catalog: { layers } }: Pick<TileDeps, 'catalog'>,
  { caller }: FastifyRequest,
  id: string,
): Promise<LayerRecord> {
  const colon = Math.max(id.indexOf(':'), 0)
  const found = await layers.findForReading(id.slice(0, colon), id.slice(colon + 1))
  if (found !== undefined && (found.isPublic || hasRole(caller, 'user'))) return found.layer
  throw notFound('unknown-layer', `Layer "${id}" does not exist, or needs a login`)
}
