import { invalid } from '../../lib/errors.ts'

/** More layers in one tile are more than one map needs. */
export const mostLayers = 20

/**
 * The layers that the address of a request names, as `<workspace>:<name>`: `a,b` in its second segment. A comma of a name is
 * written `%2C`, which only the address as it was sent tells from one between names.
 */
export function parseLayerNames(url: string): string[] {
  const [, , segment = ''] = url.split(/[/?]/, 3)
  if (!segment.includes(',')) return [decodeURIComponent(segment)]
  const ids = segment.split(',').map(decodeURIComponent)
  if (ids.length > mostLayers)
    throw invalid('too-many-layers', `A tile has at most ${mostLayers} layers, found ${ids.length}`)
  const names = new Set<string>()
  for (const id of ids) {
    const name = id.slice(id.indexOf(':') + 1)
    if (names.has(name))
      throw invalid('equal-layers', `Two layers are named "${name}": in one tile each has a name of its own`)
    names.add(name)
  }
  return ids
}

/** A layer as it stands in a path: a comma, slash or percent sign of its name does not take its part there. */
export function layerSegment({ workspace, name }: { workspace: string; name: string }): string {
  return `${encodeURIComponent(workspace)}:${encodeURIComponent(name)}`
}
