import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { forbidden } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { Linked } from '../catalog/paths.ts'

/** Dependencies of the endpoints of cached tiles. */
export interface TileLayerDeps {
  catalog: Pick<Catalog, 'layers'>
}

const tags = ['geoserver']
/** Tile matrix sets of the path `/gwc/service`. */
const gridSets = ['EPSG:4326', 'EPSG:900913']

export const listTileLayers = operation({
  summary: 'List layers whose tiles are cached, in the shape of GeoWebCache',
  description: 'Names of all layers that the caller may read.',
  tags,
  answers: { 200: Type.Object({ layers: Type.Object({ layer: Type.Array(Linked) }) }) },
  handle: async ({ catalog }: TileLayerDeps, request) => {
    const layers = (await request.rights()).readable(await catalog.layers.list())
    const layer = layers.map((one) => {
      const name = `${one.workspace}:${one.name}`
      return { name, href: request.link(`/gwc/rest/layers/${encodeURIComponent(name)}`) }
    })
    return { layers: { layer } }
  },
})

const GridSubset = Type.Object({ gridSetName: Type.String() })

export const showTileLayer = operation({
  summary: 'Cached tiles of a layer, in the shape of GeoWebCache',
  description:
    'Formats and tile matrix sets of a layer below `/gwc/service`. They are the same for all layers and cannot be changed.',
  tags,
  params: Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) }),
  answers: {
    200: Type.Object({
      GeoServerLayer: Type.Object({
        id: Type.String(),
        enabled: Type.Boolean(),
        inMemoryCached: Type.Boolean(),
        name: Type.String(),
        mimeFormats: Type.Object({ string: Type.Array(Type.String()) }),
        gridSubsets: Type.Object({ gridSubset: Type.Array(GridSubset) }),
        metaWidthHeight: Type.Object({ int: Type.Array(Type.Integer()) }),
        expireCache: Type.Integer(),
        expireClients: Type.Integer(),
        gutter: Type.Integer(),
      }),
    }),
  },
  handle: async ({ catalog }: TileLayerDeps, request) => {
    const layer = await getLayer(catalog, request, request.params.layer)
    return {
      GeoServerLayer: {
        id: `LayerInfoImpl--${layer.id}`,
        enabled: true,
        inMemoryCached: false,
        name: `${layer.workspace}:${layer.name}`,
        mimeFormats: { string: ['image/png', 'image/jpeg'] },
        gridSubsets: { gridSubset: gridSets.map((gridSetName) => ({ gridSetName })) },
        metaWidthHeight: { int: [1, 1] },
        expireCache: 0,
        expireClients: 0,
        gutter: 0,
      },
    }
  },
})

export const truncateTiles = operation({
  summary: 'Discard the cached tiles of a layer',
  description:
    'Gives the layer a new version, so that the cached tiles of the previous one are not sent any more. Needs the right `manage` for the layer. Other requests of GeoWebCache, such as `truncateAll`, are refused.',
  tags,
  body: Type.Object({
    truncateLayer: Type.Optional(
      Type.Object({ layerName: Type.String({ maxLength: 300, description: '`<workspace>:<name>`' }) }),
    ),
  }),
  answers: { 200: empty() },
  handle: async ({ catalog }: TileLayerDeps, request, reply) => {
    const { truncateLayer } = request.body
    if (truncateLayer === undefined)
      throw invalid(
        'invalid-body',
        'Only truncateLayer with the layerName of one layer is supported: tiles of a changed layer are discarded anyway',
      )
    const layer = await getLayer(catalog, request, truncateLayer.layerName)
    if (!(await request.rights()).can('manage', layer))
      throw forbidden(request.caller, 'manage', `layer "${layer.workspace}:${layer.name}"`)
    await catalog.layers.change(layer, {})
    return reply.code(200).send()
  },
})

/** A layer that the caller may not read counts as missing. */
async function getLayer(
  { layers }: Pick<Catalog, 'layers'>,
  request: FastifyRequest,
  name: string,
): Promise<LayerRecord> {
  const layer = await layers.findNamed(name)
  if (layer !== undefined && (await request.rights()).can('read', layer)) return layer
  throw notFound('unknown-layer', `Layer "${name}" does not exist`)
}
