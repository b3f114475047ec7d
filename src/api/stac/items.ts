import { notFound } from '../../core/errors/errors.ts'
import { mosaicType } from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { unknownParameters } from '../errors.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { offeredGranules } from '../ogcapi/offered.ts'
import { isListKept, knownSummaries } from '../ogcapi/records/read-records.ts'
import { represented } from '../ogcapi/representations.ts'
import { requestSignal } from '../request-properties.ts'
import { readableRaster, stacMarks } from './catalogue.ts'
import type { ItemPage } from './find-items.ts'
import { findItems } from './find-items.ts'
import { toGranuleItems, toRasterItem } from './item-response.ts'
import { readGranules } from './read-granules.ts'
import {
  ItemAnswer,
  ItemsAnswer,
  ItemsQuery,
  SearchBodySchema,
  SearchQuery,
  StacCollectionParams,
  StacItemParams,
} from './schemas.ts'
import type { ItemSearch, SearchBody, SearchParameters } from './search-request.ts'
import { parametersOfBody, readSearch, writePosition } from './search-request.ts'
import type { StacDeps } from './stac-deps.ts'
import { geoJson, json, type StacLink, stacCollectionPath, stacLink, stacRoot } from './stac-links.ts'

const geoJsonType = `${geoJson}; charset=utf-8`
const marks = { ...stacMarks, isHeavy: true }
const searchPath = `${stacRoot}/search`

export const getStacItems = represented(
  offeredGranules,
  operation({
    ...marks,
    summary: 'Items of a STAC collection',
    description:
      'One item for a raster, one for each granule of a mosaic. The link `next` leads to the next page.',
    params: StacCollectionParams,
    query: ItemsQuery,
    answers: { 200: ItemsAnswer },
    handle: async (deps: StacDeps, request, reply) => {
      const layer = await readableRaster(deps, request)
      const collections = new Set([collectionId(layer)])
      const path = `${stacCollectionPath(layer)}/items`
      return sendPage(deps, request, reply, { ...readSearch(request.query), collections }, (page) =>
        pageLinks(request, path, page),
      )
    },
  }),
)

export const searchStacItems = represented(
  offeredGranules,
  operation({
    ...marks,
    summary: 'Search STAC items',
    description:
      'Items of all rasters and mosaics that the caller may read, in the order of their collections and ids.',
    query: SearchQuery,
    answers: { 200: ItemsAnswer },
    handle: (deps: StacDeps, request, reply) =>
      sendPage(deps, request, reply, readSearch(request.query), (page) =>
        pageLinks(request, searchPath, page),
      ),
  }),
)

export const postStacSearch = operation({
  ...marks,
  summary: 'Search STAC items with a JSON body',
  description: 'The same as the search by GET; the link `next` has the body of the next request.',
  body: SearchBodySchema,
  isBodyOptional: true,
  answers: { 200: ItemsAnswer },
  handle: async (deps: StacDeps, request, reply) => {
    const body = request.body as SearchBody
    const unknown = Object.keys(body).filter((name) => !Object.hasOwn(SearchBodySchema.properties, name))
    if (unknown.length > 0) throw unknownParameters(unknown)
    const search = readSearch(parametersOfBody(body))
    return answerOf(deps, request, reply, search, (page) => postLinks(request, body, page))
  },
})

/** Sends a page of a request by GET, or 304 if the client has it. */
async function sendPage(
  deps: StacDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  search: ItemSearch,
  linksOf: (page: ItemPage) => StacLink[],
): Promise<unknown> {
  const set = await knownSummaries(deps.catalog, request)
  if (isListKept(deps, set, { request, reply })) return reply.send()
  return answerOf(deps, request, reply, search, linksOf)
}

async function answerOf(
  deps: StacDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  search: ItemSearch,
  linksOf: (page: ItemPage) => StacLink[],
): Promise<object> {
  const page = await findItems(deps, request, search, requestSignal(reply))
  reply.header('content-type', geoJsonType)
  return {
    type: 'FeatureCollection',
    features: page.items,
    numberMatched: page.matched,
    numberReturned: page.items.length,
    timeStamp: deps.clock.now().toISOString(),
    links: linksOf(page),
  }
}

/** Links of a page of a request by GET. */
function pageLinks(request: FastifyRequest, path: string, { next }: ItemPage): StacLink[] {
  const query = new URLSearchParams(request.query as SearchParameters & Record<string, string>)
  const self = query.size === 0 ? path : `${path}?${query}`
  if (next !== undefined) query.set('token', writePosition(next))
  return [
    stacLink(request, 'self', geoJson, 'This page', self),
    stacLink(request, 'root', json, 'The catalogue', stacRoot),
    ...(path === searchPath
      ? []
      : [stacLink(request, 'collection', json, 'The collection', path.replace(/\/items$/, ''))]),
    ...(next === undefined ? [] : [stacLink(request, 'next', geoJson, 'Next page', `${path}?${query}`)]),
  ]
}

/** Links of a page of a search by POST: the next request has the same body with another token. */
function postLinks(request: FastifyRequest, body: SearchBody, { next }: ItemPage): StacLink[] {
  const search = stacLink(request, 'next', geoJson, 'Next page', searchPath)
  return [
    stacLink(request, 'root', json, 'The catalogue', stacRoot),
    ...(next === undefined
      ? []
      : [{ ...search, method: 'POST' as const, body: { ...body, token: writePosition(next) } }]),
  ]
}

export const getStacItem = represented(
  offeredGranules,
  operation({
    ...stacMarks,
    summary: 'One STAC item',
    description: 'Footprint, time, projection and assets of a raster, or of a granule of a mosaic.',
    params: StacItemParams,
    answers: { 200: ItemAnswer },
    handle: async (deps: StacDeps, request, reply) => {
      const layer = await readableRaster(deps, request)
      const set = await knownSummaries(deps.catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      const { itemId } = request.params
      const item = await findItem(deps, request, reply, layer, itemId)
      if (item === undefined)
        throw notFound('unknown-feature', `Item "${itemId}" does not exist in this collection`)
      reply.header('content-type', geoJsonType)
      return item
    },
  }),
)

async function findItem(
  deps: Pick<StacDeps, 'catalog' | 'pageTokens' | 'counts'>,
  request: FastifyRequest,
  reply: FastifyReply,
  layer: Awaited<ReturnType<typeof readableRaster>>,
  id: string,
): Promise<object | undefined> {
  const name = collectionId(layer)
  const store = await deps.catalog.layers.storeOf(layer)
  if (store.type !== mosaicType) return id === name ? toRasterItem(request, layer, store) : undefined
  if (!id.startsWith(`${name}.`)) return undefined
  const query = { search: {}, ids: [id.slice(name.length + 1)], limit: 1, from: 0 }
  const { granules } = await readGranules(deps, request, layer, query, requestSignal(reply))
  const [item] = await toGranuleItems(request, layer, granules)
  return item
}
