import { call } from '../../../api/client.ts'
import { type Import, importCall, isBusy, type Task, taskPath } from '../types.ts'

/** Up to this many tasks are loaded completely each time: of more, only changed ones. */
const fewTasks = 20

/**
 * Updates an import: of many tasks loads the states, and completely those that are active or changed. Loads
 * everything again when the import has ended.
 */
export async function askChanged(
  id: string,
  before: Import | undefined,
  signal: AbortSignal,
): Promise<Import> {
  if (before !== undefined && before.tasks.length > fewTasks) {
    const { import: now } = await call<{ import: Import }>({ path: `/rest/imports/${id}` }, signal)
    const tasks = isBusy(now.state) ? await changedTasks(id, before.tasks, now.tasks, signal) : undefined
    if (tasks !== undefined)
      return { ...now, targetWorkspace: before.targetWorkspace ?? now.targetWorkspace, tasks }
  }
  return (await call<{ import: Import }>(importCall(id), signal)).import
}

/** True if the state of the import or of one of its tasks has changed. */
export async function hasMoved(id: string, before: Import, signal: AbortSignal): Promise<boolean> {
  const { import: now } = await call<{ import: Import }>({ path: `/rest/imports/${id}` }, signal)
  const known = new Map(before.tasks.map((task) => [task.id, task.state]))
  return (
    now.state !== before.state ||
    now.tasks.length !== before.tasks.length ||
    now.tasks.some((task) => known.get(task.id) !== task.state)
  )
}

/** Undefined if so many tasks changed that all of them are loaded. */
async function changedTasks(
  id: string,
  before: readonly Task[],
  now: readonly Pick<Task, 'id' | 'state'>[],
  signal: AbortSignal,
): Promise<Task[] | undefined> {
  const known = new Map(before.map((task) => [task.id, task]))
  const moved = now.filter((task) => isBusy(task.state) || known.get(task.id)?.state !== task.state)
  if (moved.length > fewTasks) return undefined
  const requested = moved.map(({ id: task }) =>
    call<{ task: Task }>({ path: taskPath(id, task), query: { expand: 'all' } }, signal),
  )
  for (const { task } of await Promise.all(requested)) known.set(task.id, task)
  return now.flatMap((task) => known.get(task.id) ?? [])
}
