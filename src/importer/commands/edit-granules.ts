import { rm } from 'node:fs/promises'
import type { Queryable } from '../../core/db/connection.ts'
import { conflict, notFound } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import type { GranuleRecord, ImportRecord, TaskRecord } from '../model/model.ts'
import {
  deleteGranule,
  finalizeImport,
  findGranule,
  getImport,
  getTask,
  listGranules,
  saveGranule,
  saveTaskAndPublish,
} from '../records/records.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import { assembleMosaic, mosaicName } from '../task-types/task-types.ts'
import type { InspectTasksAgainDeps } from './delete-file.ts'

/** Identifies a granule. */
export interface GranuleAddress {
  importId: number
  taskId: number
  fileId: string
}

interface Found {
  record: ImportRecord
  task: TaskRecord
  granule: GranuleRecord
}

function refuseInUse({ record, task, granule }: Found): void {
  if (record.state === 'RUNNING' || record.state === 'INIT') {
    throw conflict('import-busy', `Import ${record.id} is ${record.state}: its files are in use`)
  }
  if (task.state !== 'COMPLETE') return
  throw conflict(
    'file-in-use',
    `"${granule.fileId}" is published: delete the layer, or use a new import with updateMode REPLACE or APPEND`,
  )
}

async function find(db: Queryable, { importId, taskId, fileId }: GranuleAddress): Promise<Found> {
  const record = await getImport(db, importId)
  const task = await getTask(db, importId, taskId)
  const granule = await findGranule(db, { importId, taskId }, fileId)
  if (granule === undefined) throw notFound('unknown-file', `No such file: ${fileId}`)
  return { record, task, granule }
}

/**
 * Examines the task again after its granules changed. Removing the last granule also clears the format and
 * layer of the task.
 */
async function settled(
  kinds: TaskTypes,
  { record, task }: Found,
  granules: GranuleRecord[],
): Promise<{ task: TaskRecord; granules: GranuleRecord[] }> {
  const { mosaic } = task
  if (mosaic === undefined) throw new Error(`Task ${task.id} has granules and is not a mosaic`)
  const name = task.source?.name ?? mosaicName(record.source?.path)
  const { task: changed, granules: checked } = assembleMosaic(task, granules, { name, time: mosaic.time })
  const bare = without(changed, 'layer', 'kind')
  return { task: await kinds.reexamine(record, granules.length === 0 ? bare : changed), granules: checked }
}

/** Returns granules whose error has changed: usually few of thousands. */
function changedFaults(before: GranuleRecord[], after: GranuleRecord[]): GranuleRecord[] {
  return after.filter(({ fault }, index) => fault?.reason !== before[index]?.fault?.reason)
}

/** Sets the time of a granule, in milliseconds since 1970. `check` runs first, under the lock. */
export async function setGranuleTime(
  { records, kinds, locks }: InspectTasksAgainDeps,
  address: GranuleAddress,
  timeMs: number,
  check?: (task: TaskRecord, granule: GranuleRecord) => void,
): Promise<{ task: TaskRecord; granule: GranuleRecord }> {
  return locks.ofImport(address.importId, async () => {
    const found = await find(records.database.kysely, address)
    check?.(found.task, found.granule)
    refuseInUse(found)
    const { timeFault, ...kept } = found.granule
    const granule: GranuleRecord = { ...kept, timeMs }
    if (timeFault === undefined) {
      await saveGranule(records.database.kysely, granule)
      return { task: found.task, granule }
    }
    const all = await listGranules(records.database.kysely, address)
    const changed = all.map((one) => (one.fileId === granule.fileId ? granule : one))
    const { task } = await settled(kinds, found, changed)
    return records.database.transaction(async (db) => {
      await saveGranule(db, granule)
      return { task: await saveTaskAndPublish(records, db, task), granule }
    })
  })
}

/** Removes a granule from a mosaic, and from disk if uploaded. */
export async function removeGranule(
  { records, kinds, locks }: InspectTasksAgainDeps,
  address: GranuleAddress,
  check?: (task: TaskRecord, granule: GranuleRecord) => void,
): Promise<void> {
  await locks.ofImport(address.importId, async () => {
    const found = await find(records.database.kysely, address)
    check?.(found.task, found.granule)
    refuseInUse(found)
    const all = await listGranules(records.database.kysely, address)
    const left = all.filter(({ fileId }) => fileId !== address.fileId)
    const { task, granules } = await settled(kinds, found, left)
    await records.database.transaction(async (db) => {
      await deleteGranule(db, address, address.fileId)
      for (const granule of changedFaults(left, granules)) await saveGranule(db, granule)
      await saveTaskAndPublish(records, db, task)
      await finalizeImport(records, db, await getImport(db, address.importId))
    })
    if (!found.task.isUploaded) return
    const { path, sidecars } = found.granule.file
    for (const one of [path, ...Object.values(sidecars)]) await rm(one, { force: true })
  })
}
