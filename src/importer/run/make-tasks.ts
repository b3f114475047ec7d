import { defined } from '../../lib/defined.ts'
import type { Kinds, TaskPlan } from '../kinds/kinds.ts'
import type { Locator } from '../locate/locate.ts'
import type { FoundData, PlanContext } from '../look/look.ts'
import { describeAll, suits } from '../look/look.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import { withOwnStyle } from '../publish/publish.ts'
import type { Keeping } from '../records/records.ts'
import type { LoadPool } from '../worker/worker.ts'

/** Dependencies for creating tasks. */
export interface MakeNeeds {
  records: Keeping
  kinds: Kinds
  pool: LoadPool
  locator: Locator
  limits: { maxTasks: number; concurrentLoads: number }
}

export interface MakeOptions {
  isUploaded: boolean
  charset?: string
  signal: AbortSignal
}

/** Creates examined tasks from found data, without saving them. Their ids continue those of the import. */
export async function makeTasks(
  needs: MakeNeeds,
  record: ImportRecord,
  found: FoundData,
  options: MakeOptions,
): Promise<TaskPlan> {
  const { kinds, limits } = needs
  const { files, archives = [] } = found
  const described =
    files.length > 0
      ? await describeAll(needs, files, options)
      : archives.map((file) => ({ file, layers: [] }))
  const context: PlanContext = {
    importId: record.id,
    nextTaskId: record.nextTaskId,
    folder: found.folder,
    isUploaded: options.isUploaded,
    transforms: record.transforms,
    suits,
    maxTasks: limits.maxTasks,
    at: now(needs.records),
    ...(record.allowEmpty === true ? { allowEmpty: true } : {}),
    ...defined({ charset: options.charset, unpacked: found.unpacked }),
  }
  const { signal } = options
  const plan = await kinds.ofSource(record.source).look({ record, described, context, signal })
  const examined: TaskRecord[] = []
  for (const task of plan.tasks) examined.push(await kinds.reexamine(record, await withOwnStyle(task)))
  const tasks = await needs.locator.propose(record, examined, signal)
  const grown = plan.grown === undefined ? undefined : await kinds.reexamine(record, plan.grown)
  return { ...plan, tasks, messages: [...found.messages, ...plan.messages], ...defined({ grown }) }
}
