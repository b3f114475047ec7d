import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/index.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { type PreviousVersions, requireVectorTiles } from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { operation } from '../endpoint.ts'
import { requestSignal } from '../request-properties.ts'
import { tokenForLinks, urlToken } from '../url-token.ts'
import type { LayerAtVersion } from './caching.ts'
import { hasAlready, setCacheControl, versionsText } from './caching.ts'
import { layerSegment, maxTileLayers, namedLayers } from './named-layers.ts'
import type { TileDeps } from './send-tile.ts'
import { versionsOf } from './send-tile.ts'
import { isChangedByOthers, tileExtentOf } from './tile-bounds.ts'
import type { TileFilter } from './tile-query.ts'
import { filterOf, filterText, tileAttributes, tileFilter } from './tile-query.ts'
import { earlierLayer, requestedVersion } from './version-tiles.ts'

const Params = Type.Object({
  layer: Type.String({
    description: `Workspace and layer, such as \`city:trees\`; up to ${maxTileLayers} separated by commas, whose names differ; or a group of layers`,
  }),
})
const Fields = Type.Record(
  Type.String(),
  Type.Union([Type.Literal('Number'), Type.Literal('String'), Type.Literal('Boolean')]),
)
const TileJson = Type.Object(
  {
    tilejson: Type.Literal('3.0.0'),
    name: Type.String(),
    tiles: Type.Array(Type.String({ description: 'URL template with `{z}`, `{x}` and `{y}`' })),
    vector_layers: Type.Optional(
      Type.Array(
        Type.Object({ id: Type.String(), fields: Fields, minzoom: Type.Integer(), maxzoom: Type.Integer() }),
        { description: 'Absent if the tiles are images' },
      ),
    ),
    bounds: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 4,
        description: 'West, south, east, north; absent if unknown',
      }),
    ),
    center: Type.Optional(
      Type.Array(Type.Number(), { minItems: 3, maxItems: 3, description: 'Longitude, latitude, zoom' }),
    ),
    minzoom: Type.Integer(),
    maxzoom: Type.Integer({
      description: 'Deepest zoom with tiles; clients enlarge these tiles for deeper zooms',
    }),
    attribution: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String({ description: 'Owners of the layers' })),
    citation: Type.Optional(Type.String({ description: 'How to cite the layers' })),
    doi: Type.Optional(Type.String({ description: 'DOIs of the layers' })),
    terrane: Type.Object({
      version: Type.Optional(Type.Integer({ description: 'Of the layer' })),
      versions: Type.Optional(
        Type.Record(Type.String(), Type.Integer(), { description: 'Of each of several layers' }),
      ),
    }),
  },
  { title: 'TileJSON' },
)
const zooms = { minzoom: 0, maxzoom: 18 }

/** Types of values in tiles. */
const fieldTypes: Record<Exclude<AttributeType, 'binary'>, 'Number' | 'String' | 'Boolean'> = {
  boolean: 'Boolean',
  int16: 'Number',
  int32: 'Number',
  int64: 'Number',
  float32: 'Number',
  float64: 'Number',
  decimal: 'String',
  text: 'String',
  date: 'String',
  time: 'String',
  timestamp: 'String',
}

function vectorLayer(layer: LayerRecord) {
  const names = new Set(tileAttributes(layer))
  const fields = layer.details.schema.attributes.flatMap(({ name, type }) =>
    names.has(name) && type !== 'binary' ? [[name, fieldTypes[type]] as const] : [],
  )
  return { id: layer.name, fields: Object.fromEntries(fields), ...zooms }
}

/** Returns the URL template of the tiles, with the token if it was in the address. */
function tilesTemplate(
  request: FastifyRequest<{ Querystring: TileFilter }>,
  layers: readonly LayerRecord[],
  version: string,
  ending: 'mvt' | 'png',
): string {
  const path = `/tiles/${layers.map(layerSegment).join(',')}`
  const query = [version, filterText(request.query), tokenForLinks(request)]
    .filter((one) => one !== '')
    .join('&')
  return `${request.link(path)}/{z}/{x}/{y}.${ending}?${query}`
}

