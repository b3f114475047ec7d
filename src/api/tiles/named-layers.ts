import type { Rights } from '../../access/index.ts'
import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { invalid, notFound } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'

/** Maximum number of layers in one tile. */
export const maxTileLayers = 20

/**
 * Returns the layers in the address of a request, as `<workspace>:<name>`: `a,b` in its second segment. A
 * comma in a name is written `%2C`, which only the undecoded address distinguishes from a separator.
 */
function parseLayerNames(url: string): string[] {
  const [, , segment = ''] = url.split(/[/?]/, 3)
  if (!segment.includes(',')) return [decodeURIComponent(segment)]
  const ids = segment.split(',').map(decodeURIComponent)
  if (ids.length > maxTileLayers)
    throw invalid('too-many-layers', `A tile has at most ${maxTileLayers} layers, found ${ids.length}`)
  const names = new Set<string>()
  for (const id of ids) {
    const name = id.slice(id.indexOf(':') + 1)
    if (names.has(name))
      throw invalid('equal-layers', `Two layers are named "${name}": in one tile each has a name of its own`)
    names.add(name)
  }
  return ids
}

/** Returns a layer's path segment, with commas, slashes and percent signs of its name escaped. */
export function layerSegment({ workspace, name }: { workspace: string; name: string }): string {
  return `${encodeURIComponent(workspace)}:${encodeURIComponent(name)}`
}

/** Returns the layers in the path, in order; a layer that the caller may not read counts as missing. */
export async function namedLayers(
  layers: Pick<Layers, 'findForReading'>,
  request: FastifyRequest,
): Promise<LayerRecord[]> {
  const ids = parseLayerNames(request.url)
  const [only = ''] = ids
  const rights = await request.rights()
  const found =
    ids.length === 1
      ? [await readableLayer(layers, rights, only)]
      : await Promise.all(ids.map((id) => readableLayer(layers, rights, id)))
  request.usedLayers = found
  return found
}

async function readableLayer(
  layers: Pick<Layers, 'findForReading'>,
  rights: Rights,
  id: string,
): Promise<LayerRecord> {
  const colon = Math.max(id.indexOf(':'), 0)
  const found = await layers.findForReading(id.slice(0, colon), id.slice(colon + 1))
  if (found !== undefined && rights.can('read', found)) return found
  throw notFound('unknown-layer', `Layer "${id}" does not exist, or needs a login`)
}
