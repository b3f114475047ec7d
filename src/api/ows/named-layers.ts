import type { Catalog, LayerRecord, SummaryKind } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { findReadableGroup, parseGroupName, type ReadableGroup } from '../readable-groups.ts'
import { isWorkspaceReadable } from '../readable-workspace.ts'
import { OwsFailure } from './ows-failure.ts'

/** Number of names listed if a name is ambiguous. */
const maxListed = 5

/** Scope of a name. */
interface Location {
  /** Only its layers. */
  workspace: string | undefined
  /** Kinds that a name without a workspace may refer to. */
  kinds: readonly SummaryKind[]
}

/**
 * Finds the layer of a name: `workspace:name`, below a workspace the name alone, elsewhere too if it is
 * unique among the layers that the caller may read. Undefined for a layer that the caller may not read;
 * throws `OwsFailure` for an ambiguous name.
 */
export async function findRequestedLayer(
  catalog: Pick<Catalog, 'layers' | 'cards'>,
  request: FastifyRequest,
  name: string,
  { workspace, kinds }: Location,
): Promise<LayerRecord | undefined> {
  const colon = name.indexOf(':')
  const place =
    colon < 0 ? (workspace ?? (await onlyPlaceOf(catalog, request, name, kinds))) : name.slice(0, colon)
  if (place === undefined || (workspace !== undefined && place !== workspace)) return undefined
  const found = await catalog.layers.findForReading(place, name.slice(colon + 1))
  return found !== undefined && (await request.rights()).can('read', found) ? found : undefined
}

async function onlyPlaceOf(
  catalog: Pick<Catalog, 'cards'>,
  request: FastifyRequest,
  name: string,
  kinds: readonly SummaryKind[],
): Promise<string | undefined> {
  const places = await placesOf(catalog, request, name, kinds)
  if (places.length <= 1) return places[0]
  const reported = places.slice(0, maxListed).map((one) => `${one}:${name}`)
  throw new OwsFailure(
    'LayerNotDefined',
    `Several layers are called "${name}": ask for one of ${reported.join(', ')}`,
    'layers',
    404,
  )
}

/** The workspaces of the layers of a name that the caller may read. */
export async function placesOf(
  { cards }: Pick<Catalog, 'cards'>,
  request: FastifyRequest,
  name: string,
  kinds: readonly SummaryKind[],
): Promise<string[]> {
  const set = (await cards.now()).readableBy(await request.rights())
  const found: string[] = []
  for (const card of set.byId.values())
    if (card.name === name && kinds.includes(card.kind)) found.push(card.workspace)
  return found.sort()
}

/**
 * Throws `OwsFailure` (404) for a workspace that does not exist, and the same for one in which the caller may
 * read nothing: neither the workspace nor one of its layers is public.
 */
export async function requireWorkspace(
  catalog: Pick<Catalog, 'workspaces' | 'cards'>,
  request: Pick<FastifyRequest, 'rights'>,
  name: string,
): Promise<void> {
  if (await isWorkspaceReadable(catalog, await request.rights(), name)) return
  const text = `Workspace "${name.slice(0, 200)}" does not exist, or needs a login`
  throw new OwsFailure('InvalidParameterValue', text, 'workspace', 404)
}

/** A layer of a request: named itself, or by a group. */
export interface RequestedLayer {
  layer: LayerRecord
  /** Position of its name in the request. */
  position: number
  /** The group that names it. */
  group?: ReadableGroup['group']
  /** Style that the group names. */
  style?: string | undefined
}

/**
 * Returns the layers of a request in its order, for a group those of its layers that the caller may read. Throws
 * `OwsFailure` (`LayerNotDefined`) for a missing name, the same for one of which the caller may read nothing.
 */
export async function requireLayersAndGroups(
  catalog: Pick<Catalog, 'layers' | 'cards' | 'layerGroups'>,
  request: FastifyRequest,
  names: readonly string[],
  { workspace, parameter }: { workspace: string | undefined; parameter: string },
): Promise<RequestedLayer[]> {
  const place: Location = { workspace, kinds: ['vector', 'raster'] }
  const found = await Promise.all(
    names.map(async (name, position): Promise<RequestedLayer[]> => {
      const layer = await findRequestedLayer(catalog, request, name, place)
      if (layer !== undefined) return [{ layer, position }]
      const readable = await findRequestedGroup(catalog, request, name, workspace)
      if (readable !== undefined)
        return readable.members.map((member) => ({ ...member, position, group: readable.group }))
      const text = `Layer "${name}" does not exist, or needs a login`
      throw new OwsFailure('LayerNotDefined', text, parameter, 404)
    }),
  )
  const layers = found.flat()
  request.usedLayers = [...new Map(layers.map(({ layer }) => [layer.id, layer])).values()]
  return layers
}

/** Finds a group by its name: below a workspace one of it, elsewhere one of no workspace too. */
async function findRequestedGroup(
  catalog: Pick<Catalog, 'layers' | 'layerGroups'>,
  request: Pick<FastifyRequest, 'rights'>,
  name: string,
  workspace: string | undefined,
): Promise<ReadableGroup | undefined> {
  const parsed = parseGroupName(name)
  if (workspace !== undefined && parsed.workspace !== undefined && parsed.workspace !== workspace)
    return undefined
  const place = { ...parsed, workspace: parsed.workspace ?? workspace }
  return findReadableGroup(catalog, await request.rights(), place)
}
