import type { Message } from '../../../formats/format.ts'
import { openedConnection } from '../../look/database-source.ts'
import { planTasks } from '../../look/plan-tasks.ts'
import type { DatabaseSource, DescribedFile, ImportRecord, TaskRecord } from '../../model/model.ts'
import { now } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import { suits } from '../../run/make-tasks.ts'
import { reexamine } from '../reexamine.ts'

/** Turns the tables of a database into examined tasks, not yet saved, one for each. */
export async function lookAtDatabase(
  parts: ImporterParts,
  record: ImportRecord,
  source: DatabaseSource,
  signal: AbortSignal,
): Promise<{ tasks: TaskRecord[]; messages: Message[]; tables: string[] }> {
  const { format, tables, messages } = await parts.pool.describeDatabase(
    openedConnection(parts.vault, source),
    {
      ...(source.wanted === undefined ? {} : { tables: source.wanted }),
      maxTables: parts.limits.maxTasks,
      signal,
    },
  )
  const described: DescribedFile = {
    file: { path: '', sidecars: {} },
    format: { name: format, kind: 'vector', canServeDirectly: false },
    layers: tables,
  }
  const plan = planTasks([described], {
    importId: record.id,
    nextTaskId: record.nextTaskId,
    folder: '',
    isUploaded: false,
    transforms: record.transforms,
    suits,
    maxTasks: parts.limits.maxTasks,
    at: now(parts),
  })
  const tasks: TaskRecord[] = []
  for (const task of plan.tasks) {
    const table = { ...task, files: [], ...(task.source === undefined ? {} : { table: task.source.name }) }
    tasks.push(await reexamine(parts, record, table))
  }
  return { tasks, messages, tables: tables.map(({ name }) => name) }
}
