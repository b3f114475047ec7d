import type { Catalog, StoreRecord } from '../../../catalog/index.ts'
import { conflict, invalid } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { storePath } from '../catalog/paths.ts'
import { DataStoreReply, toStoreResponse } from '../catalog/store-response.ts'
import { makerOf } from '../catalog/stores.ts'
import { importPath } from '../importer/parameters.ts'
import type { LoadDeps, LoadResult } from './load-file.ts'
import { bodyFile, loadFile } from './load-file.ts'
import {
  parseStoreFile,
  readLocation,
  requireConfigured,
  StoreFileParams,
  StoreFileQuery,
} from './store-file.ts'

/** Dependencies of uploads, also of files that are there. */
export interface UploadDeps extends LoadDeps {
  /** Folders of the operator whose files stores may read. */
  importRoots: readonly string[]
}

export const uploadStoreFile = operation({
  summary: 'Load a file into a store, or publish a file that is there',
  description:
    '`file.<format>`: the body is the file, a Shapefile as a zip. The store is created as a GeoPackage if it does not exist, and each dataset becomes a layer. `external.<format>`: the body is the path of a file below an import root; a GeoPackage is published where it is, other files are loaded. If a load goes on after `TERRANE_REQUEST_SECONDS`, the answer is 202 with the address of its import.',
  tags: ['geoserver'],
  consumes: ['application/zip', 'application/octet-stream', 'text/plain'],
  params: StoreFileParams,
  query: StoreFileQuery,
  reported: { body: Bytes },
  bodyLimit: ({ maxUploadBytes }: Pick<UploadDeps, 'maxUploadBytes'>) => maxUploadBytes,
  answers: { 201: DataStoreReply, 202: DataStoreReply },
  handle: async (deps: UploadDeps, request, reply) => {
    const { workspace, store: name, file } = request.params
    const { method, format } = parseStoreFile('dataStore', file)
    const configure = requireConfigured(request.query.configure)
    await deps.catalog.workspaces.get(workspace)
    const path = method === 'external' ? await readLocation(request.body, deps.importRoots) : undefined
    const place = { workspace, name }
    if (path !== undefined && format === 'gpkg')
      return publishGeoPackage(deps, request, reply, { ...place, path, configure })
    const { filename = `${name}.${isZip(request, format) ? 'zip' : format}`, update } = request.query
    const add =
      path === undefined
        ? bodyFile(deps, request, { workspace, name: filename })
        : (id: number, signal: AbortSignal) => deps.importer.addPath(id, path, signal)
    return inStore(deps.catalog, request, place, {}, async (store, isNew) => {
      if (store.kind !== 'dataStore') throw otherStore(store)
      const loaded = await loadFile(deps, request, reply, { workspace, store, isNew, update, add })
      return sendStore(request, reply, store, loaded)
    })
  },
})

/** A Shapefile has several files, so that it always comes as a zip. */
export function isZip({ headers }: FastifyRequest, format: string): boolean {
  return format === 'shp' || /^application\/(?:x-)?zip\b/i.test(headers['content-type'] ?? '')
}

/** Works with a store; one that does not exist is created, and deleted again if the work fails. */
async function inStore(
  { stores }: Pick<Catalog, 'stores'>,
  request: FastifyRequest,
  { workspace, name }: { workspace: string; name: string },
  { type, parameters = {} }: { type?: string; parameters?: Record<string, string> },
  work: (store: StoreRecord, isNew: boolean) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const present = await stores.find(workspace, name)
  if (present !== undefined) return work(present, false)
  const created = await stores.createFor(makerOf(request), {
    workspace,
    name,
    kind: 'dataStore',
    type,
    parameters,
  })
  try {
    return await work(created, true)
  } catch (error) {
    await stores.delete(created, { recurse: true })
    throw error
  }
}

/** Sends the store, as GeoServer does; 202 with the address of the import while it runs. */
export function sendStore(
  request: FastifyRequest,
  reply: FastifyReply,
  store: StoreRecord,
  loaded: LoadResult | undefined,
): FastifyReply {
  const isRunning = loaded?.isRunning === true
  const path = isRunning ? importPath(loaded.importId) : storePath(store)
  return reply
    .code(isRunning ? 202 : 201)
    .header('location', request.link(path))
    .send(toStoreResponse(request, store))
}

/** The error for a store of the name that holds something else. */
export function otherStore({ name, workspace, type }: StoreRecord): Error {
  return conflict(
    'store-exists',
    `Store "${name}" of workspace "${workspace}" exists already, of type ${type}`,
  )
}

/** Publishes the first table of a GeoPackage below an import root, or all, where they are. */
function publishGeoPackage(
  { catalog }: Pick<UploadDeps, 'catalog'>,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    workspace,
    name,
    path,
    configure,
  }: { workspace: string; name: string; path: string; configure: 'first' | 'all' },
): Promise<FastifyReply> {
  const connection = { type: 'GeoPackage', parameters: { database: path } }
  return inStore(catalog, request, { workspace, name }, connection, async (store) => {
    if (store.parameters['path'] !== path) throw otherStore(store)
    const tables = (await catalog.tables.list(store)).filter(({ geometry }) => geometry !== undefined)
    if (tables.length === 0)
      throw invalid('no-tables', `"${path.split('/').at(-1)}" has no table with a geometry`)
    const chosen = configure === 'first' ? tables.slice(0, 1) : tables
    for (const table of chosen)
      if (table.published === undefined) await catalog.tables.publish(store, { nativeName: table.name })
    return sendStore(request, reply, store, undefined)
  })
}
