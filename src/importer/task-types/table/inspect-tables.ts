import type { Vault } from '../../../core/secrets/vault.ts'
import { openedConnection, planTasks } from '../../inspect/inspect.ts'
import type { DescribedFile } from '../../model/model.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { InspectedTask, TaskPlan } from '../task-type.ts'

/** Creates one task for each table of a database. */
export async function inspectTables(
  { pool, vault }: { pool: LoadPool; vault: Vault },
  { record, context, signal }: InspectedTask,
): Promise<TaskPlan> {
  const { source } = record
  if (source?.database === undefined) throw new Error(`Import ${record.id} has no source database`)
  const { importId, nextTaskId, transforms, suits, maxTasks, at } = context
  const { format, tables, messages } = await pool.describeDatabase(openedConnection(vault, source.database), {
    tables: source.database.wanted,
    maxTables: maxTasks,
    signal,
  })
  const described: DescribedFile = {
    file: { path: '', sidecars: {} },
    format: { name: format, kind: 'vector', canServeDirectly: false },
    layers: tables,
  }
  const plan = planTasks([described], {
    importId,
    nextTaskId,
    folder: '',
    isUploaded: false,
    transforms,
    suits,
    maxTasks,
    at,
  })
  const database = { ...source.database, tables: tables.map(({ name }) => name) }
  return {
    tasks: plan.tasks.map((task) => ({ ...task, files: [], table: task.source?.name ?? task.table })),
    messages,
    source: { ...source, database },
  }
}
