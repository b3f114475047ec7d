import { Readable } from 'node:stream'
import type { LayerRecord } from '../../../catalog/records.ts'
import type { WrittenAbout } from '../../../formats/writing/feature-format.ts'
import { fromGmlId } from '../../../formats/writing/gml/xml-text.ts'
import { loadWritten } from '../../../formats/writing/written-formats.ts'
import { defined } from '../../../lib/defined.ts'
import type { PagePart, PageWish, WrittenForm } from '../../../stores/reading/page-wish.ts'
import { keepPrivately } from '../../caching.ts'
import type { PageFrame } from '../../ogc/page-stream.ts'
import {
  abortOnClose,
  documentBytes,
  finish,
  joined,
  openPage,
  readingLess,
  watchStalls,
} from '../../ogc/page-stream.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { OwsParts } from '../ows-parts.ts'
import type { CollectionAbout } from './collection-frame.ts'
import { collectionRoot, gmlFrame, jsonFrame } from './collection-frame.ts'
import type { FeatureRequest, TypeQuery } from './feature-request.ts'
import type { FeatureWish } from './feature-wish.ts'
import { toFeatureWish } from './feature-wish.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import type { OutputName } from './output-formats.ts'
import { readOutputFormat } from './output-formats.ts'
import { describeUrl, sameUrl } from './service-links.ts'
import { namespaceOf, prefixOf, requireType } from './type-names.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Most features of an answer. */
export const mostFeatures = 1_000_000

