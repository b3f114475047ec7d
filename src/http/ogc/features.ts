import { defined } from '../../lib/defined.ts'
import { clientSignal } from '../client-signal.ts'
import { operation } from '../endpoint.ts'
import { parseVersion, requireLoginForVersions } from '../tiles/earlier-tiles.ts'
import { aboutLayer, aboutOneFeature, requireFeatures } from './about-layer.ts'
import { itemsPath, sendItem, sendItems } from './items.ts'
import type { OgcParts } from './ogc-parts.ts'
import {
  CollectionParams,
  FeatureAnswer,
  FeaturesAnswer,
  ItemParams,
  ItemQuery,
  ItemsQuery,
  ToldItemsQuery,
} from './shapes.ts'

const marks = { tags: ['features'], isPublicRead: true, handlesHead: true }

export const getFeatures = operation({
  ...marks,
  summary: 'Features of a layer',
  params: CollectionParams,
  query: ItemsQuery,
  told: { query: ToldItemsQuery },
  answers: { 200: FeaturesAnswer },
  handle: (parts: OgcParts, request, reply) =>
    aboutLayer(parts, request, reply, async (layer) => {
      requireFeatures(layer)
      const { version } = request.query
      if (version === undefined) return sendItems(parts, layer, request, reply)
      requireLoginForVersions(request)
      const earlier = await parts.tiles.earlier.at(layer, parseVersion(version), clientSignal(reply))
      const { store, columns } = earlier
      const view = { path: itemsPath(layer), store, ...defined({ columns }) }
      return sendItems(parts, earlier.layer, request, reply, view)
    }),
})

export const getFeature = operation({
  ...marks,
  summary: 'One feature',
  params: ItemParams,
  query: ItemQuery,
  answers: { 200: FeatureAnswer },
  handle: (parts: OgcParts, request, reply) =>
    aboutOneFeature(parts, request, reply, (layer) =>
      sendItem(parts, requireFeatures(layer), request, reply),
    ),
})
