import { Readable } from 'node:stream'
import type { LayerRecord } from '../../catalog/records.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import { notFound } from '../../lib/errors.ts'
import type { FeaturePage, FeatureQuery, VectorStore } from '../../stores/store.ts'
import type { FastifyReply, FastifyRequest, HttpContext } from '../app-types.ts'
import { collectionId } from './collection.ts'
import type { RequestedCrs } from './crs-uris.ts'
import type { FeatureShape } from './feature-writer.ts'
import { featureToJson } from './feature-writer.ts'
import type { ItemsParameters } from './items-query.ts'
import { readBbox, readPage, readTime, requestedCrs } from './items-query.ts'

const geoJson = 'application/geo+json; charset=utf-8'

/** The filter of a request in the layer's terms. */
async function toQuery(layer: LayerRecord, parameters: ItemsParameters): Promise<FeatureQuery> {
  const bboxes = await readBbox(layer, parameters)
  const time = readTime(layer, parameters.datetime)
  return {
    table: layer.nativeName,
    ...readPage(parameters),
    ...(bboxes === undefined ? {} : { bboxes }),
    ...(time === undefined ? {} : { time }),
  }
}

/** From the layer's CRS into the one wanted; undefined where there is nothing to do. */
async function outputReprojector(layer: LayerRecord, crs: RequestedCrs): Promise<Reprojector | undefined> {
  const { srs, crs: declared, schema } = layer.details
  if (schema.geometry === undefined || (srs === undefined && declared === undefined)) return undefined
  if (srs === crs.srs) return undefined
  return createReprojector(srs ?? declared ?? {}, crs.srs)
}

/** How features are shown that are not the items of their collection. */
export interface FeatureView {
  /** Path of the list. */
  path: string
  store: VectorStore
  toText(batch: FeatureBatch, row: number, id: string, shape: FeatureShape): string
}

async function itemsView({ catalog }: HttpContext, layer: LayerRecord): Promise<FeatureView> {
  return {
    path: `/ogc/collections/${encodeURIComponent(collectionId(layer))}/items`,
    store: await catalog.openStoreOfLayer(layer),
    toText: featureToJson,
  }
}

/** A page of features as GeoJSON (OGC 17-069r4, section 7.15), streamed. */
export async function sendItems(
  context: HttpContext,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<FastifyReply> {
  const parameters = request.query as ItemsParameters
  const crs = requestedCrs(layer, parameters.crs)
  const query = await toQuery(layer, parameters)
  const reprojector = await outputReprojector(layer, crs)
  const view = given ?? (await itemsView(context, layer))
  const signal = abortOnClose(request, reply)
  const numberMatched = await view.store.count(query, signal)
  const links = pageLinks(request, layer, { ...query, numberMatched, path: view.path })
  const features = featureTexts(view.store.readFeatures(query, signal), { reprojector, crs, view })
  reply.header('content-type', geoJson).header('content-crs', `<${crs.uri}>`)
  return reply.send(
    Readable.from(collectionText(features, { numberMatched, links, at: context.clock.now() })),
  )
}

export function abortOnClose(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort(new Error(`The client of ${request.id} went away`)))
  return controller.signal
}

const chunkLength = 64 * 1024

/** The batch in the CRS wanted; a geometry with no place there becomes null, its row stays. */
async function reprojected(batch: FeatureBatch, reprojector: Reprojector | undefined): Promise<FeatureBatch> {
  if (reprojector === undefined || batch.geometry === undefined) return batch
  const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
  const validity = geometry.validity.slice()
  for (const row of failedRows) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
  return { ...batch, geometry: { ...geometry, validity } }
}

interface Output {
  reprojector: Reprojector | undefined
  crs: RequestedCrs
  view: FeatureView
}

async function* featureTexts(
  pages: AsyncIterable<FeaturePage>,
  { reprojector, crs, view }: Output,
): AsyncGenerator<string> {
  try {
    for await (const { batch, ids } of pages) {
      const shown = await reprojected(batch, reprojector)
      for (let row = 0; row < shown.rowCount; row += 1) yield view.toText(shown, row, ids[row] ?? '', crs)
    }
  } finally {
    await reprojector?.close()
  }
}

interface CollectionFrame {
  numberMatched: number
  links: object[]
  at: Date
}

async function* collectionText(
  features: AsyncIterable<string>,
  frame: CollectionFrame,
): AsyncGenerator<string> {
  let chunk = '{"type":"FeatureCollection","features":['
  let numberReturned = 0
  for await (const feature of features) {
    chunk += numberReturned === 0 ? feature : `,${feature}`
    numberReturned += 1
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  const { numberMatched, links, at } = frame
  const rest = JSON.stringify({ numberMatched, numberReturned, timeStamp: at.toISOString(), links })
  yield `${chunk}],${rest.slice(1)}`
}

function pageLinks(
  request: FastifyRequest,
  layer: LayerRecord,
  page: { path: string; limit: number; offset: number; numberMatched: number },
): object[] {
  const path = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  const pageLink = (rel: string, offset: number): object => {
    const query = new URLSearchParams(request.query as Record<string, string>)
    query.set('limit', String(page.limit))
    query.set('offset', String(offset))
    const text = query.toString()
    return { rel, type: 'application/geo+json', href: request.link(`${page.path}?${text}`) }
  }
  const links = [
    pageLink('self', page.offset),
    { rel: 'collection', type: 'application/json', href: request.link(path) },
  ]
  if (page.offset + page.limit < page.numberMatched) links.push(pageLink('next', page.offset + page.limit))
  if (page.offset > 0) links.push(pageLink('prev', Math.max(0, page.offset - page.limit)))
  return links
}

/** The page with the one feature of the query; throws `Failure` (`notFound`) where there is none. */
export async function findFeature(
  store: VectorStore,
  query: FeatureQuery,
  signal: AbortSignal,
): Promise<FeaturePage> {
  for await (const page of store.readFeatures(query, signal)) if (page.batch.rowCount > 0) return page
  throw notFound('unknown-feature', `Feature "${query.featureId}" does not exist in this collection`)
}

/** One feature as GeoJSON (OGC 17-069r4, section 7.16). */
export async function sendItem(
  context: HttpContext,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
  given?: FeatureView,
): Promise<FastifyReply> {
  const { featureId } = request.params as { featureId: string }
  const crs = requestedCrs(layer, (request.query as ItemsParameters).crs)
  const view = given ?? (await itemsView(context, layer))
  const query = { table: layer.nativeName, limit: 1, offset: 0, featureId }
  const { batch, ids } = await findFeature(view.store, query, abortOnClose(request, reply))
  const id = ids[0] ?? featureId
  const page: FeaturePage[] = [{ batch, ids }]
  const reprojector = await outputReprojector(layer, crs)
  const [text = ''] = await Array.fromAsync(featureTexts(Readable.from(page), { reprojector, crs, view }))
  const path = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  const links = [
    {
      rel: 'self',
      type: 'application/geo+json',
      href: request.link(`${view.path}/${encodeURIComponent(id)}`),
    },
    { rel: 'collection', type: 'application/json', href: request.link(path) },
  ]
  reply.header('content-type', geoJson).header('content-crs', `<${crs.uri}>`)
  return reply.send(`${text.slice(0, -1)},"links":${JSON.stringify(links)}}`)
}
