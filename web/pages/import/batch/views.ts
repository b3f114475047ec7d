import type { Task } from '../types.ts'

export const views = ['all', 'decide', 'ready', 'failed', 'done'] as const
export type View = (typeof views)[number]

/** Value in the address instead of a task id. */
export const allTasks = 'all'

export function viewOf(text: string | null): View {
  return views.find((one) => one === text) ?? 'all'
}

/** True if the view includes the task. */
export function isOfView({ state, errorCode }: Task, view: View): boolean {
  if (view === 'all') return true
  if (view === 'ready') return state === 'READY'
  if (view === 'done') return state === 'COMPLETE'
  const isFailed = state === 'ERROR' || state === 'CANCELED'
  const lacksKeys = errorCode === 'no-keys'
  if (view === 'failed') return isFailed && !lacksKeys
  return state.startsWith('NO_') || state === 'BAD_FORMAT' || state === 'PENDING' || lacksKeys
}

/** True if a run of the import includes the task. */
export function isRunnable(task: Task): boolean {
  return isOfView(task, 'ready') || isOfView(task, 'failed')
}

export function nameOf({ layer, data, id }: Task): string {
  return layer?.name ?? data?.file ?? data?.table ?? String(id)
}

/** Tasks of a view whose names or files have a text in them. */
export function chosenTasks(tasks: readonly Task[], view: View, text: string): Task[] {
  const requested = text.trim().toLocaleLowerCase()
  return tasks.filter(
    (task) =>
      isOfView(task, view) &&
      (requested === '' ||
        `${nameOf(task)} ${task.data?.file ?? ''}`.toLocaleLowerCase().includes(requested)),
  )
}
