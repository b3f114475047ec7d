import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { notFound } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import {
  type FeaturePageRequest,
  type FileLink,
  type PagePart,
  type PropertySelection,
  type ServedStore,
  type ShownColumns,
  shownSchema,
} from '../../stores/index.ts'
import { filterInTable } from '../../stores/reading/shown-columns.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { RequestedCrs } from '../crs-uris.ts'
import { entityTags, featureEtag } from '../etag.ts'
import { readFilterQuery } from '../filter-query.ts'
import { requestSignal } from '../request-properties.ts'
import { collectionId } from './collection.ts'
import { itemsForm } from './items-form.ts'
import type { ItemsParameters } from './items-query.ts'
import { readBox, readTimeQuery, requestedCrs } from './items-query.ts'
import type { OgcDeps } from './ogc-deps.ts'
import type { PageLocation } from './page-links.ts'
import { pageLinks, readPageLocation } from './page-links.ts'
import { documentBytes, openPage, sendPage } from './page-stream.ts'
import type { PageTokens } from './page-token.ts'
import { narrowed, readPropertyFilters } from './property-filters.ts'
import { readSelection, readSort } from './property-names.ts'
import type { ItemLink } from './representations.ts'
import { alternateLinks, chosenRepresentation } from './representations.ts'

export type ItemsDeps = Pick<OgcDeps, 'catalog' | 'clock' | 'pageTokens' | 'kept'>

/** Dependencies of one feature. */
export type ItemDeps = Pick<OgcDeps, 'catalog' | 'clock'>

/** Returns the CRS of a layer's features in responses, and that of its table. */
function crsOf(
  layer: LayerRecord,
  { srs, isYx }: RequestedCrs,
): Pick<FeaturePageRequest, 'srs' | 'isYx' | 'crs'> {
  const { srs: code, crs: declared, schema } = layer.details
  return { srs, isYx, crs: schema.geometry === undefined ? undefined : (code ?? declared) }
}

/** Reads the parameters of a page, by the names of the layer's columns. */
function readPageParameters(
  tokens: PageTokens,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: ItemsParameters }>,
  { path, fileLink }: FeatureView,
): { page: FeaturePageRequest; position: PageLocation } {
  const { query: parameters } = request
  const rows = chosenRepresentation(request)?.rows
  const crs = requestedCrs(layer, parameters.crs)
  const box = readBox(parameters)
  const time = readTimeQuery(layer, parameters.datetime)
  const attributes = layer.details.schema.attributes.filter(({ name }) => name !== fileLink?.attribute)
  const schema = { ...layer.details.schema, attributes }
  const filter = narrowed(readFilterQuery(parameters, schema), readPropertyFilters(request, schema))
  const sort = readSort(parameters, schema)
  const selection = readSelection(parameters, schema)
  const position = readPageLocation(tokens, layer, parameters, { path, sort, rows })
  const { limit, offset, from } = position
  const page = {
    query: { table: layer.nativeName, limit, offset, time, from, sort: sort.length === 0 ? undefined : sort },
    box,
    filter,
    selection,
    ...crsOf(layer, crs),
    ...(rows === undefined ? {} : brief),
  }
  return { page, position }
}

/** Replaces the names of columns by those of the table. */
function inTable(page: FeaturePageRequest, columns: ShownColumns | undefined): FeaturePageRequest {
  if (columns === undefined) return page
  const { time, sort } = page.query
  const own = new Map(Object.entries(columns.names).map(([name, shown]) => [shown, name]))
  const named = <Key extends { attribute: string }>(key: Key): Key => ({
    ...key,
    attribute: own.get(key.attribute) ?? key.attribute,
  })
  const query = {
    ...page.query,
    time: (time && named(time)) ?? page.query.time,
    sort: sort?.map(named) ?? page.query.sort,
  }
  const { filter } = page
  return { ...page, query, filter: (filter && filterInTable(filter, columns)) ?? page.filter }
}

