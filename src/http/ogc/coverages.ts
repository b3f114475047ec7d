import { operation } from '../endpoint.ts'
import { aboutLayer, readableLayer } from './about-layer.ts'
import { sendCoverageFile } from './coverage-file.ts'
import { sendGranule, sendGranuleFile, sendGranules } from './granules.ts'
import { offeredGranules } from './offered.ts'
import type { OgcParts } from './ogc-parts.ts'
import { represented } from './representations.ts'
import {
  CollectionParams,
  FeatureAnswer,
  FeaturesAnswer,
  FileAnswer,
  FileParams,
  GranuleFileParams,
  ItemParams,
  ItemQuery,
  ItemsQuery,
  ToldItemsQuery,
} from './shapes.ts'

const marks = { tags: ['coverages'], isPublicRead: true, handlesHead: true }

/** The granules of a mosaic: a list like that of items, each with a link to its file. */
export const getGranules = represented(
  offeredGranules,
  operation({
    ...marks,
    knowsParameters: true,
    summary: 'Granules of a mosaic',
    description:
      'Granules of a mosaic as features with footprint, time and file, chosen by `bbox`, `datetime` and values of properties.',
    params: CollectionParams,
    query: ItemsQuery,
    told: { query: ToldItemsQuery },
    answers: { 200: FeaturesAnswer },
    handle: (parts: OgcParts, request, reply) =>
      aboutLayer(parts, request, reply, (layer) => sendGranules(parts, layer, request, reply)),
  }),
)

export const getGranule = represented(
  offeredGranules,
  operation({
    ...marks,
    summary: 'One granule',
    description: 'Footprint, time and file of one granule of a mosaic.',
    params: ItemParams,
    query: ItemQuery,
    answers: { 200: FeatureAnswer },
    handle: (parts: OgcParts, request, reply) =>
      aboutLayer(parts, request, reply, (layer) => sendGranule(parts, layer, request, reply)),
  }),
)

export const getGranuleFile = operation({
  ...marks,
  summary: "A granule's file, or a range of it",
  description:
    'The bytes of the file as they were imported. `Range` gets a part of it, as readers of cloud-optimized GeoTIFF do.',
  params: GranuleFileParams,
  answers: { 200: FileAnswer },
  handle: async (parts: OgcParts, request, reply) =>
    sendGranuleFile(parts, await readableLayer(parts, request), request, reply),
})

export const getCoverageFile = operation({
  ...marks,
  summary: 'The file of a coverage, or a range of it',
  description:
    'The bytes of the file as they were imported. `Range` gets a part of it, as readers of cloud-optimized GeoTIFF do.',
  params: FileParams,
  answers: { 200: FileAnswer },
  handle: async (parts: OgcParts, request, reply) =>
    sendCoverageFile(parts, await readableLayer(parts, request), request, reply),
})
