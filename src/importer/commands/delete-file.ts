import { rm } from 'node:fs/promises'
import { conflict } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import type { TaskRecord } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { finalizeImport, getImport, listTasks, saveTaskAndPublish } from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'

/** Dependencies of edits after which tasks are examined again. */
export interface InspectTasksAgainDeps {
  records: Keeping
  kinds: TaskTypes
  locks: ImportLocks
}

function withoutFile(task: TaskRecord, path: string): TaskRecord {
  const files = task.files.filter((file) => file.path !== path)
  if (task.state === 'COMPLETE') return { ...task, files }
  const rest = without(task, 'format', 'source', 'layer', 'kind')
  return task.format === undefined ? { ...task, files } : { ...rest, files, transforms: [] }
}

function refuseInUse(kinds: TaskTypes, record: { id: number; state: string }, tasks: TaskRecord[]): void {
  if (record.state === 'RUNNING' || record.state === 'INIT') {
    throw conflict('import-busy', `Import ${record.id} is ${record.state}: its files are in use`)
  }
  if (
    tasks.some((task) => task.state === 'COMPLETE' && kinds.of(task).readsInPlace(task) && !task.isUploaded)
  ) {
    throw conflict('file-in-use', 'A published layer reads this file: delete the layer first')
  }
}

/** Removes a main file from the data of an import, and from disk if uploaded; its tasks become NO_FORMAT. */
export async function deleteImportFile(
  { records, kinds, locks }: InspectTasksAgainDeps,
  importId: number,
  path: string,
): Promise<void> {
  await locks.ofImport(importId, async () => {
    const record = await getImport(records.database.kysely, importId)
    const tasks = await listTasks(records.database.kysely, importId)
    const readers = tasks.filter((task) => task.files.some((file) => file.path === path))
    refuseInUse(kinds, record, readers)
    const edited: TaskRecord[] = []
    for (const task of readers) edited.push(await kinds.reexamine(record, withoutFile(task, path)))
    await records.database.transaction(async (db) => {
      for (const task of edited) await saveTaskAndPublish(records, db, task)
      await finalizeImport(records, db, await getImport(db, importId))
    })
    for (const task of readers.filter((one) => one.isUploaded)) {
      const file = task.files.find((one) => one.path === path)
      for (const one of [path, ...Object.values(file?.sidecars ?? {})])
        await rm(one, { recursive: true, force: true })
    }
  })
}
