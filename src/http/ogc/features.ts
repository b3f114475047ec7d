import { operation } from '../endpoint.ts'
import { aboutLayer, requireFeatures } from './about-layer.ts'
import { sendItem, sendItems } from './items.ts'
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
    aboutLayer(parts, request, reply, (layer) => sendItems(parts, requireFeatures(layer), request, reply)),
})

export const getFeature = operation({
  ...marks,
  summary: 'One feature',
  params: ItemParams,
  query: ItemQuery,
  answers: { 200: FeatureAnswer },
  handle: (parts: OgcParts, request, reply) =>
    aboutLayer(parts, request, reply, (layer) => sendItem(parts, requireFeatures(layer), request, reply)),
})
