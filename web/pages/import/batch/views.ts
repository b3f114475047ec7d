import type { Task } from '../wire.ts'

export const views = ['all', 'decide', 'ready', 'failed', 'done'] as const
export type View = (typeof views)[number]

/** In the address in the place of the number of one. */
export const allTasks = 'all'

export function viewOf(text: string | null): View {
  return views.find((one) => one === text) ?? 'all'
}

/** Whether a task is among those that a view shows. */
export function isOfView({ state, errorCode }: Task, view: View): boolean {
  if (view === 'all') return true
  if (view === 'ready') return state === 'READY'
  if (view === 'done') return state === 'COMPLETE'
  const isFailed = state === 'ERROR' || state === 'CANCELED'
  const lacksKeys = errorCode === 'no-keys'
  if (view === 'failed') return isFailed && !lacksKeys
  return state.startsWith('NO_') || state === 'BAD_FORMAT' || state === 'PENDING' || lacksKeys
}

/** Whether a run of the import takes it along. */
export function isRunnable(task: Task): boolean {
  return isOfView(task, 'ready') || isOfView(task, 'failed')
}

export function nameOf({ layer, data, id }: Task): string {
  return layer?.name ?? data?.file ?? data?.table ?? String(id)
}

/** Tasks of a view whose names or files have a text in them. */
export function chosenTasks(tasks: readonly Task[], view: View, text: string): Task[] {
  const wanted = text.trim().toLocaleLowerCase()
  return tasks.filter(
    (task) =>
      isOfView(task, view) &&
      (wanted === '' || `${nameOf(task)} ${task.data?.file ?? ''}`.toLocaleLowerCase().includes(wanted)),
  )
}
