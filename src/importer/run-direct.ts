import { basename, extname } from 'node:path'
import type { StoreRecord } from '../catalog/records.ts'
import { listStores } from '../catalog/stores.ts'
import type { Queryable } from '../db/connection.ts'
import { toLayerName } from '../geo/names.ts'
import type { StoreParameters } from '../stores/store.ts'
import { storeTypes } from '../stores/store.ts'
import type { ImporterParts } from './parts.ts'
import { now } from './parts.ts'
import { publishTask } from './publish.ts'
import type { ImportRecord, TaskRecord } from './records.ts'
import type { WantedFileStore } from './settle-file.ts'
import { copyFolder, insertFileStore, settleCopy } from './settle-file.ts'

/** The store over a file; layers of one file share it. */
async function makeStore(db: Queryable, workspace: string, wanted: WantedFileStore): Promise<StoreRecord> {
  const stores = await listStores(db, workspace)
  const { path } = wanted.parameters
  const known = stores.find((store) => store.type === wanted.type && store.parameters.path === path)
  return known ?? insertFileStore(db, workspace, wanted)
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
  const type = storeTypes.find((one) => one === task.format)
  if (file === undefined || source === undefined || layer === undefined || type === undefined) {
    throw new Error(`Task ${task.id} has no file that can be served as it is`)
  }
  const path = task.isUploaded
    ? await settleCopy(copyFolder(parts, record, file), file, { signal })
    : file.path
  const parameters: StoreParameters = {
    path,
    ...(type === 'GeoPackage' && !task.isUploaded ? { read_only: 'true' } : {}),
    ...(task.charset === undefined ? {} : { charset: task.charset }),
  }
  const place = { storeId: 0, table: source.name, layerName: layer.name, isNewLayer: true }
  const name = toLayerName(basename(path, extname(path)))
  return publishTask(parts, record, task, place, source, (db) =>
    makeStore(db, record.workspace, { name, type, parameters, at: now(parts) }),
  )
}
