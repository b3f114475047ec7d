import type { Rights } from '../../access/index.ts'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { invalid, notFound } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { findReadableGroup, parseGroupName, type ReadableMember } from '../readable-groups.ts'

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
  requireDifferentNames(ids.map((id) => ({ name: id.slice(id.indexOf(':') + 1) })))
  return ids
}

/** Throws `Failure` (`invalid`, `equal-layers`) for layers of one tile with the same name. */
export function requireDifferentNames(named: readonly { name: string }[]): void {
  const names = new Set<string>()
  for (const { name } of named) {
    if (names.has(name))
      throw invalid('equal-layers', `Two layers are named "${name}": in one tile each has a name of its own`)
    names.add(name)
  }
}

/** Returns a layer's path segment, with commas, slashes and percent signs of its name escaped. */
export function layerSegment({ workspace, name }: { workspace: string; name: string }): string {
  return `${encodeURIComponent(workspace)}:${encodeURIComponent(name)}`
}

type TileCatalog = Pick<Catalog, 'layers' | 'layerGroups'>

/**
 * Returns the layers in the path, in order, for a group its layers; what the caller may not read counts as
 * missing. `kind`: of a group with layers of both kinds, only its feature layers.
 */
export async function namedLayers(
  catalog: TileCatalog,
  request: FastifyRequest,
  options: { kind?: 'vector' } = {},
): Promise<LayerRecord[]> {
  return (await namedMembers(catalog, request, options)).map(({ layer }) => layer)
}

/** The same with the styles that groups name. */
export async function namedMembers(
  catalog: TileCatalog,
  request: FastifyRequest,
  { kind }: { kind?: 'vector' } = {},
): Promise<ReadableMember[]> {
  const ids = parseLayerNames(request.url)
  const [only = ''] = ids
  const rights = await request.rights()
  // Most tiles are of one layer.
  const layer = ids.length === 1 ? await readableLayer(catalog, rights, only) : undefined
  const members = layer === undefined ? await readableMembers(catalog, request, ids, kind) : [{ layer }]
  request.usedLayers = members.map((member) => member.layer)
  return members
}

/** Returns the layers of several names, or of a group. */
async function readableMembers(
  catalog: TileCatalog,
  request: FastifyRequest,
  ids: readonly string[],
  kind: 'vector' | undefined,
): Promise<ReadableMember[]> {
  const rights = await request.rights()
  const found = await Promise.all(ids.map((id) => findMembers(catalog, rights, id)))
  const members = found.flatMap((one) => one.members)
  if (!found.some(({ isGroup }) => isGroup)) return members
  const vectors = members.filter(({ layer }) => layer.details.kind === 'vector')
  const shown = kind === 'vector' && vectors.length > 0 ? vectors : members
  const hidden = members.filter((member) => !shown.includes(member))
  if (hidden.length > 0)
    request.reportIgnored(hidden.map(({ layer }) => `layer=${layer.workspace}:${layer.name}`))
  requireOneTile(shown)
  return shown
}

function requireOneTile(members: readonly ReadableMember[]): void {
  if (members.length > maxTileLayers)
    throw invalid('too-many-layers', `A tile has at most ${maxTileLayers} layers, found ${members.length}`)
  requireDifferentNames(members.map(({ layer }) => layer))
}

async function findMembers(
  catalog: TileCatalog,
  rights: Rights,
  id: string,
): Promise<{ members: ReadableMember[]; isGroup: boolean }> {
  const layer = await readableLayer(catalog, rights, id)
  if (layer !== undefined) return { members: [{ layer }], isGroup: false }
  const group = await findReadableGroup(catalog, rights, parseGroupName(id))
  if (group !== undefined) return { members: group.members, isGroup: true }
  throw notFound('unknown-layer', `Layer "${id}" does not exist, or needs a login`)
}

async function readableLayer(
  { layers }: TileCatalog,
  rights: Rights,
  id: string,
): Promise<LayerRecord | undefined> {
  const colon = Math.max(id.indexOf(':'), 0)
  const found = await layers.findForReading(id.slice(0, colon), id.slice(colon + 1))
  return found !== undefined && rights.can('read', found) ? found : undefined
}
