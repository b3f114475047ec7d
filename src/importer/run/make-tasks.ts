import type { CrsDetector } from '../detect-crs/detect-crs.ts'
import type { DataFiles, PlanContext } from '../inspect/inspect.ts'
import { describeAll, suits } from '../inspect/inspect.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import { withOwnStyle } from '../publish/publish.ts'
import type { Keeping } from '../records/records.ts'
import type { TaskPlan, TaskTypes } from '../task-types/task-types.ts'
import type { LoadPool } from '../worker/worker.ts'

/** Dependencies for creating tasks. */
export interface MakeDeps {
  records: Keeping
  kinds: TaskTypes
  pool: LoadPool
  locator: CrsDetector
  limits: { maxTasks: number; concurrentLoads: number }
}

export interface MakeTasksOptions {
  isUploaded: boolean
  charset?: string
  signal: AbortSignal
}

/** Creates examined tasks from found data, without saving them. Their ids continue those of the import. */
export async function makeTasks(
  deps: MakeDeps,
  record: ImportRecord,
  found: DataFiles,
  options: MakeTasksOptions,
): Promise<TaskPlan> {
  const { kinds, limits } = deps
  const { files, archives = [] } = found
  const described =
    files.length > 0
      ? await describeAll(deps, files, options)
      : archives.map((file) => ({ file, layers: [] }))
  const context: PlanContext = {
    importId: record.id,
    nextTaskId: record.nextTaskId,
    folder: found.folder,
    isUploaded: options.isUploaded,
    transforms: record.transforms,
    suits,
    maxTasks: limits.maxTasks,
    at: now(deps.records),
    allowEmpty: record.allowEmpty || undefined,
    charset: options.charset,
    unpacked: found.unpacked,
  }
  const { signal } = options
  const plan = await kinds.ofSource(record.source).inspect({ record, described, context, signal })
  const examined: TaskRecord[] = []
  for (const task of plan.tasks) examined.push(await kinds.reexamine(record, await withOwnStyle(task)))
  const tasks = await deps.locator.propose(record, examined, signal)
  await deps.records.files.save(record.id)
  const grown = plan.grown === undefined ? undefined : await kinds.reexamine(record, plan.grown)
  return { ...plan, tasks, messages: [...found.messages, ...plan.messages], grown: grown ?? plan.grown }
}
