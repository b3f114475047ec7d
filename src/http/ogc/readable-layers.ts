import { hasRole } from '../../accounts/caller.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { Failure, notFound } from '../../lib/errors.ts'
import type { FastifyRequest, HttpContext } from '../app-types.ts'

/** The layer that `<workspace>:<layer>` names; the anonymous do not learn whether one that is not public exists. */
export async function readableLayer(
  { catalog: { layers } }: HttpContext,
  request: FastifyRequest,
): Promise<LayerRecord> {
  const { collectionId } = request.params as { collectionId: string }
  const colon = Math.max(collectionId.indexOf(':'), 0)
  const layer = await layers.find(collectionId.slice(0, colon), collectionId.slice(colon + 1))
  const isUser = hasRole(request.caller, 'user')
  if (layer !== undefined && (isUser || (await layers.isPublic(layer)))) {
    request.usedLayer = layer
    return layer
  }
  if (isUser) throw notFound('unknown-collection', `Collection "${collectionId}" does not exist`)
  throw new Failure(
    'unauthenticated',
    'login-required',
    'This collection is not public: credentials are needed',
  )
}

export async function readableLayers(
  { catalog }: HttpContext,
  { caller }: FastifyRequest,
): Promise<LayerRecord[]> {
  const layers = await catalog.layers.list()
  return hasRole(caller, 'user') ? layers : catalog.layers.onlyPublic(layers)
}
