import { Type } from 'typebox'
import { hasRole } from '../../../access/index.ts'
import type { Catalog, LayerRecord } from '../../../catalog/index.ts'
import { conflict, Failure, notFound } from '../../../core/errors/errors.ts'
import { unknownDownload } from '../../../core/jobs/files/generated-files.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import { type Downloads, type ExportFormat, type Exports, formatsOfFiles } from '../../../render/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { loginNeeded } from '../../app-types.ts'
import { keepPrivately } from '../../caching.ts'
import { Bytes, empty, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { sendFile, sendStoredFile } from '../../send-file.ts'
import type { AnyDownload } from './download-response.ts'
import {
  DownloadReply,
  dispositionOf,
  downloadPath,
  ExportBody,
  fileBodies,
  fileNameOf,
  readExportBody,
  toDownloadResponse,
} from './download-response.ts'

/** Dependencies of endpoints for files made from layers. */
export interface DownloadDeps {
  catalog: Pick<Catalog, 'layers' | 'versions'>
  exports: Exports
  downloads: Downloads
}

const tags = ['downloads']
const LayerParams = Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) })
const IdParams = Type.Object({ id: Type.String({ description: '32 hexadecimal digits' }) })
const mediaTypes: Record<ExportFormat, string> = {
  mbtiles: 'application/vnd.mapbox-vector-tile+mbtiles',
  pmtiles: 'application/vnd.pmtiles',
}
const typesOfFiles: Record<string, string> = {
  ...mediaTypes,
  ...Object.fromEntries(Object.entries(formatsOfFiles).map(([name, { mediaType }]) => [name, mediaType])),
}
const bodies = { ...fileBodies, [mediaTypes.mbtiles]: Bytes, [mediaTypes.pmtiles]: Bytes }

export const createExport = operation({
  summary: 'Export all vector tiles of a layer as one file, MBTiles or PMTiles',
  description:
    'Tiles are equal to those below `/tiles`, and all are of one version of the layer. If the layer changes, the file is started again.',
  tags,
  isHeavy: true,
  params: LayerParams,
  body: ExportBody,
  answers: { 202: DownloadReply },
  handle: async ({ catalog, exports }: Omit<DownloadDeps, 'downloads'>, request, reply) => {
    const { layer: text } = request.params
    const layer = await catalog.layers.findNamed(text)
    if (layer === undefined || !(await request.rights()).can('download', layer))
      throw notFound('unknown-layer', `Layer "${text}" does not exist`)
    request.usedLayer = layer
    const exportRequest = readExportBody(request.body)
    if (exportRequest.version !== undefined)
      await catalog.versions.get({ ...layer, layer }, exportRequest.version)
    const record = await exports.begin(layer, exportRequest, request.caller.name ?? '')
    reply.code(202).header('location', request.link(downloadPath(record)))
    return toDownloadResponse(request, record)
  },
})

export const showDownload = operation({
  summary: 'Show the progress and URL of a file',
  description:
    'State, progress, size, and losses of the format; `href` of the file when the state is `COMPLETE`. Only for the user who requested the file, and administrators.',
  tags,
  params: IdParams,
  answers: { 200: DownloadReply },
  handle: async (deps: Omit<DownloadDeps, 'catalog'>, request, reply) => {
    const { record } = await readable(deps, request)
    keepPrivately(reply)
    return toDownloadResponse(request, record)
  },
})

export const readDownload = operation({
  summary: 'The file, or a range of it',
  description: 'Bytes of the created file. `Range` and `If-Range` resume an interrupted transfer.',
  tags,
  handlesHead: true,
  params: IdParams,
  answers: {
    200: media('The file', bodies),
    206: media('The range of it that was asked for', bodies),
    304: empty('The client has it already'),
    307: empty('URL of the file in the object store, if clients are redirected there'),
    416: empty('The file has no such range'),
  },
  handle: async (deps: Omit<DownloadDeps, 'catalog'>, request, reply) => {
    const { record, files } = await readable(deps, request)
    const path = files.filePath(record)
    if (path === undefined)
      throw conflict('download-not-ready', `The file is not available: its state is ${record.state}`)
    const mediaType = ownValue(typesOfFiles, record.format) ?? 'application/octet-stream'
    const stored = await files.findStored(record)
    reply.header('content-disposition', dispositionOf(record))
    if (stored !== undefined)
      return sendStoredFile(request, reply, stored, { mediaType, fileName: fileNameOf(record) })
    if (await sendFile(request, reply, { path, mediaType, isLinkAllowed: false })) return reply
    throw unknownDownload(record.id)
  },
})

export const removeDownload = operation({
  summary: 'Cancel a download, or remove its file',
  description: 'A download requested without a login can be removed by anyone who knows its id.',
  tags,
  params: IdParams,
  answers: { 200: empty() },
  handle: async (deps: Omit<DownloadDeps, 'catalog'>, request, reply) => {
    const { record, files, layer } = await readable(deps, request)
    const isNobodys = record.user === ''
    if (!isNobodys && !hasRole(request.caller, 'user')) throw loginNeeded()
    if (!isNobodys && record.user !== request.caller.name && !(await request.rights()).can('manage', layer))
      throw new Failure(
        'forbidden',
        'forbidden',
        'Only the user who requested the file, or staff, may remove it',
      )
    await files.remove(record.id)
    return reply.code(200).send()
  },
})

interface FoundDownload {
  record: AnyDownload
  layer: LayerRecord
  /** Collection of files that contains it. */
  files: Pick<Exports['files'] | Downloads['files'], 'filePath' | 'findStored' | 'remove'>
}

/** Rights are those of the moment: of a layer that the caller may not read there is no download. */
async function readable(
  { exports, downloads }: Omit<DownloadDeps, 'catalog'>,
  request: FastifyRequest<{ Params: { id: string } }>,
): Promise<FoundDownload> {
  const { id } = request.params
  const exported = await exports.files.find(id)
  const { record, layer } = exported ?? (await downloads.files.get(id))
  const isForEveryone = record.version === undefined
  const mayDownload = (await request.rights()).can('download', layer)
  if (!mayDownload || (request.caller.role === 'anonymous' && !isForEveryone)) throw unknownDownload(id)
  request.usedLayer = layer
  return { record, layer, files: exported === undefined ? downloads.files : exports.files }
}