/** Features of a type (OGC 09-025r2, section 11; 04-094, section 9). */
export async function getFeature(parts: OwsParts, asked: WfsRequest): Promise<unknown> {
  const { request, reply, version, workspace } = asked
  const wanted = asked.features ?? readFeatureRequest(asked.values)
  const { name: output, mediaType } = readOutputFormat(wanted.outputFormat, version)
  const [query, ...others] = wanted.queries
  if (query === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  if (others.length > 0)
    throw new OwsFailure('OperationNotSupported', 'One request asks for features of one type', 'typenames')
  const layer = await requireType(parts, request, query.typeName, { workspace, locator: 'typenames' })
  request.usedLayers = [layer]
  keepPrivately(reply)
  const wish = toFeatureWish(layer, query)
  if (output === 'shape-zip')
    throw new OwsFailure('OperationNotSupported', 'SHAPE-ZIP is not offered yet', 'outputformat')
  const reading = { layer, query, wish, output, wanted, mediaType }
  return sendFeatures(parts, asked, reading)
}

/** What readers of stores write. */
type PageOutput = Exclude<OutputName, 'shape-zip'>

interface Reading {
  layer: LayerRecord
  query: TypeQuery
  wish: FeatureWish
  output: PageOutput
  mediaType: string
  wanted: FeatureRequest
}

async function sendFeatures(parts: OwsParts, asked: WfsRequest, reading: Reading): Promise<unknown> {
  const { request, reply } = asked
  const { layer, wanted, mediaType } = reading
  const { counts } = parts.features
  const store = await parts.catalog.layers.openStoreOf(layer)
  const wish = await pageWish(asked, reading)
  const key = await counts.keyOf(store, layer, wish)
  const numberMatched = wish.query.featureId === undefined ? counts.find(key) : undefined
  const signal = abortOnClose(request, reply)
  const isSettled = (): Promise<boolean> => parts.catalog.layers.isSettled(layer)
  const page = await openPage(
    store,
    readingLess({ ...wish, ...defined({ numberMatched }) }),
    isSettled,
    signal,
  )
  const { written, first, isSure } = page
  if (isSure && wish.query.featureId === undefined) counts.keep(key, first.numberMatched)
  const at = parts.features.clock.now().toISOString()
  if (wanted.resultType === 'hits') {
    finish(written)
    return sendHits(asked, reading, { numberMatched: first.numberMatched, timeStamp: at })
  }
  const frame = await frameOf(asked, reading, { first, at, limit: wish.query.limit })
  reply.header('content-type', mediaType)
  if (first.isLast) {
    finish(written)
    return reply.send(joined([frame.head, first.bytes, frame.tailOf(first)], first))
  }
  const bytes = documentBytes(first, written, frame)
  return reply.send(watchStalls(reply, Readable.from(bytes, { objectMode: false })))
}

async function pageWish(
  asked: WfsRequest,
  { layer, query, wish, output, wanted }: Reading,
): Promise<PageWish> {
  const { table, sort, named, ...rest } = wish
  const limit = wanted.resultType === 'hits' ? 0 : Math.min(wanted.count ?? mostFeatures, mostFeatures)
  const form = formOf(asked, layer, output, named)
  return {
    query: {
      ...{ table, limit, offset: wanted.startIndex },
      ...defined({ sort: sort.length === 0 ? undefined : sort, featureId: featureIdOf(layer, query) }),
    },
    ...rest,
    ...(output === 'json' ? { isYx: false } : {}),
    ...defined({ form }),
  }
}

function featureIdOf(layer: LayerRecord, { ids }: TypeQuery): string | undefined {
  if (ids === undefined) return undefined
  const [only = '', ...others] = ids
  if (others.length > 0)
    throw new OwsFailure('OperationNotSupported', 'One id is asked at once', 'resourceid')
  return fromGmlId(layer.name, only) ?? ''
}

const formNames = { gml32: 'wfs-members-3.2', gml31: 'wfs-members-3.1', csv: 'csv' } as const

function formOf(
  { request }: WfsRequest,
  layer: LayerRecord,
  output: PageOutput,
  named: FeatureWish['named'],
): WrittenForm | undefined {
  if (output === 'json') return undefined
  const { title, schema } = layer.details
  const about: WrittenAbout = {
    ...{ name: layer.name, title, schema, collection: namespaceOf(request, layer.workspace) },
    prefix: prefixOf(layer.workspace),
    ...(named === undefined ? {} : { crs: { uri: named.name, srs: named.srs, isYx: named.isYx } }),
  }
  return { name: formNames[output], about }
}

interface Opened {
  first: PagePart
  at: string
  limit: number
}

async function frameOf(asked: WfsRequest, reading: Reading, opened: Opened): Promise<PageFrame> {
  const { output, layer, wish } = reading
  const aboutOf = (last: PagePart): CollectionAbout => collectionAbout(asked, reading, { ...opened, last })
  if (output === 'json') return jsonFrame(wish.named, aboutOf)
  if (output === 'csv') {
    const format = await loadWritten('csv')
    const form = formOf(asked, layer, output, wish.named)
    const end = form === undefined ? '' : format.end(form.about, { numberReturned: 0, timeStamp: opened.at })
    return { head: Buffer.alloc(0), tailOf: () => Buffer.from(end) }
  }
  return gmlFrame(versionOf(output), aboutOf(opened.first), namespacesOf(asked, [layer], output))
}

/** GML 3.2 stands in collections of WFS 2.0, GML 3.1 in those of 1.1. */
function versionOf(output: 'gml31' | 'gml32'): '1.1.0' | '2.0.0' {
  return output === 'gml32' ? '2.0.0' : '1.1.0'
}

function namespacesOf(asked: WfsRequest, layers: readonly LayerRecord[], output: 'gml31' | 'gml32') {
  const { request } = asked
  const prefixes = new Map(
    layers.map(({ workspace }) => [prefixOf(workspace), namespaceOf(request, workspace)] as const),
  )
  return { prefixes, schemaUrl: describeUrl({ ...asked, version: versionOf(output) }, layers) }
}

/** What is told of a page: of one that is not read to its end its numbers follow from how many match. */
function collectionAbout(
  asked: WfsRequest,
  { wanted }: Reading,
  { last, at, limit }: Opened & { last: PagePart },
): CollectionAbout {
  const { numberMatched } = last
  const start = wanted.startIndex
  const expected = Math.max(0, Math.min(limit, numberMatched - start))
  const numberReturned = last.isLast ? last.numberReturned : expected
  const behind = start + numberReturned
  const goesOn = asked.features === undefined && limit > 0
  const next =
    goesOn && behind < numberMatched && numberReturned > 0 ? pageUrl(asked, behind, limit) : undefined
  const before = Math.max(0, start - limit)
  const previous = goesOn && start > 0 ? pageUrl(asked, before, Math.min(limit, start - before)) : undefined
  return { timeStamp: at, numberMatched, numberReturned, next, previous }
}

function pageUrl(asked: WfsRequest, startIndex: number, count: number): string {
  const counted =
    asked.version === '2.0.0'
      ? { count: String(count), maxfeatures: undefined }
      : { maxfeatures: String(count), count: undefined }
  return sameUrl(asked, { startindex: String(startIndex), ...counted })
}

/** How many features match, and none of them (OGC 09-025r2, section 7.6.3.6). */
function sendHits(
  asked: WfsRequest,
  { layer }: Reading,
  { numberMatched, timeStamp }: { numberMatched: number; timeStamp: string },
): unknown {
  const { version, reply } = asked
  const output = version === '2.0.0' ? 'gml32' : 'gml31'
  const numberReturned = version === '2.0.0' ? 0 : numberMatched
  const about = { timeStamp, numberMatched, numberReturned, next: undefined, previous: undefined }
  const root = collectionRoot(version, about, namespacesOf(asked, [layer], output))
  reply.header('content-type', 'text/xml; charset=utf-8')
  return reply.send(`${root}</wfs:FeatureCollection>\n`)
}
