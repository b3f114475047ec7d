import { conflict, invalid } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { CoverageStoreReply } from '../catalog/store-response.ts'
import { makerOf } from '../catalog/stores.ts'
import { bodyFile, loadFile } from './load-file.ts'
import {
  parseStoreFile,
  readLocation,
  requireConfigured,
  StoreFileParams,
  StoreFileQuery,
} from './store-file.ts'
import type { UploadDeps } from './upload-data.ts'
import { isZip, otherStore, sendStore } from './upload-data.ts'

interface RasterTarget {
  workspace: string
  name: string
  coverageName?: string | undefined
}

export const uploadCoverageFile = operation({
  summary: 'Load a raster into a store, or publish a raster that is there',
  description:
    '`file.geotiff`: the body is the file, or a zip of it; store and layer get the name in the path. `external.geotiff`: the body is the path of a file below an import root, which is published where it is. If a load goes on after `TERRANE_REQUEST_SECONDS`, the answer is 202 with the address of its import.',
  tags: ['geoserver'],
  consumes: ['image/tiff', 'application/zip', 'application/octet-stream', 'text/plain'],
  params: StoreFileParams,
  query: StoreFileQuery,
  reported: { body: Bytes },
  bodyLimit: ({ maxUploadBytes }: Pick<UploadDeps, 'maxUploadBytes'>) => maxUploadBytes,
  answers: { 201: CoverageStoreReply, 202: CoverageStoreReply },
  handle: async (deps: UploadDeps, request, reply) => {
    const { workspace, store: name, file } = request.params
    const { method, format } = parseStoreFile('coverageStore', file)
    const { configure, coverageName } = request.query
    requireConfigured(configure)
    await deps.catalog.workspaces.get(workspace)
    const place = { workspace, name, coverageName }
    if (method === 'external') {
      const path = await readLocation(request.body, deps.importRoots)
      return publishRaster(deps, request, reply, { ...place, path })
    }
    return loadRaster(deps, request, reply, { ...place, isZip: isZip(request, format) })
  },
})

/** Loads a raster by an import, which creates the store with the name of the layer. */
async function loadRaster(
  deps: UploadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, name, coverageName = name, isZip: isArchive }: RasterTarget & { isZip: boolean },
): Promise<FastifyReply> {
  const { stores, layers } = deps.catalog
  if (coverageName !== name)
    throw invalid('invalid-parameter', `coverageName must be "${name}": a store has the name of its layer`)
  const present = await stores.find(workspace, name)
  if (present !== undefined && (await layers.list({ storeId: present.id })).every((one) => one.name !== name))
    throw otherStore(present)
  const { filename = `${name}.${isArchive ? 'zip' : 'tif'}` } = request.query as { filename?: string }
  const add = bodyFile(deps, request, { workspace, name: filename })
  const loaded = await loadFile(deps, request, reply, { workspace, layer: name, update: 'overwrite', add })
  const layer = await layers.find(workspace, name)
  if (layer !== undefined) return sendStore(request, reply, await layers.storeOf(layer), loaded)
  if (!loaded.isRunning) throw conflict('not-loaded', `Layer "${workspace}:${name}" was deleted meanwhile`)
  return reply
    .code(202)
    .header('location', request.link(`/rest/imports/${loaded.importId}`))
    .send()
}

/** Publishes a raster below an import root where it is. */
async function publishRaster(
  { catalog: { stores, rasters, layers } }: Pick<UploadDeps, 'catalog'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, name, coverageName, path }: RasterTarget & { path: string },
): Promise<FastifyReply> {
  const present = await stores.find(workspace, name)
  if (present !== undefined && present.parameters['path'] !== path) throw otherStore(present)
  const parameters = { url: path }
  const store =
    present ??
    (await stores.createFor(makerOf(request), { workspace, name, kind: 'coverageStore', parameters }))
  try {
    const published = await layers.list({ storeId: store.id })
    if (published.length === 0) await rasters.publish(store, { name: coverageName })
    return sendStore(request, reply, store, undefined)
  } catch (error) {
    if (present === undefined) await stores.delete(store, { recurse: true })
    throw error
  }
}
