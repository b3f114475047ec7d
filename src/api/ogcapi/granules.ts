import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure, invalid, notFound } from '../../core/errors/errors.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { indexSchema } from '../../importer/index.ts'
import { isInside } from '../../inputs/index.ts'
import {
  type FileLink,
  fileMediaType,
  findRasterFile,
  mosaicType,
  type ServedStore,
} from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { requestSignal } from '../request-properties.ts'
import { sendFile } from '../send-file.ts'
import { collectionId } from './collection.ts'
import type { FeatureView, ItemDeps, ItemsDeps } from './items.ts'
import { sendItem, sendItems, unknownFeature } from './items.ts'
import type { ItemsParameters } from './items-query.ts'

/** A mosaic's granules as features. */
export interface Granules {
  /** The layer as if its granules were its features. */
  layer: LayerRecord
  store: ServedStore
}

/** Opens the granules of a mosaic; throws `Failure` (`not-found`) for another layer. */
export async function openGranules(catalog: Catalog, layer: LayerRecord): Promise<Granules> {
  const coverage = await catalog.layers.storeOf(layer)
  if (coverage.type !== mosaicType) {
    throw notFound('no-granules', `Collection "${collectionId(layer)}" is not a mosaic and has no granules`)
  }
  const { store, table } = await catalog.stores.getMosaicIndex(coverage)
  const { crs } = layer.details
  return {
    layer: { ...layer, nativeName: table, details: { ...layer.details, schema: indexSchema(crs) } },
    store: await catalog.stores.open(store),
  }
}

const locationName = 'location'

/**
 * Returns the layer as if its granules were its features, without the paths of their files; undefined if it
 * is not a mosaic.
 */
export async function layerOfGranules(
  catalog: Catalog,
  layer: LayerRecord,
): Promise<LayerRecord | undefined> {
  if (layer.details.kind !== 'raster') return undefined
  if ((await catalog.layers.storeOf(layer)).type !== mosaicType) return undefined
  const { attributes, geometry } = indexSchema(layer.details.crs)
  const schema = { attributes: attributes.filter(({ name }) => name !== locationName), geometry }
  return { ...layer, details: { ...layer.details, schema } }
}

function locationOf(batch: FeatureBatch, row: number): string {
  const column = batch.columns[attributeIndex(batch.schema, locationName)]
  return column === undefined ? '' : String(columnValue(column, row))
}

function granulesPath(layer: LayerRecord): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}/granules`
}

/** Returns how the features of granules link to their files. */
export function granuleLink(request: FastifyRequest, layer: LayerRecord): FileLink {
  return { attribute: locationName, base: request.link(granulesPath(layer)) }
}

function viewOf(request: FastifyRequest, { layer, store }: Granules): FeatureView {
  return { path: granulesPath(layer), store, fileLink: granuleLink(request, layer) }
}

/** Granules are those of the present version. */
function refuseVersions({ version }: ItemsParameters): void {
  if (version !== undefined) throw invalid('invalid-parameter', 'version is not supported for granules')
}

/** A page of a mosaic's granules as GeoJSON: footprints, times and links to the files. */
export async function sendGranules(
  deps: ItemsDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Querystring: ItemsParameters }>,
  reply: FastifyReply,
): Promise<unknown> {
  refuseVersions(request.query)
  const granules = await openGranules(deps.catalog, layer)
  return sendItems(deps, granules.layer, request, reply, viewOf(request, granules))
}

export async function sendGranule(
  deps: ItemDeps,
  layer: LayerRecord,
  request: FastifyRequest<{ Params: { featureId: string }; Querystring: ItemsParameters }>,
  reply: FastifyReply,
): Promise<unknown> {
  refuseVersions(request.query)
  const granules = await openGranules(deps.catalog, layer)
  return sendItem(deps, granules.layer, request, reply, viewOf(request, granules))
}

/** Sends a granule's file, or one of its side files; only from folders that the server may read. */
export async function sendGranuleFile(
  catalog: Catalog,
  granuleFolders: readonly string[],
  layer: LayerRecord,
  request: FastifyRequest<{ Params: { featureId: string; fileName: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { fileName, featureId } = request.params
  const { layer: indexed, store } = await openGranules(catalog, layer)
  const query = { table: indexed.nativeName, limit: 1, offset: 0, featureId }
  const [page] = await Array.fromAsync(store.readFeatures(query, requestSignal(reply)))
  if (page === undefined || page.batch.rowCount === 0) throw unknownFeature(featureId)
  const location = locationOf(page.batch, 0)
  const found = findRasterFile(location, fileName)
  const isOurs = await isInside(granuleFolders, location).catch(() => false)
  if (found === undefined || !isOurs) {
    throw notFound('unknown-file', `Granule "${featureId}" has no file "${fileName}"`)
  }
  const { path, isMain } = found
  request.usedFile = isMain
  const file = { path, mediaType: fileMediaType(path), isLinkAllowed: isMain }
  if (await sendFile(request, reply, file)) return reply
  if (!isMain) throw notFound('unknown-file', `Granule "${featureId}" has no file "${fileName}"`)
  throw new Failure('unavailable', 'granule-file', `The file of granule "${featureId}" cannot be read`)
}
