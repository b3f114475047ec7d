import type { LayerRecord } from '../../catalog/index.ts'
import type { PreviousVersions } from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { requestSignal } from '../request-properties.ts'
import { parseVersion, requireLoginForVersions } from '../tiles/version-tiles.ts'
import { aboutLayer, aboutOneFeature, requireFeatures } from './about-layer.ts'
import type { FeatureView } from './items.ts'
import { itemsPath, sendItem, sendItems } from './items.ts'
import { offeredItems } from './offered.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { represented } from './representations.ts'
import {
  CollectionParams,
  DocumentedItemsQuery,
  FeatureAnswer,
  FeaturesAnswer,
  ItemParams,
  ItemQuery,
  ItemsQuery,
} from './schemas.ts'

const marks = { tags: ['features'], isPublicRead: true, handlesHead: true }

export const getFeatures = represented(
  offeredItems,
  operation({
    ...marks,
    isHeavy: true,
    knowsParameters: true,
    summary: 'Features of a layer',
    description:
      'A page of features in GeoJSON or another format, chosen by `bbox`, `datetime`, `filter` (CQL2) and property names. The link `next` leads to the next page.',
    params: CollectionParams,
    query: ItemsQuery,
    reported: { query: DocumentedItemsQuery },
    answers: { 200: FeaturesAnswer },
    handle: (deps: OgcDeps, request, reply) =>
      aboutLayer(deps, request, reply, async (layer) => {
        requireFeatures(layer)
        const earlier = await earlierView(deps.tiles.earlier, layer, request, reply)
        return earlier === undefined
          ? sendItems(deps, layer, request, reply)
          : sendItems(deps, earlier.layer, request, reply, earlier.view)
      }),
  }),
)

export const getFeature = represented(
  offeredItems,
  operation({
    ...marks,
    summary: 'One feature',
    description:
      'One feature by its id, in the format of `f` or `Accept`. `ETag` names its state for a later `If-Match`.',
    params: ItemParams,
    query: ItemQuery,
    answers: { 200: FeatureAnswer },
    handle: (deps: OgcDeps, request, reply) =>
      request.query.version === undefined
        ? aboutOneFeature(deps.catalog, deps.sharedMaxAgeSeconds, request, reply, (layer) =>
            sendItem(deps, requireFeatures(layer), request, reply),
          )
        : aboutLayer(deps, request, reply, async (layer) => {
            const earlier = await earlierView(deps.tiles.earlier, requireFeatures(layer), request, reply)
            return sendItem(deps, earlier?.layer ?? layer, request, reply, earlier?.view)
          }),
  }),
)

/** Returns the layer at the requested version; undefined if none is requested. */
async function earlierView(
  earlier: Pick<PreviousVersions, 'at' | 'tile'>,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: { version?: string } }>,
  reply: FastifyReply,
): Promise<{ layer: LayerRecord; view: FeatureView } | undefined> {
  const { version } = request.query
  if (version === undefined) return undefined
  requireLoginForVersions(request)
  const then = await earlier.at(layer, parseVersion(version), requestSignal(reply))
  const { store, columns } = then
  const view = { path: itemsPath(layer), query: `?version=${version}`, store, columns }
  return { layer: then.layer, view }
}
