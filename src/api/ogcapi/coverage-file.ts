import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import { coverageMediaType, findRasterFile } from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { sendFile } from '../send-file.ts'
import { collectionId } from './collection.ts'

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
