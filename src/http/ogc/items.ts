import { Readable } from 'node:stream'
import type { LayerRecord } from '../../catalog/records.ts'
import { defined } from '../../lib/defined.ts'
import { notFound } from '../../lib/errors.ts'
import type {
  FeaturePageRequest,
  FileLink,
  PagePart,
  PropertySelection,
} from '../../stores/reading/feature-page-request.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import { filterInTable } from '../../stores/reading/shown-columns.ts'
import { shownSchema } from '../../stores/reading/shown-schema.ts'
import type { ShownColumns } from '../../stores/reading/tile-request.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { requestSignal } from '../client-signal.ts'
import { entityTags, featureEtag } from '../etag.ts'
import { readFilterQuery } from '../filter-query.ts'
import { collectionId } from './collection.ts'
import type { ItemLink } from './item-link.ts'
import type { ItemsForm } from './items-form.ts'
import { itemsForm } from './items-form.ts'
import type { ItemsParameters } from './items-query.ts'
import { readBox, readTimeQuery, requestedCrs } from './items-query.ts'
import type { OgcDeps } from './ogc-deps.ts'
import type { PageRequest } from './page-links.ts'
import { pageLinks, readPageRequest } from './page-links.ts'
import type { PageFrame } from './page-stream.ts'
import { documentBytes, finish, joined, openPage, readingLess, watchStalls } from './page-stream.ts'
import type { PageTokens } from './page-token.ts'
import { narrowed, readPropertyFilters } from './property-filters.ts'
import { readSelection, readSort } from './property-names.ts'
import type { Representation } from './representations.ts'
import { alternateLinks, chosenRepresentation } from './representations.ts'

/** Returns the CRS and the columns of a layer's features in responses. */
function outputOf(
  layer: LayerRecord,
  crs: { srs: string; isYx: boolean },
): Pick<FeaturePageRequest, 'srs' | 'isYx' | 'crs'> {
  const { srs, crs: declared, schema } = layer.details
  const known = schema.geometry === undefined ? undefined : (srs ?? declared)
  return { srs: crs.srs, isYx: crs.isYx, ...defined({ crs: known }) }
}

/** The question of a request in the layer's terms. */
function toWish(
  tokens: PageTokens,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: ItemsParameters }>,
  { view, rows }: { view: FeatureView; rows: Representation['rows'] },
): { wish: FeaturePageRequest; page: PageRequest } {
  const { path, fileLink } = view
  const { query: parameters } = request
  const crs = requestedCrs(layer, parameters.crs)
  const box = readBox(parameters)
  const time = readTimeQuery(layer, parameters.datetime)
  const attributes = layer.details.schema.attributes.filter(({ name }) => name !== fileLink?.attribute)
  const schema = { ...layer.details.schema, attributes }
  const filter = narrowed(readFilterQuery(parameters, schema), readPropertyFilters(request, schema))
  const sort = readSort(parameters, schema)
  const selection = readSelection(parameters, schema)
  const page = readPageRequest(tokens, layer, parameters, { path, sort, rows })
  const { limit, offset, from } = page
  const wish = {
    query: {
      table: layer.nativeName,
      limit,
      offset,
      ...defined({ time, from, sort: sort.length === 0 ? undefined : sort }),
    },
    ...defined({ box, filter, selection }),
    ...outputOf(layer, crs),
    ...(rows === undefined ? {} : brief),
  }
  return { wish, page }
}

/** The same question in the names that the table has for its columns. */
function inTable(wish: FeaturePageRequest, columns: ShownColumns | undefined): FeaturePageRequest {
  if (columns === undefined) return wish
  const { time, sort } = wish.query
  const own = new Map(Object.entries(columns.names).map(([name, shown]) => [shown, name]))
  const named = <Key extends { attribute: string }>(key: Key): Key => ({
    ...key,
    attribute: own.get(key.attribute) ?? key.attribute,
  })
  const query = { ...wish.query, ...defined({ time: time && named(time), sort: sort?.map(named) }) }
  const { filter } = wish
  return { ...wish, query, ...defined({ filter: filter && filterInTable(filter, columns) }) }
}

/** The layer as if it had no other properties than those that are shown. */
function withSelection(layer: LayerRecord, selection: PropertySelection | undefined): LayerRecord {
  const schema = shownSchema(layer.details.schema, selection)
  return { ...layer, details: { ...layer.details, schema } }
}

/** Options for features that are not the items of their collection. */
export interface FeatureView {
  /** Path of the list. */
  path: string
  /** Query appended to the address of one feature. */
  query?: string
  store: ServedStore
  fileLink?: FileLink
  /** Present if the columns of the table have other names. */
  columns?: ShownColumns
}

