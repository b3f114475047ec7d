import { operation } from '../endpoint.ts'
import { aboutLayer, downloadableLayer } from './about-layer.ts'
import type { CloudOptimizedCopies } from './cloud-optimized.ts'
import { sendCoverage, sendCoverageFile } from './coverage-file.ts'
import { sendGranule, sendGranuleFile, sendGranules } from './granules.ts'
import { offeredCoverages, offeredGranules } from './offered.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { represented } from './representations.ts'
import {
  CollectionFileParams,
  CollectionParams,
  CoverageAnswer,
  DocumentedItemsQuery,
  FeatureAnswer,
  FeaturesAnswer,
  FileAnswer,
  GranuleFileParams,
  ItemParams,
  ItemQuery,
  ItemsQuery,
} from './schemas.ts'

type OgcCoveragesDeps = Pick<
  OgcDeps,
  'catalog' | 'clock' | 'version' | 'sharedMaxAgeSeconds' | 'pageTokens' | 'kept'
>

const marks = { tags: ['coverages'], isPublicRead: true, handlesHead: true }

/** The granules of a mosaic: a list like that of items, each with a link to its file. */
export const getGranules = represented(
  offeredGranules,
  operation({
    ...marks,
    isHeavy: true,
    knowsParameters: true,
    summary: 'Granules of a mosaic',
    description:
      'Granules of a mosaic as features with footprint, time and file, chosen by `bbox`, `datetime` and values of properties.',
    params: CollectionParams,
    query: ItemsQuery,
    reported: { query: DocumentedItemsQuery },
    answers: { 200: FeaturesAnswer },
    handle: (deps: OgcCoveragesDeps, request, reply) =>
      aboutLayer(deps, request, reply, (layer) => sendGranules(deps, layer, request, reply)),
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
    handle: (deps: OgcCoveragesDeps, request, reply) =>
      aboutLayer(deps, request, reply, (layer) => sendGranule(deps, layer, request, reply)),
  }),
)

export const getGranuleFile = operation({
  ...marks,
  summary: "A granule's file, or a range of it",
  description:
    'Bytes of the imported file. `Range` returns a part, as readers of cloud-optimized GeoTIFF request it.',
  params: GranuleFileParams,
  answers: { 200: FileAnswer },
  handle: async ({ catalog, granuleFolders }: Pick<OgcDeps, 'catalog' | 'granuleFolders'>, request, reply) =>
    sendGranuleFile(catalog, granuleFolders, await downloadableLayer(catalog, request), request, reply),
})

export const getCoverageFile = operation({
  ...marks,
  summary: 'The file of a coverage, or a range of it',
  description:
    'Bytes of the imported file. `Range` returns a part, as readers of cloud-optimized GeoTIFF request it.',
  params: CollectionFileParams,
  answers: { 200: FileAnswer },
  handle: async ({ catalog }: Pick<OgcDeps, 'catalog'>, request, reply) =>
    sendCoverageFile(catalog, await downloadableLayer(catalog, request), request, reply),
})

export const getCoverage = represented(
  offeredCoverages,
  operation({
    ...marks,
    isHeavy: true,
    summary: 'A coverage as GeoTIFF, or a range of it',
    description:
      'The stored file if it is a GeoTIFF. With `f=cog`, or `profile=cloud-optimized` in `Accept`, a raster in another layout is converted once, and its copy is kept for some time; until then the response is 503 with `Retry-After`. `Range` returns a part.',
    params: CollectionParams,
    answers: { 200: CoverageAnswer, 206: CoverageAnswer },
    handle: async (
      deps: Pick<OgcDeps, 'catalog' | 'downloads'> & { cogs: CloudOptimizedCopies },
      request,
      reply,
    ) => sendCoverage(deps, await downloadableLayer(deps.catalog, request), request, reply),
  }),
)