/** Returns the layer with a schema of the selected properties alone. */
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

async function itemsView(catalog: Catalog, layer: LayerRecord): Promise<FeatureView> {
  return { path: itemsPath(layer), store: await catalog.layers.openStoreOf(layer) }
}

/** Sends a page of features (OGC 17-069r4, section 7.15), streamed; `given`: of another view than the items. */
export async function sendItems(
  deps: ItemsDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: ItemsParameters }>,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<unknown> {
  const { catalog, clock, pageTokens, kept } = deps
  const crs = requestedCrs(layer, request.query.crs)
  const view = given ?? (await itemsView(catalog, layer))
  const { store, fileLink, columns } = view
  const isParsed = chosenRepresentation(request)?.rows !== undefined
  const { page, position } = readPageParameters(pageTokens, layer, request, view)
  const form = await itemsForm(request, withSelection(layer, page.selection), crs)
  const opened = await openPage(
    {
      layer,
      store,
      counts: kept.counts,
      isSettled: given === undefined ? () => catalog.layers.isSettled(layer) : async () => true,
    },
    { ...inTable(page, columns), ...defined({ fileLink, columns, form: form.form }) },
    requestSignal(reply),
  )
  const linksOf = (part: PagePart): ItemLink[] =>
    pageLinks(request, layer, position, { tokens: pageTokens, mediaType: form.mediaType }, part)
  form.describe(reply, linksOf(opened.first), opened.first.numberMatched)
  reply.header('content-crs', `<${crs.uri}>`)
  const timeStamp = clock.now().toISOString()
  const tailOf = (last: PagePart): Uint8Array => {
    const { numberMatched, numberReturned } = last
    return form.end({ numberMatched, numberReturned, timeStamp, links: linksOf(last) })
  }
  const frame = { head: form.head, tailOf }
  if (isParsed) return parsed(await Array.fromAsync(documentBytes(opened, frame)))
  return sendPage(reply, opened, frame)
}

/** For representations made from the features: only what people read, and x first, for drawing. */
const brief = { isBrief: true, isYx: false } as const

function parsed(bytes: readonly Uint8Array[]): unknown {
  return JSON.parse(Buffer.concat(bytes).toString('utf8'))
}

export function unknownFeature(featureId: string): Error {
  return notFound('unknown-feature', `Feature "${featureId}" does not exist in this collection`)
}

/**
 * Sets the `ETag` of a feature's state (OGC 20-002, section 8.3); returns true if the client has it already.
 */
async function isKept(
  catalog: Catalog,
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
  const requested = entityTags(request.headers['if-none-match'])
  return requested.includes(etag) || requested.includes('*')
}

/** Sends one feature (OGC 17-069r4, section 7.16). */
export async function sendItem(
  deps: ItemDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Params: { featureId: string }; Querystring: ItemsParameters }>,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<unknown> {
  const { featureId } = request.params
  const crs = requestedCrs(layer, request.query.crs)
  const form = await itemsForm(request, layer, crs, { isSingle: true })
  const view = given ?? (await itemsView(deps.catalog, layer))
  const isBrief = chosenRepresentation(request)?.rows !== undefined
  const page: FeaturePageRequest = {
    query: { table: layer.nativeName, limit: 1, offset: 0, featureId, idAttribute: view.columns?.id },
    numberMatched: 1,
    wantsTag: given === undefined ? true : undefined,
    ...crsOf(layer, crs),
    ...(isBrief ? brief : {}),
    fileLink: view.fileLink,
    columns: view.columns,
    form: form.form,
  }
  const written = await Array.fromAsync(view.store.writePage(page, requestSignal(reply)))
  if (written.at(-1)?.numberReturned !== 1) throw unknownFeature(featureId)
  if (await isKept(deps.catalog, layer, request, reply, written.at(-1)?.tag)) return reply.code(304).send()
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
