import type { LayerRecord, Layers } from '../../../catalog/index.ts'
import type { FeaturePageRequest, PagePart } from '../../../stores/index.ts'
import type { OpenedPage } from '../../ogcapi/page-stream.ts'
import { finish, openPage, sendPage as sendOpenedPage } from '../../ogcapi/page-stream.ts'
import type { PagePosition } from '../../ogcapi/page-token.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { CollectionAbout, CollectionElement } from './collection-frame.ts'
import { collectionRoot, gmlFrame, jsonFrame, plainFrame } from './collection-frame.ts'
import type { GmlOutput, LayerQuery, PageOutput } from './layer-query.ts'
import { toPageRequest } from './layer-query.ts'
import { namespacesOf, pageUrl, resultsUrl } from './service-links.ts'
import type { FeatureRequest, WfsRequest } from './wfs-request.ts'

/** Dependencies of reading features. */
export interface FeatureReads
  extends Pick<OwsDeps['features'], 'clock' | 'counts' | 'pageTokens' | 'positions'> {
  layers: Layers
}

/** A requested page, and its format. */
export interface OutputPage<Output extends PageOutput = PageOutput>
  extends Pick<FeatureRequest, 'count' | 'startIndex' | 'position'> {
  output: Output
  mediaType: string
}

/** Maximum number of features in a response. */
export const maxFeatures = 1_000_000

/** Sends one page of one type, in the format that the reader of its store writes. */
export async function sendFeaturePage(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  query: LayerQuery,
  page: OutputPage,
): Promise<unknown> {
  const { reply, signal } = wfsRequest
  const { startIndex, output, mediaType } = page
  const limit = Math.min(page.count ?? maxFeatures, maxFeatures)
  const start = await pageStart(
    reads,
    query.layer,
    toPageRequest(wfsRequest, query, { output, limit, offset: startIndex }),
    page,
  )
  const opened = await openLayerPage(reads, query.layer, start.request, signal)
  const timeStamp = reads.clock.now().toISOString()
  const aboutOf = (last: PagePart): CollectionAbout =>
    collectionAbout(wfsRequest, last, { timeStamp, startIndex, limit, nextToken: start.nextToken })
  const frame =
    output === 'json'
      ? jsonFrame(query.responseCrs, aboutOf)
      : output === 'csv'
        ? plainFrame
        : gmlFrame(
            elementOf(output),
            aboutOf(opened.first),
            namespacesOf(wfsRequest, [query.layer], gmlOf(output)),
          )
  reply.header('content-type', mediaType)
  return sendOpenedPage(reply, opened, {
    head: frame.head,
    tailOf: (last) => {
      if (opened.isSure) start.keepEnd(last)
      return frame.tailOf(last)
    },
  })
}

/** Opens a page of a layer. */
export async function openLayerPage(
  { layers, counts }: Pick<FeatureReads, 'layers' | 'counts'>,
  layer: LayerRecord,
  request: FeaturePageRequest,
  signal: AbortSignal,
): Promise<OpenedPage> {
  const store = await layers.openStoreOf(layer)
  return openPage({ layer, store, counts, isSettled: () => layers.isSettled(layer) }, request, signal)
}

/** Returns the number of features that match a query. */
export async function countMatches(
  reads: Pick<FeatureReads, 'layers' | 'counts'>,
  wfsRequest: WfsRequest,
  query: LayerQuery,
  output: PageOutput,
): Promise<number> {
  const request = toPageRequest(wfsRequest, query, { output, limit: 0, offset: 0 })
  const { first, parts } = await openLayerPage(reads, query.layer, request, wfsRequest.signal)
  finish(parts)
  return first.numberMatched
}

/** Start of a page, and functions for the start of the next one. */
interface PageStart {
  request: FeaturePageRequest
  /** Returns the token of the next page; undefined if pages cannot continue from rows. */
  nextToken(last: PagePart, passed: number): string | undefined
  /** Caches where the page ended. */
  keepEnd(last: PagePart): void
}

/**
 * Returns the start of a page by its position, from its link or the cache; otherwise by the number of
 * features to skip.
 */
