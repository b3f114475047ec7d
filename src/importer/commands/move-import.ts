import type { Catalog } from '../../catalog/index.ts'
import { conflict } from '../../core/errors/errors.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { finalizeImport, getImport, listTasks, saveImport, saveTaskAndPublish } from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'

export interface MoveDeps {
  records: Keeping
  catalog: Catalog
  kinds: TaskTypes
  locks: ImportLocks
}

/** A task with a target store uses the default store of the new workspace. */
function withoutStore({ store: _store, ...task }: TaskRecord): TaskRecord {
  return task
}

async function movedRecord(catalog: Catalog, record: ImportRecord, workspace: string): Promise<ImportRecord> {
  const { store, ...rest } = record
  const isThere = store !== undefined && (await catalog.stores.find(workspace, store)) !== undefined
  return { ...rest, workspace, store: isThere ? store : undefined }
}

function refuseStarted(record: ImportRecord, tasks: TaskRecord[]): void {
  const started = tasks.find(({ state }) => state === 'RUNNING' || state === 'COMPLETE')
  if (started === undefined) return
  throw conflict(
    'task-complete',
    `Task ${started.id} of import ${record.id} is ${started.state}: the workspace can no longer be changed`,
  )
}

/**
 * Moves an import with all its tasks to another workspace. No task may have run. `store` must belong to that
 * workspace.
 */
export async function moveImport(
  deps: MoveDeps,
  importId: number,
  { workspace, store, check }: { workspace: string; store?: string; check?: (tasks: TaskRecord[]) => void },
): Promise<void> {
  await deps.locks.ofImport(importId, async () => {
    const db = deps.records.database.kysely
    const record = await getImport(db, importId)
    const tasks = await listTasks(db, importId)
    check?.(tasks)
    if (record.workspace === workspace) return
    await deps.catalog.workspaces.require(workspace)
    if (store !== undefined) await deps.catalog.stores.require(workspace, store)
    refuseStarted(record, tasks)
    const moved = await movedRecord(deps.catalog, record, workspace)
    const examined: TaskRecord[] = []
    for (const task of tasks) examined.push(await deps.kinds.reexamine(moved, withoutStore(task)))
    await deps.records.database.transaction(async (transaction) => {
      const saved = await saveImport(transaction, moved, now(deps.records))
      for (const task of examined) await saveTaskAndPublish(deps.records, transaction, task)
      await finalizeImport(deps.records, transaction, saved)
    })
  })
}
