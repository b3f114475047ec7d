import { hasRole } from '../../accounts/caller.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { FastifyRequest } from '../app-types.ts'
import { OwsFailure } from './ows-failure.ts'

/** The layer that a name means: `workspace:name`, below a workspace the name alone. Undefined for one that the caller may not read. */
export async function findLayer(
  { layers }: Pick<Catalog, 'layers'>,
  { caller }: FastifyRequest,
  name: string,
  workspace: string | undefined,
): Promise<LayerRecord | undefined> {
  const colon = name.indexOf(':')
  const [place, plain] =
    workspace !== undefined && colon < 0
      ? [workspace, name]
      : [name.slice(0, Math.max(colon, 0)), name.slice(colon + 1)]
  if (workspace !== undefined && place !== workspace) return undefined
  const found = await layers.findForReading(place, plain)
  return found !== undefined && (found.isPublic || hasRole(caller, 'user')) ? found.layer : undefined
}

/** The layers of a request, in its order; throws `OwsFailure` (`LayerNotDefined`), the same for what is not there and what is closed. */
export async function requireLayers(
  catalog: Pick<Catalog, 'layers'>,
  request: FastifyRequest,
  names: readonly string[],
  { workspace, parameter }: { workspace: string | undefined; parameter: string },
): Promise<LayerRecord[]> {
  const layers = await Promise.all(
    names.map(async (name) => {
      const layer = await findLayer(catalog, request, name, workspace)
      if (layer !== undefined) return layer
      const text = `Layer "${name}" does not exist, or needs a login`
      throw new OwsFailure('LayerNotDefined', text, parameter, 404)
    }),
  )
  request.usedLayers = [...new Map(layers.map((layer) => [layer.id, layer])).values()]
  return layers
}