function versionsToTell(layers: readonly LayerRecord[], known: readonly LayerAtVersion[]) {
  if (known.length === 1) return { version: known[0]?.version }
  const pairs = layers.map((layer, index) => [
    `${layer.workspace}:${layer.name}`,
    known[index]?.version ?? layer.version,
  ])
  return { versions: Object.fromEntries(pairs) as Record<string, number> }
}

/** Clients may render it as HTML: it is escaped. */
export function attributionOf(layers: readonly LayerRecord[]): string | undefined {
  const texts = new Set(layers.map(({ details }) => details.attribution).filter((one) => one !== undefined))
  const text = [...texts].join(', ').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return text === '' ? undefined : text
}

/** Returns owner, citation and DOI of layers; of several layers each different text once. */
function termsOf(layers: readonly LayerRecord[]): { owner?: string; citation?: string; doi?: string } {
  const joined = (name: 'owner' | 'citation' | 'doi', separator: string): string | undefined => {
    const texts = new Set(layers.map(({ details }) => details[name]).filter((one) => one !== undefined))
    return [...texts].filter((one) => one !== '').join(separator) || undefined
  }
  return { owner: joined('owner', ', '), citation: joined('citation', '\n'), doi: joined('doi', ', ') }
}

export const getTileJson = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  summary: 'Get TileJSON 3.0 of one or several layers',
  description:
    'Template of the addresses of tiles, zooms, bounds, attribution and the attributes of each vector layer. Several layers are named separated by commas.',
  params: Params,
  query: Type.Object({ version: requestedVersion, ...tileFilter, ...urlToken }),
  answers: { 200: TileJson },
  handle: async (deps: TileDeps, request, reply) => {
    const layers = await namedLayers(deps.catalog, request, { kind: 'vector' })
    const { version } = request.query
    filterOf(request.query, layers)
    if (version !== undefined) return earlierTileJson(deps.earlier, request, reply, layers, version)
    const raster = layers.length === 1 ? layers.find(({ details }) => details.kind === 'raster') : undefined
    if (raster === undefined) for (const layer of layers) await deps.maps.requireTiles(layer)
    const known = await versionsOf(deps.catalog.layers, layers)
    const kind = raster === undefined ? 'mvt' : 'png'
    const tiles = [tilesTemplate(request, layers, `v=${versionsText(known)}`, kind)]
    setCacheControl(deps, reply, known)
    if (hasAlready(request, deps, known)) return reply.code(304).send()
    // Clients ask for nothing outside the bounds.
    const isChanged = layers.some((layer, index) =>
      isChangedByOthers(layer, known[index]?.version ?? layer.version),
    )
    return {
      tilejson: '3.0.0',
      name: layers.map(({ details }) => details.title).join(', '),
      tiles,
      vector_layers: raster === undefined ? layers.map(vectorLayer) : undefined,
      ...(isChanged ? {} : await tileExtentOf(layers)),
      ...(raster === undefined ? zooms : await deps.rasters.zooms(raster, requestSignal(reply))),
      attribution: attributionOf(layers),
      ...termsOf(layers),
      terrane: versionsToTell(layers, known),
    }
  },
})

/** The same of a layer as it was: its tiles are those of the version. */
async function earlierTileJson(
  earlier: Pick<PreviousVersions, 'at' | 'tile'>,
  request: FastifyRequest<{ Querystring: TileFilter }>,
  reply: FastifyReply,
  layers: readonly LayerRecord[],
  version: string,
): Promise<Static<typeof TileJson>> {
  const { layer } = await earlierLayer(earlier, request, reply, { layers, version })
  requireVectorTiles(layer)
  keepPrivately(reply)
  return {
    tilejson: '3.0.0',
    name: layer.details.title,
    tiles: [tilesTemplate(request, [layer], `version=${version}`, 'mvt')],
    vector_layers: [vectorLayer(layer)],
    ...(await tileExtentOf([layer])),
    ...zooms,
    attribution: attributionOf([layer]),
    ...termsOf([layer]),
    terrane: { version: Number(version) },
  }
}
