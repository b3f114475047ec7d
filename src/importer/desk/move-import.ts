import { conflict } from '../../lib/errors.ts'
import { reexamine } from '../kinds/reexamine.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { getImport, listTasks, saveImport, saveTaskAndTell, settleImport } from '../records/records.ts'

/** A task that was sent to a store goes to the default of the new workspace. */
function withoutStore({ store: _store, ...task }: TaskRecord): TaskRecord {
  return task
}

async function movedRecord(
  parts: ImporterParts,
  record: ImportRecord,
  workspace: string,
): Promise<ImportRecord> {
  const { store, ...rest } = record
  const isThere = store !== undefined && (await parts.catalog.stores.find(workspace, store)) !== undefined
  return { ...rest, workspace, ...(isThere ? { store } : {}) }
}

function refuseStarted(record: ImportRecord, tasks: TaskRecord[]): void {
  const started = tasks.find(({ state }) => state === 'RUNNING' || state === 'COMPLETE')
  if (started === undefined) return
  throw conflict(
    'task-complete',
    `Task ${started.id} of import ${record.id} is ${started.state}: the workspace cannot change any more`,
  )
}

/**
 * Sends an import to another workspace, with all its tasks, none of which may have run. `store` is one that must be in
 * that workspace.
 */
export async function moveImport(
  parts: ImporterParts,
  importId: number,
  { workspace, store, check }: { workspace: string; store?: string; check?: (tasks: TaskRecord[]) => void },
): Promise<void> {
  await parts.locks.ofImport(importId, async () => {
    const db = parts.database.kysely
    const record = await getImport(db, importId)
    const tasks = await listTasks(db, importId)
    check?.(tasks)
    if (record.workspace === workspace) return
    await parts.catalog.workspaces.require(workspace)
    if (store !== undefined) await parts.catalog.stores.require(workspace, store)
    refuseStarted(record, tasks)
    const moved = await movedRecord(parts, record, workspace)
    const examined: TaskRecord[] = []
    for (const task of tasks) examined.push(await reexamine(parts, moved, withoutStore(task)))
    await parts.database.transaction(async (transaction) => {
      const saved = await saveImport(transaction, moved, now(parts))
      for (const task of examined) await saveTaskAndTell(parts, transaction, task)
      await settleImport(parts, transaction, saved)
    })
  })
}
