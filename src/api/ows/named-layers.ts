import { hasRole, isTokenLayer } from '../../access/index.ts'
import type { Catalog, LayerRecord, SummaryKind } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
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
  if (found === undefined) return undefined
  const { caller } = request
  const mayRead = found.isPublic || hasRole(caller, 'user') || isTokenLayer(caller, found.layer)
  return mayRead ? found.layer : undefined
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
  { caller }: FastifyRequest,
  name: string,
  kinds: readonly SummaryKind[],
): Promise<string[]> {
  const known = await cards.now()
  const isUser = hasRole(caller, 'user')
  const found: string[] = []
  for (const [id, card] of known.byId)
    if (card.name === name && kinds.includes(card.kind))
      if (isUser || known.open.byId.has(id) || isTokenLayer(caller, card)) found.push(card.workspace)
  return found.sort()
}

/**
 * Throws `OwsFailure` (404) for a workspace that does not exist, and the same for one in which the caller may
 * read nothing: neither the workspace nor one of its layers is public.
 */
export async function requireWorkspace(
  { workspaces, cards }: Pick<Catalog, 'workspaces' | 'cards'>,
  { caller }: Pick<FastifyRequest, 'caller'>,
  name: string,
): Promise<void> {
  const found = await workspaces.find(name)
  if (found !== undefined && (found.isPublic || hasRole(caller, 'user'))) return
  if (found !== undefined) {
    const { open } = await cards.now()
    for (const card of open.byId.values()) if (card.workspace === name) return
    for (const layer of caller.tokenLayers ?? []) if (layer.startsWith(`${name}:`)) return
  }
  const text = `Workspace "${name.slice(0, 200)}" does not exist, or needs a login`
  throw new OwsFailure('InvalidParameterValue', text, 'workspace', 404)
}

/** The layers of a request, in its order; throws `OwsFailure` (`LayerNotDefined`), the same for what is not there and what is closed. */
export async function requireLayers(
  catalog: Pick<Catalog, 'layers' | 'cards'>,
  request: FastifyRequest,
  names: readonly string[],
  { workspace, parameter }: { workspace: string | undefined; parameter: string },
): Promise<LayerRecord[]> {
  const place: Location = { workspace, kinds: ['vector', 'raster'] }
  const layers = await Promise.all(
    names.map(async (name) => {
      const layer = await findRequestedLayer(catalog, request, name, place)
      if (layer !== undefined) return layer
      const text = `Layer "${name}" does not exist, or needs a login`
      throw new OwsFailure('LayerNotDefined', text, parameter, 404)
    }),
  )
  request.usedLayers = [...new Map(layers.map((layer) => [layer.id, layer])).values()]
  return layers
}
