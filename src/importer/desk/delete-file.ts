import { rm } from 'node:fs/promises'
import { conflict } from '../../lib/errors.ts'
import { reexamine } from '../kinds/reexamine.ts'
import type { TaskRecord } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { getImport, listTasks, saveTaskAndTell, settleImport } from '../records/records.ts'

function withoutFile(task: TaskRecord, path: string): TaskRecord {
  const files = task.files.filter((file) => file.path !== path)
  if (task.state === 'COMPLETE') return { ...task, files }
  const { format: _format, source: _source, layer: _layer, kind: _kind, ...rest } = task
  return task.format === undefined ? { ...task, files } : { ...rest, files, transforms: [] }
}

function refuseInUse(record: { id: number; state: string }, tasks: TaskRecord[]): void {
  if (record.state === 'RUNNING' || record.state === 'INIT') {
    throw conflict('import-busy', `Import ${record.id} is ${record.state}: its files are in use`)
  }
  if (tasks.some((task) => task.state === 'COMPLETE' && task.isDirect && !task.isUploaded)) {
    throw conflict('file-in-use', 'A published layer reads this file: delete the layer first')
  }
}

/** Takes a main file out of an import's data, and from disk where it was uploaded; its tasks go to NO_FORMAT. */
export async function deleteImportFile(parts: ImporterParts, importId: number, path: string): Promise<void> {
  await parts.locks.ofImport(importId, async () => {
    const record = await getImport(parts.database.kysely, importId)
    const tasks = await listTasks(parts.database.kysely, importId)
    const readers = tasks.filter((task) => task.files.some((file) => file.path === path))
    refuseInUse(record, readers)
    const edited: TaskRecord[] = []
    for (const task of readers) edited.push(await reexamine(parts, record, withoutFile(task, path)))
    await parts.database.transaction(async (db) => {
      for (const task of edited) await saveTaskAndTell(parts, db, task)
      await settleImport(parts, db, await getImport(db, importId))
    })
    for (const task of readers.filter((one) => one.isUploaded)) {
      const file = task.files.find((one) => one.path === path)
      for (const one of [path, ...Object.values(file?.sidecars ?? {})])
        await rm(one, { recursive: true, force: true })
    }
  })
}
