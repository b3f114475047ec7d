import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import { coverageMediaType, findRasterFile, mosaicType } from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { sendFile } from '../send-file.ts'
import type { CloudOptimizedCopies } from './cloud-optimized.ts'
import { cogMediaType, isCloudOptimized } from './cloud-optimized.ts'
import { collectionId } from './collection.ts'
import { sendDownload } from './generated-download.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { chosenRepresentation } from './representations.ts'

/** Sends the file of a coverage, or one of its side files, by name; supports ranges. */
export async function sendCoverageFile(
  catalog: Catalog,
  layer: LayerRecord,
  request: FastifyRequest<{ Params: { fileName: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { fileName } = request.params
  const unknown = notFound('unknown-file', `Collection "${collectionId(layer)}" has no file "${fileName}"`)
  if (layer.details.kind !== 'raster') throw unknown
  const store = await catalog.layers.storeOf(layer)
  const found = findRasterFile(store.parameters.path ?? '', fileName)
  if (found === undefined) throw unknown
  const { path, isMain } = found
  request.usedFile = isMain
  const file = { path, mediaType: coverageMediaType(path, store), isLinkAllowed: isMain }
  if (await sendFile(request, reply, file)) return reply
  if (!isMain) throw unknown
  throw new Failure('unavailable', 'store-file', `The file of store "${store.name}" cannot be read`)
}

type CoverageDeps = Pick<OgcDeps, 'catalog' | 'downloads'> & { cogs: CloudOptimizedCopies }

/**
 * Sends a coverage as GeoTIFF, or the requested range of it: the stored file, or its cloud-optimized copy if the stored file is
 * no GeoTIFF or has another layout than the client requires.
 */
export async function sendCoverage(
  { catalog, downloads, cogs }: CoverageDeps,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = await requireFile(catalog, layer)
  const store = await catalog.layers.storeOf(layer)
  const isTiff = coverageMediaType(path, store).startsWith('image/tiff')
  const isCog = isTiff && (await isCloudOptimized(path))
  request.usedFile = true
  if (isCog || (isTiff && !requiresCog(request))) {
    const mediaType = isCog ? cogMediaType : coverageMediaType(path, store)
    if (await sendFile(request, reply, { path, mediaType, isLinkAllowed: true })) return reply
    throw new Failure('unavailable', 'store-file', `The file of store "${store.name}" cannot be read`)
  }
  return sendDownload(downloads, await cogs.get(layer, request, reply), request, reply)
}

/** True if only the cloud-optimized layout is acceptable: by `f`, or by the profile in `Accept`. */
function requiresCog(request: FastifyRequest): boolean {
  const { f } = request.query as { f?: string }
  if (f !== undefined) return chosenRepresentation(request)?.name === 'cog'
  return /profile\s*=\s*"?cloud-optimized/i.test(request.headers.accept ?? '')
}

/** Returns the path of the file of a coverage; throws for features and mosaics, which have no single file. */
async function requireFile(catalog: Catalog, layer: LayerRecord): Promise<string> {
  const id = collectionId(layer)
  if (layer.details.kind === 'vector')
    throw notFound('no-coverage', `Collection "${id}" contains features: use /ogc/collections/${id}/items`)
  const { type, parameters } = await catalog.layers.storeOf(layer)
  if (type === mosaicType)
    throw notFound(
      'no-coverage',
      `Collection "${id}" is a mosaic, which has no single file: use /ogc/collections/${id}/granules, or WCS for a part`,
    )
  return parameters.path ?? ''
}
