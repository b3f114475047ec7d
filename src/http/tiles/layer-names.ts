import { invalid } from '../../lib/errors.ts'

/** Maximum number of layers in one tile. */
export const maxTileLayers = 20

/**
 * Returns the layers in the address of a request, as `<workspace>:<name>`: `a,b` in its second segment. A
 * comma in a name is written `%2C`, which only the undecoded address distinguishes from a separator.
 */
export function parseLayerNames(url: string): string[] {
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
