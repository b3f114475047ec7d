import { Type } from 'typebox'
import { hasRole } from '../../../access/index.ts'
import {
  type Catalog,
  type LayerRecord,
  type MapLayer,
  type SavedMap,
  unknownMap,
} from '../../../catalog/index.ts'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import { type FastifyRequest, loginNeeded } from '../../app-types.ts'
import { keepPrivately } from '../../caching.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { etagOf, requireMatch, sendEntity } from '../../etag.ts'
import { readFilterQuery } from '../../filter-query.ts'
import {
  MapBody,
  MapList,
  MapReply,
  mapPath,
  readMapBody,
  toMapResponse,
  toMapSummary,
} from './map-schemas.ts'
import { restoreUnseen } from './unseen-layers.ts'

/** Dependencies of the endpoints of saved maps. */
export interface MapDeps {
  catalog: Pick<Catalog, 'savedMaps' | 'layers'>
}

const tags = ['maps']
const params = Type.Object({ map: Type.String({ description: 'Name of a saved map' }) })
const newMap = { title: '', layers: [], hasBackground: true, hasLegend: true, isPublic: false }

export const listMaps = operation({
  summary: 'List saved maps',
  description:
    'Public maps and maps of the caller, by name; all maps for staff. Anonymous callers get public maps only.',
  tags,
  isPublicRead: true,
  answers: { 200: MapList },
  handle: async ({ catalog: { savedMaps } }: MapDeps, request, reply) => {
    const { caller } = request
    const maps = hasRole(caller, 'staff') ? await savedMaps.listAll() : await savedMaps.listFor(caller.name)
    keepPrivately(reply)
    return { maps: maps.map((map) => toMapSummary(request, map)) }
  },
})

export const createMap = operation({
  summary: 'Save a map',
  description:
    'Saves layers with order, styles, opacities and filters, and the view. A map grants no right to read its layers.',
  tags,
  idempotent: true,
  body: MapBody,
  answers: { 201: MapReply },
  handle: async (deps: MapDeps, request, reply) => {
    const { name, ...body } = request.body.map
    if (name === undefined) throw invalid('invalid-body', 'A new map needs "map.name"')
    const values = readMapBody(body, { ...newMap, title: name })
    await requireLayers(deps, request, values.layers)
    const map = await deps.catalog.savedMaps.create(name, request.caller.name, values)
    return reply
      .code(201)
      .header('location', request.link(mapPath(name)))
      .send(await describe(deps, request, map))
  },
})

export const showMap = operation({
  summary: 'Show one saved map',
  description:
    'Omits layers that were deleted or that the caller may not read; `omittedLayers` and `note` report them.',
  tags,
  isPublicRead: true,
  params,
  answers: { 200: MapReply },
  handle: async (deps: MapDeps, request, reply) => {
    const response = await describe(deps, request, await readableMap(deps, request))
    keepPrivately(reply)
    return sendEntity(request, reply, response)
  },
})

export const changeMap = operation({
  summary: 'Change a saved map',
  description:
    'Only the owner and staff may change a map. Absent members keep their values, except the view of new layers. `layers` replaces the layers that the caller may read; other layers keep their positions.',
  tags,
  params,
  body: MapBody,
  answers: { 200: MapReply },
  handle: async (deps: MapDeps, request, reply) => {
    const map = await ownMap(deps, request)
    requireMatch(request, await describe(deps, request, map))
    const { name, ...body } = request.body.map
    if (name !== undefined && name !== map.name)
      throw invalid(
        'invalid-body',
        `The name of map "${map.name}" cannot be changed: save it under another one`,
      )
    const values = readMapBody(body, map)
    if (body.layers !== undefined) {
      await requireLayers(deps, request, values.layers)
      values.layers = restoreUnseen(
        map.layers,
        await readableLayers(deps, request, map.layers),
        values.layers,
      )
    }
    const changed = await describe(deps, request, await deps.catalog.savedMaps.change(map, values))
    return reply.header('etag', etagOf(changed)).send(changed)
  },
})

export const deleteMap = operation({
  summary: 'Delete a saved map',
  description: 'Only the owner and staff may delete a map. Its layers remain.',
  tags,
  params,
  answers: { 200: empty() },
  handle: async (deps: MapDeps, request, reply) => {
    const map = await ownMap(deps, request)
    requireMatch(request, await describe(deps, request, map))
    await deps.catalog.savedMaps.delete(map)
    return reply.code(200).send()
  },
})

async function describe(deps: MapDeps, request: FastifyRequest, map: SavedMap) {
  const readable = await readableLayers(deps, request, map.layers)
  return toMapResponse(request, map, { readable, mayChange: mayChange(request, map) })
}

function mayChange({ caller }: FastifyRequest, { owner }: SavedMap): boolean {
  return hasRole(caller, 'staff') || (hasRole(caller, 'user') && owner === caller.name)
}

/** Returns the map of the path. A private map of others answers like a missing one. */
async function readableMap(
  { catalog }: MapDeps,
  request: FastifyRequest<{ Params: { map: string } }>,
): Promise<SavedMap> {
  const map = await catalog.savedMaps.find(request.params.map)
  if (map !== undefined && (map.isPublic || mayChange(request, map))) return map
  throw hasRole(request.caller, 'user') ? unknownMap(request.params.map) : loginNeeded()
}

async function ownMap(
  deps: MapDeps,
  request: FastifyRequest<{ Params: { map: string } }>,
): Promise<SavedMap> {
  const map = await readableMap(deps, request)
  if (mayChange(request, map)) return map
  throw new Failure('forbidden', 'forbidden', `Only the owner of map "${map.name}", or staff, may change it`)
}

/** Returns the layers that the caller may read. */
async function readableLayers(
  deps: MapDeps,
  request: FastifyRequest,
  layers: readonly MapLayer[],
): Promise<MapLayer[]> {
  const shown = await Promise.all(layers.map(({ name }) => findReadable(deps, request, name)))
  return layers.filter((_, index) => shown[index] !== undefined)
}

async function findReadable(
  { catalog: { layers } }: MapDeps,
  request: FastifyRequest,
  name: string,
): Promise<LayerRecord | undefined> {
  const layer = await layers.findNamed(name)
  return layer !== undefined && (await request.rights()).can('read', layer) ? layer : undefined
}

/** Throws `Failure` for a layer that the caller may not read, one that is there twice, and a wrong filter. */
async function requireLayers(
  deps: MapDeps,
  request: FastifyRequest,
  layers: readonly MapLayer[],
): Promise<void> {
  const names = new Set<string>()
  for (const { name, filter } of layers) {
    if (names.has(name)) throw invalid('invalid-body', `Layer "${name}" is in the map twice`)
    names.add(name)
    const layer = await findReadable(deps, request, name)
    if (layer === undefined) throw invalid('unknown-layer', `Layer "${name}" of the map does not exist`)
    if (filter === undefined) continue
    if (layer.details.kind === 'raster')
      throw invalid('invalid-body', `Layer "${name}" is a raster: it has no features to filter`)
    readFilterQuery({ filter }, layer.details.schema)
  }
}