async function pageStart(
  { pageTokens, positions }: Pick<FeatureReads, 'pageTokens' | 'positions'>,
  layer: LayerRecord,
  request: FeaturePageRequest,
  { startIndex, position }: Pick<FeatureRequest, 'startIndex' | 'position'>,
): Promise<PageStart> {
  const key = await positions.keyOf(layer, request)
  const about = tokenContext(layer, request)
  // Features by their ids have no order.
  const isOrdered = request.query.featureIds === undefined
  const from = isOrdered ? (linkedPosition() ?? cachedPosition()) : undefined
  const offset = from === undefined ? startIndex : 0

  function linkedPosition(): PagePosition | undefined {
    if (position === undefined) return undefined
    const read = pageTokens.read(position, about)
    return read.passed === startIndex && !read.isBackward ? read : undefined
  }
  function cachedPosition(): PagePosition | undefined {
    const row = startIndex === 0 ? undefined : positions.find(key, startIndex)
    return row && { row, isBackward: false, passed: startIndex }
  }
  return {
    request: { ...request, query: { ...request.query, from: from ?? request.query.from, offset } },
    nextToken: ({ ends }, passed) =>
      ends?.last === undefined || !isOrdered
        ? undefined
        : pageTokens.write({ row: ends.last, isBackward: false, passed }, about),
    keepEnd: ({ ends, numberReturned }) => positions.keep(key, startIndex + numberReturned, ends?.last),
  }
}

/** Returns the context to which a position is bound: rows in this order. */
function tokenContext(layer: LayerRecord, { query: { sort = [] } }: FeaturePageRequest): string {
  const types = sort.map(
    ({ attribute }) => layer.details.schema.attributes.find(({ name }) => name === attribute)?.type,
  )
  return JSON.stringify(['wfs', layer.id, sort, types])
}

/**
 * Returns the attributes of a page; for a page that is not read to its end the numbers follow from the number
 * of matches.
 */
function collectionAbout(
  wfsRequest: WfsRequest,
  last: PagePart,
  {
    timeStamp,
    startIndex,
    limit,
    nextToken,
  }: { timeStamp: string; startIndex: number; limit: number } & Pick<PageStart, 'nextToken'>,
): CollectionAbout {
  const { numberMatched } = last
  const expected = Math.max(0, Math.min(limit, numberMatched - startIndex))
  const numberReturned = last.isLast ? last.numberReturned : expected
  const behind = startIndex + numberReturned
  // An XML request has no URL.
  const hasLinks = wfsRequest.features === undefined && numberReturned > 0
  const hasNext = hasLinks && (last.ends?.hasMore ?? behind < numberMatched)
  const before = Math.max(0, startIndex - limit)
  const next = { startIndex: behind, count: limit, position: nextToken(last, behind) }
  const previous = { startIndex: before, count: Math.min(limit, startIndex - before), position: undefined }
  return {
    timeStamp,
    lockId: wfsRequest.lockId,
    numberMatched,
    numberReturned,
    next: hasNext ? pageUrl(wfsRequest, next) : undefined,
    previous: hasLinks && startIndex > 0 ? pageUrl(wfsRequest, previous) : undefined,
  }
}

function elementOf(output: PageOutput): CollectionElement {
  return output === 'values' ? 'wfs:ValueCollection' : 'wfs:FeatureCollection'
}

function gmlOf(output: GmlOutput | 'values'): GmlOutput {
  return output === 'values' ? 'gml32' : output
}

/**
 * Sends the number of matching features without the features, with the URL of the first page (OGC 09-025r2,
 * sections 7.6.3.6, 7.7.4.2).
 */
export async function sendHits(
  reads: FeatureReads,
  wfsRequest: WfsRequest,
  queries: readonly LayerQuery[],
  output: GmlOutput | 'values',
): Promise<unknown> {
  let numberMatched = 0
  for (const query of queries) numberMatched += await countMatches(reads, wfsRequest, query, output)
  const about: CollectionAbout = {
    timeStamp: reads.clock.now().toISOString(),
    numberMatched,
    numberReturned: wfsRequest.version === '2.0.0' ? 0 : numberMatched,
    // An XML request has no URL.
    next: wfsRequest.features === undefined && numberMatched > 0 ? resultsUrl(wfsRequest) : undefined,
    previous: undefined,
  }
  const layers = queries.map(({ layer }) => layer)
  const element = elementOf(output)
  const root = collectionRoot(element, about, namespacesOf(wfsRequest, layers, gmlOf(output)))
  wfsRequest.reply.header('content-type', 'text/xml; charset=utf-8')
  return wfsRequest.reply.send(`${root}</${element}>\n`)
}
