import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/records.ts'
import { keepPrivately } from '../caching.ts'
import { operation } from '../endpoint.ts'
import { namedLayer } from './named-layer.ts'
import type { TileParts } from './tile-parts.ts'

const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
})
const TileJson = Type.Object(
  {
    tilejson: Type.Literal('3.0.0'),
    name: Type.String(),
    tiles: Type.Array(Type.String()),
    vector_layers: Type.Array(
      Type.Object({
        id: Type.String(),
        fields: Type.Record(Type.String(), Type.String()),
        minzoom: Type.Integer(),
        maxzoom: Type.Integer(),
      }),
    ),
    minzoom: Type.Integer(),
    maxzoom: Type.Integer(),
    terrane: Type.Object({ version: Type.Integer() }),
  },
  { title: 'TileJSON' },
)
const zooms = { minzoom: 0, maxzoom: 18 }

function fieldsOf({ details: { schema } }: LayerRecord): Record<string, string> {
  return Object.fromEntries(schema.attributes.map(({ name, type }) => [name, type]))
}

export const getTileJson = operation({
  tags: ['tiles'],
  isPublicRead: true,
  summary: 'Where the tiles of a layer are, as TileJSON',
  params: Params,
  answers: { 200: TileJson },
  handle: async (parts: TileParts, request, reply) => {
    const { layer: id } = request.params
    const layer = await namedLayer(parts, request, id)
    const { version } = await parts.catalog.layers.versionOf(layer)
    keepPrivately(reply)
    const path = request.link(`/tiles/${encodeURIComponent(id)}`)
    return {
      tilejson: '3.0.0',
      name: layer.details.title,
      tiles: [`${path}/{z}/{x}/{y}.mvt?v=${version}`],
      vector_layers: [{ id: layer.name, fields: fieldsOf(layer), ...zooms }],
      ...zooms,
      terrane: { version },
    }
  },
})
