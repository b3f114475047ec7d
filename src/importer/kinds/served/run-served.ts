import { basename, extname } from 'node:path'
import type { CatalogTransaction, NewFileStore } from '../../../catalog/doors/transaction.ts'
import type { StoreRecord } from '../../../catalog/records.ts'
import type { LayerDescription } from '../../../formats/format.ts'
import { toLayerName } from '../../../geo/names.ts'
import { invalid } from '../../../lib/errors.ts'
import { leftOutMessage } from '../../../stores/files/index/layout.ts'
import { findStoreServing } from '../../../stores/registry.ts'
import type { StoreConnection, StoreParameters, StoreType } from '../../../stores/store.ts'
import type { ImportRecord, TaskRecord } from '../../model/model.ts'
import { findRejectFault, rejectLimitOf } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import { copyFolder, settleCopy } from '../../publish/file-store.ts'
import { publishTask } from '../../publish/publish.ts'
import { rejectsPath } from '../../records/records.ts'

/** The store over a file; layers of one file share it. */
async function makeStore(
  change: CatalogTransaction,
  workspace: string,
  wanted: NewFileStore,
): Promise<StoreRecord> {
  const { type, parameters } = wanted
  const known = await change.findFileStore(workspace, { type, path: parameters.path })
  return known ?? change.addFileStore(workspace, wanted)
}

/**
 * Reads the whole file once for its index. Rows that cannot be read are rejects, as in a load; where they are too many,
 * or the file cannot be read to its end, nothing is published.
 */
async function indexFile(
  parts: ImporterParts,
  task: TaskRecord,
  place: { type: StoreType; parameters: StoreParameters },
  signal: AbortSignal,
): Promise<{ task: TaskRecord; layer: LayerDescription }> {
  const connection: StoreConnection = { ...place, indexFolder: parts.folders.indexes }
  const header = await parts.indexMaker.make(connection, {
    signal,
    rejectsPath: rejectsPath(parts, task.importId, task.id),
  })
  const { layer, leftOut, rowCount } = header
  const counts = { rowsRead: rowCount + leftOut.count, rejected: leftOut.count }
  const message = leftOutMessage(leftOut)
  const fault = findRejectFault(rejectLimitOf(task), counts)
  if (fault !== undefined) throw invalid('too-many-rejects', `${fault}. ${message?.message ?? ''}`)
  const messages = message === undefined ? task.messages : [...task.messages, message]
  return { task: { ...task, ...counts, rowsLoaded: rowCount, messages }, layer }
}

/** Registers the task's file as a store and its layer as a published one; the rows stay where they are. */
export async function runDirect(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const [file] = task.files
  const { source, layer } = task
  const serving = findStoreServing(task.format)
  if (file === undefined || source === undefined || layer === undefined || serving === undefined) {
    throw new Error(`Task ${task.id} has no file that can be served as it is`)
  }
  const { type, can } = serving
  const path = task.isUploaded
    ? await settleCopy(copyFolder(parts, record, file), file, { signal })
    : file.path
  const parameters: StoreParameters = {
    path,
    ...(can.takesLoads && !task.isUploaded ? { read_only: 'true' } : {}),
    ...(task.charset === undefined ? {} : { charset: task.charset }),
  }
  const served =
    serving.file?.isIndexed === true ? await indexFile(parts, task, { type, parameters }, signal) : undefined
  const place = { storeId: 0, table: source.name, layerName: layer.name, isNewLayer: true }
  const name = toLayerName(basename(path, extname(path)))
  return publishTask(parts, record, served?.task ?? task, place, served?.layer ?? source, (change) =>
    makeStore(change, record.workspace, { name, type, parameters }),
  )
}
