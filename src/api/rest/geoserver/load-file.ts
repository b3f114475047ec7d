import type { Readable } from 'node:stream'
import type { Catalog, StoreRecord } from '../../../catalog/index.ts'
import { conflict, invalid } from '../../../core/errors/errors.ts'
import type { Importer, TaskChange, TaskRecord } from '../../../importer/index.ts'
import { findStoreDescription } from '../../../stores/registry.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { checkLength, createByteLimit } from '../../receive-file.ts'
import { clientSignal } from '../../request-properties.ts'
import { receive, safeUploadName, writeFile } from '../importer/receive-upload.ts'

/** Dependencies of uploads into stores. */
export interface LoadDeps {
  importer: Importer
  catalog: Catalog
  /** Most bytes of an upload. */
  maxUploadBytes: number
}

/** A file to load, and where to. */
export interface FileLoad {
  workspace: string
  /** Absent for a raster, whose store is created with its layer. */
  store?: StoreRecord
  /** True if the caller deletes the store if the load fails. */
  isNew?: boolean
  /** Name of the layer; absent: that of the dataset. */
  layer?: string
  update?: 'append' | 'overwrite' | undefined
  /** Adds the data to a new import. */
  add(importId: number, signal: AbortSignal): Promise<TaskRecord[]>
}

/** Result of a load: the layers that it created or replaced, or the import that goes on after the deadline. */
export type LoadResult = { importId: number } & ({ isRunning: true } | { isRunning: false; layers: string[] })

/**
 * Loads a file by an import and waits for its end, at most until the request deadline. Throws `Failure` if the file cannot be
 * read or loaded; the import is then removed.
 */
export async function loadFile(
  deps: LoadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  load: FileLoad,
): Promise<LoadResult> {
  const { importer } = deps
  const signal = clientSignal(reply)
  const { workspace, store } = load
  const { id } = await importer.create(
    {
      workspace,
      store: store?.name,
      transforms: [],
      isArchived: false,
      isAsync: false,
      user: request.caller.name,
    },
    { signal, isRunAfter: false },
  )
  try {
    const tasks = await load.add(id, signal)
    requireReadable(tasks)
    for (const task of tasks) {
      const changed = await changeFor(deps.catalog, load, task)
      requireReady(await importer.changeTask(id, task.id, changed))
    }
    const isEnded = await runUntil(importer, id, AbortSignal.timeout(request.server.requestMs))
    if (!isEnded) return { importId: id, isRunning: true }
    const done = await importer.kept.listTasks(id)
    const loaded = done.filter(({ state }) => state === 'COMPLETE').flatMap(({ layer }) => layer?.name ?? [])
    for (const task of done)
      if (task.state !== 'COMPLETE') throw notLoaded(task, load.isNew === true ? [] : loaded)
    return { importId: id, isRunning: false, layers: loaded }
  } catch (error) {
    await importer.removeImport(id)
    throw error
  }
}

/** Runs an import; false if it goes on at the deadline. */
async function runUntil(importer: Importer, importId: number, deadline: AbortSignal): Promise<boolean> {
  try {
    await importer.run(importId, { isAsync: false, signal: deadline })
    return true
  } catch (error) {
    if (deadline.aborted) return false
    throw error
  }
}

/** Adds the body of a request as one file to an import. */
export function bodyFile(
  { importer, catalog, maxUploadBytes }: LoadDeps,
  request: FastifyRequest,
  { workspace, name }: { workspace: string; name: string },
): FileLoad['add'] {
  return async (importId, signal) => {
    checkLength(request, maxUploadBytes)
    await catalog.quotas.require(workspace, { bytes: Number(request.headers['content-length'] ?? 0) })
    const body = request.body as Readable | undefined
    if (body === undefined) throw invalid('no-file', 'The body is empty: it has the content of the file')
    const limit = createByteLimit(maxUploadBytes)
    return receive(importer, importId, signal, async (folder) => {
      await writeFile(body, folder, safeUploadName(name), limit(), signal)
      return {}
    })
  }
}

function requireReadable(tasks: readonly TaskRecord[]): void {
  if (tasks.length === 0) throw invalid('not-loaded', 'The file has no data that can be read')
  for (const task of tasks)
    if (['NO_FORMAT', 'BAD_FORMAT', 'ERROR'].includes(task.state)) throw notLoaded(task)
}

function requireReady(task: TaskRecord): void {
  if (task.state !== 'READY') throw notLoaded(task)
}

const reasons: Partial<Record<TaskRecord['state'], string>> = {
  NO_FORMAT: 'no format reads it',
  NO_CRS: 'its CRS is unknown: add a .prj file, or import it with POST /rest/imports and name the CRS',
  NO_BOUNDS: 'it has no bounds',
}

function notLoaded(
  { state, errorMessage, messages, layer, files }: TaskRecord,
  loaded: readonly string[] = [],
): Error {
  const name = layer?.originalName ?? files[0]?.path.split('/').at(-1) ?? 'the file'
  const reason = errorMessage ?? reasons[state] ?? messages[0]?.message ?? `it is ${state}`
  const others = loaded.length === 0 ? 'Nothing was kept of the upload' : `Loaded were: ${loaded.join(', ')}`
  return invalid('not-loaded', `"${name}" was not loaded: ${reason}. ${others}`)
}

/** Returns name and mode of a task: rows of a layer that exists are replaced or added to, as GeoServer does. */
async function changeFor(
  { layers }: Pick<Catalog, 'layers'>,
  { workspace, store, layer: name, update }: FileLoad,
  { layer }: TaskRecord,
): Promise<TaskChange> {
  const requested = name ?? layer?.name ?? ''
  const change: TaskChange = { layer: name === undefined ? undefined : { name } }
  const present = await layers.find(workspace, requested)
  if (present === undefined) return change
  const place = await layers.storeOf(present)
  if (store === undefined ? place.kind !== 'coverageStore' : place.id !== store.id)
    throw conflict(
      'layer-exists',
      `Layer "${workspace}:${requested}" exists already in store "${place.name}": rename the file, or delete that layer`,
    )
  const mode = update ?? (isDatabase(store) ? 'append' : 'overwrite')
  return { ...change, updateMode: mode === 'append' ? 'APPEND' : 'REPLACE' }
}

/** True for the tables of a database server, which are more than the files that somebody uploads. */
function isDatabase(store: StoreRecord | undefined): boolean {
  return store !== undefined && findStoreDescription(store.type)?.server !== undefined
}