/** Returns the path of a layer's features. */
export function itemsPath(layer: LayerRecord): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}/items`
}

async function itemsView({ catalog }: OgcDeps, layer: LayerRecord): Promise<FeatureView> {
  return { path: itemsPath(layer), store: await catalog.layers.openStoreOf(layer) }
}

/** A page of features (OGC 17-069r4, section 7.15), streamed. */
export async function sendItems(
  deps: OgcDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: ItemsParameters }>,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<unknown> {
  const crs = requestedCrs(layer, request.query.crs)
  const view = given ?? (await itemsView(deps, layer))
  const rows = chosenRepresentation(request)?.rows
  const { wish: shown, page } = toWish(deps.pageTokens, layer, request, { view, rows })
  const form = await itemsForm(request, withSelection(layer, shown.selection), crs)
  const asked = inTable(shown, view.columns)
  const { counts } = deps.kept
  const key = await counts.keyOf(view.store, layer, asked)
  const numberMatched = counts.find(key)
  const { fileLink, columns } = view
  const wish = readingLess({ ...asked, ...defined({ numberMatched, fileLink, columns, form: form.form }) })
  const signal = requestSignal(reply)
  const isSettled = given === undefined ? () => deps.catalog.layers.isSettled(layer) : async () => true
  const { written, first, isSure } = await openPage(view.store, wish, isSettled, signal)
  if (isSure) counts.keep(key, first.numberMatched)
  const linksOf = (part: PagePart): ItemLink[] => {
    const { mediaType } = form
    return pageLinks(
      request,
      layer,
      { path: view.path, asked: page, tokens: deps.pageTokens, mediaType },
      part,
    )
  }
  form.describe(reply, linksOf(first), first.numberMatched)
  reply.header('content-crs', `<${crs.uri}>`)
  const frame: CollectionFrame = { at: deps.clock.now(), linksOf, form }
  if (rows !== undefined)
    return parsed(await Array.fromAsync(documentBytes(first, written, documentOf(frame))))
  if (first.isLast) {
    finish(written)
    return reply.send(joined([form.head, first.bytes, tailOf(first, frame)], first))
  }
  return reply.send(
    watchStalls(
      reply,
      Readable.from(documentBytes(first, written, documentOf(frame)), { objectMode: false }),
    ),
  )
}

/** For representations made from the features: only what people read, and x first, for drawing. */
const brief = { isBrief: true, isYx: false } as const

function parsed(bytes: readonly Uint8Array[]): unknown {
  return JSON.parse(Buffer.concat(bytes).toString('utf8'))
}

interface CollectionFrame {
  form: ItemsForm
  /** Returns the links of a page; the last page is known only by its last part. */
  linksOf: (part: PagePart) => ItemLink[]
  at: Date
}

/** Returns the text around the parts of a page. */
function documentOf(frame: CollectionFrame): PageFrame {
  return { head: frame.form.head, tailOf: (last) => tailOf(last, frame) }
}

function tailOf(last: PagePart, { form, at, linksOf }: CollectionFrame): Uint8Array {
  const { numberMatched, numberReturned } = last
  return form.end({ numberMatched, numberReturned, timeStamp: at.toISOString(), links: linksOf(last) })
}

export function unknownFeature(featureId: string): Error {
  return notFound('unknown-feature', `Feature "${featureId}" does not exist in this collection`)
}

/**
 * Sets the `ETag` of a feature's state (OGC 20-002, section 8.3); returns true if the client has it already.
 */
async function isKept(
  { catalog }: OgcDeps,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
  state: string | undefined,
): Promise<boolean> {
  if (state === undefined) return false
  const { version, isCurrent } = await catalog.layers.versionOf(layer)
  const etag = featureEtag(state, isCurrent ? version : undefined)
  // Another representation of the same state: a weak tag, which does not promise equal bytes.
  reply.header('etag', chosenRepresentation(request) === undefined ? etag : `W/${etag}`)
  const wanted = entityTags(request.headers['if-none-match'])
  return wanted.includes(etag) || wanted.includes('*')
}

/** Sends one feature (OGC 17-069r4, section 7.16). */
export async function sendItem(
  deps: OgcDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Params: { featureId: string }; Querystring: ItemsParameters }>,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<unknown> {
  const { featureId } = request.params
  const crs = requestedCrs(layer, request.query.crs)
  const form = await itemsForm(request, layer, crs, { isSingle: true })
  const view = given ?? (await itemsView(deps, layer))
  const isBrief = chosenRepresentation(request)?.rows !== undefined
  const wish: FeaturePageRequest = {
    query: {
      table: layer.nativeName,
      limit: 1,
      offset: 0,
      featureId,
      ...defined({ idAttribute: view.columns?.id }),
    },
    numberMatched: 1,
    ...(given === undefined ? { wantsTag: true } : {}),
    ...outputOf(layer, crs),
    ...(isBrief ? brief : {}),
    ...defined({ fileLink: view.fileLink, columns: view.columns, form: form.form }),
  }
  const written = await Array.fromAsync(view.store.writePage(wish, requestSignal(reply)))
  if (written.at(-1)?.numberReturned !== 1) throw unknownFeature(featureId)
  if (await isKept(deps, layer, request, reply, written.at(-1)?.tag)) return reply.code(304).send()
  const feature = Buffer.concat(written.map(({ bytes }) => bytes))
  const links = itemLinks(request, layer, view, form.mediaType)
  form.describe(reply, links)
  reply.header('content-crs', `<${crs.uri}>`)
  if (form.form === undefined) {
    const end = Buffer.from(`,"links":${JSON.stringify(links)}}`)
    const whole = Buffer.concat([feature.subarray(0, -1), end])
    return isBrief ? parsed([whole]) : reply.send(whole)
  }
  const end = { numberReturned: 1, timeStamp: deps.clock.now().toISOString(), links, numberMatched: 1 }
  return reply.send(Buffer.concat([feature, form.end(end)]))
}

function itemLinks(
  request: FastifyRequest<{ Params: { featureId: string } }>,
  layer: LayerRecord,
  view: FeatureView,
  type: string,
): ItemLink[] {
  const path = `${view.path}/${encodeURIComponent(request.params.featureId)}`
  const collection = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  return [
    { rel: 'self', type, href: request.link(`${path}${view.query ?? ''}`) },
    { rel: 'collection', type: 'application/json', href: request.link(collection) },
    ...alternateLinks(request, path),
  ]
}
