import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/index.ts'
import { type QgisLayer, quotedPart, writeQlr } from '../../styles/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { tokenForLinks, urlToken } from '../url-token.ts'
import { styleFor } from './drawn-style.ts'
import { layerSegment } from './named-layers.ts'
import type { PictureDeps } from './picture-deps.ts'
import { namedLayer, refusedVersion, refuseVersion } from './picture-deps.ts'
import { dimensionOf } from './style-json.ts'

/** A layer definition is small, and its link may contain a token: it is not cached. */
export const getQgisLayer = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  summary: 'The layer as a file that QGIS opens (.qlr)',
  description:
    'Features are read with OGC API Features and drawn by QGIS with the style; rasters are read as image tiles. The file contains no login: QGIS asks for it.',
  params: Type.Object({ layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }) }),
  query: Type.Object({
    style: Type.Optional(
      Type.String({ description: "A style of the layer's workspace or a global one; default the layer's" }),
    ),
    version: refusedVersion,
    ...urlToken,
  }),
  answers: {
    200: media('A layer definition of QGIS 3', { 'application/x-qgis-layer-definition': Type.String() }),
  },
  handle: async ({ catalog }: Pick<PictureDeps, 'catalog'>, request, reply) => {
    const layer = await namedLayer(catalog, request)
    refuseVersion(request.query.version)
    const { style } = await styleFor({ catalog }, request, layer, request.query.style)
    const { title, attribution, schema } = layer.details
    const opened: QgisLayer = {
      title,
      style,
      dimension: dimensionOf(schema.geometry?.type),
      ...sourceOf(request, layer),
      attribution,
    }
    keepPrivately(reply)
    return reply
      .header('content-type', 'application/x-qgis-layer-definition; charset=utf-8')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(layer.name)}.qlr`)
      .send(writeQlr(opened))
  },
})

const maxZoom = 18

function sourceOf(request: FastifyRequest, layer: LayerRecord): Pick<QgisLayer, 'provider' | 'source'> {
  if (layer.details.kind === 'vector') {
    const named = { url: request.link('/ogc'), typename: `${layer.workspace}:${layer.name}` }
    const parts = { pagingEnabled: 'true', restrictToRequestBBOX: '1', ...named, version: 'OGC_API_FEATURES' }
    return {
      provider: 'OAPIF',
      source: Object.entries(parts)
        .map(([name, value]) => quotedPart(name, value))
        .join(' '),
    }
  }
  const token = tokenForLinks(request)
  const address = `${request.link(`/tiles/${layerSegment(layer)}`)}/{z}/{x}/{y}.png${token === '' ? '' : `?${token}`}`
  return { provider: 'wms', source: `type=xyz&url=${encodeURIComponent(address)}&zmin=0&zmax=${maxZoom}` }
}
