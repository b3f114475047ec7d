import { basename, extname } from 'node:path'
import type { CatalogTransaction, NewFileStore, StoreRecord } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { toLayerName } from '../../../core/text/layer-name.ts'
import { defined } from '../../../core/values/defined.ts'
import type { LayerDescription } from '../../../formats/worker.ts'
import {
  type IndexMaker,
  leftOutMessage,
  type StoreConnection,
  type StoreParameters,
  type StoreType,
} from '../../../stores/index.ts'
import { findStoreServing } from '../../../stores/registry.ts'
import type { TaskRecord } from '../../model/model.ts'
import { findRejectFault, rejectLimitOf } from '../../model/model.ts'
import { copyFolder, finalizeCopy } from '../../publish/publish.ts'
import { rejectsPath } from '../../records/records.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { Loader } from '../load/loader.ts'
import type { Running, TaskPublication } from '../task-type.ts'

/** A file that can be served directly. */
export interface ServedFile {
  type: StoreType
  parameters: StoreParameters
  /** Description of the contents, from the index if there is one. */
  layer: LayerDescription
  /** Row counts and messages from the index. */
  found: Partial<Pick<TaskRecord, 'rowsRead' | 'rejected' | 'rowsLoaded' | 'messages'>>
}

/**
 * Reads the whole file once to build its index. Unreadable rows are rejected, as in a load; if there are too
 * many, or if the file cannot be read to its end, nothing is published.
 */
async function indexFile(
  folders: ServedDeps['folders'],
  indexMaker: IndexMaker,
  task: TaskRecord,
  target: { type: StoreType; parameters: StoreParameters },
  signal: AbortSignal,
): Promise<Pick<ServedFile, 'layer' | 'found'>> {
  const connection: StoreConnection = { ...target, indexFolder: folders.indexes }
  const header = await indexMaker.make(connection, {
    signal,
    rejectsPath: rejectsPath(folders, task.importId, task.id),
  })
  const { layer, leftOut, rowCount } = header
  const counts = { rowsRead: rowCount + leftOut.count, rejected: leftOut.count }
  const message = leftOutMessage(leftOut)
  const fault = findRejectFault(rejectLimitOf(task), counts)
  if (fault !== undefined) throw invalid('too-many-rejects', `${fault}. ${message?.message ?? ''}`)
  const messages = message === undefined ? task.messages : [...task.messages, message]
  return { found: { ...counts, rowsLoaded: rowCount, messages }, layer }
}

/** Copies an uploaded file, and builds its index if the format needs one. */
export async function stageFile(
  folders: ServedDeps['folders'],
  indexMaker: IndexMaker,
  { record, task }: Running,
  signal: AbortSignal,
): Promise<ServedFile> {
  const [file] = task.files
  const { source, layer } = task
  const serving = findStoreServing(task.format)
  if (file === undefined || source === undefined || layer === undefined || serving === undefined) {
    throw new Error(`Task ${task.id} has no file that can be served in place`)
  }
  const { type, can } = serving
  const path = task.isUploaded
    ? await finalizeCopy(copyFolder(folders, record, file), file, { signal })
    : file.path
  const parameters: StoreParameters = {
    path,
    ...(can.takesLoads && !task.isUploaded ? { read_only: 'true' } : {}),
    ...defined({ charset: task.charset }),
  }
  const indexed =
    serving.file?.isIndexed === true
      ? await indexFile(folders, indexMaker, task, { type, parameters }, signal)
      : { layer: source, found: {} }
  return { type, parameters, ...indexed }
}

/** Returns the store of a file, created if needed; layers of one file share the store. */
async function makeStore(
  change: CatalogTransaction,
  workspace: string,
  newFileStore: NewFileStore,
): Promise<StoreRecord> {
  const { type, parameters } = newFileStore
  const known = await change.findFileStore(workspace, { type, path: parameters.path })
  return known ?? change.addFileStore(workspace, newFileStore)
}

/** Publishes the file as a store with a layer; the rows remain in the file. */
export function publishFile({ record, task }: Running, file: ServedFile): TaskPublication {
  const { type, parameters, layer: published, found } = file
  const { source, layer } = task
  const path = parameters.path ?? ''
  const name = toLayerName(basename(path, extname(path)))
  return {
    task: { ...task, ...defined(found) },
    publishedTable: { storeId: 0, table: source?.name ?? '', layerName: layer?.name ?? '', isNewLayer: true },
    published,
    makeStore: (change) => makeStore(change, record.workspace, { name, type, parameters }),
  }
}

export interface ServedDeps {
  rows: RowLoads
  loader: Loader
  pool: LoadPool
  folders: { stores: string; uploads: string; rejects: string; indexes: string }
  indexMaker: IndexMaker
  servesFiles: boolean
}
