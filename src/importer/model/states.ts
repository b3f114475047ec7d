export const importStates = [
  'INIT',
  'INIT_ERROR',
  'PENDING',
  'READY',
  'RUNNING',
  'COMPLETE',
  'COMPLETE_ERROR',
] as const
export type ImportState = (typeof importStates)[number]

export const taskStates = [
  'PENDING',
  'READY',
  'RUNNING',
  'NO_CRS',
  'NO_BOUNDS',
  'NO_FORMAT',
  'BAD_FORMAT',
  'ERROR',
  'CANCELED',
  'COMPLETE',
] as const
export type TaskState = (typeof taskStates)[number]

/** Results of examining the data, layer and target of a task. */
export const findings = ['READY', 'NO_CRS', 'NO_BOUNDS', 'NO_FORMAT', 'BAD_FORMAT', 'ERROR'] as const
export type Finding = (typeof findings)[number]

export type TaskEvent =
  | { type: 'examined'; finding: Finding }
  | { type: 'started' }
  | { type: 'completed' }
  | { type: 'failed' }
  | { type: 'canceled' }
  /** The dry run has ended: the task returns to its previous state. */
  | { type: 'dryRunEnded'; before: TaskState }
  /** Corrected rows of a complete task were uploaded. */
  | { type: 'mending' }
  /** The load of the corrected rows has ended, successfully or not: the task is complete again. */
  | { type: 'mended' }

const examinable: readonly TaskState[] = taskStates.filter(
  (state) => state !== 'RUNNING' && state !== 'COMPLETE',
)
/** States in which a task can be run. */
export const runnableStates: readonly TaskState[] = ['READY', 'CANCELED', 'ERROR']

/** States in which each event is possible. */
const taskEventFrom: Record<TaskEvent['type'], readonly TaskState[]> = {
  examined: examinable,
  started: runnableStates,
  completed: ['RUNNING'],
  failed: ['RUNNING', ...runnableStates],
  canceled: ['RUNNING', ...runnableStates],
  dryRunEnded: ['RUNNING'],
  mending: ['COMPLETE'],
  mended: ['RUNNING'],
}

const taskEventTo: Record<Exclude<TaskEvent['type'], 'examined' | 'dryRunEnded'>, TaskState> = {
  started: 'RUNNING',
  completed: 'COMPLETE',
  failed: 'ERROR',
  canceled: 'CANCELED',
  mending: 'RUNNING',
  mended: 'COMPLETE',
}

/** Returns the state after an event; undefined if the event is not possible. */
export function nextTaskState(state: TaskState, event: TaskEvent): TaskState | undefined {
  if (!taskEventFrom[event.type].includes(state)) return undefined
  if (event.type === 'dryRunEnded') return runnableStates.includes(event.before) ? event.before : undefined
  return event.type === 'examined' ? event.finding : taskEventTo[event.type]
}

export type ImportEvent =
  /**
   * Data were fetched and scanned; `isReady`: a synchronous creation with a target store whose tasks are all
   * READY.
   */
  | { type: 'prepared'; isReady: boolean }
  | { type: 'prepare-failed' }
  | { type: 'prepare-again' }
  | { type: 'started' }
  /** Corrected rows of one of the tasks were uploaded. */
  | { type: 'mending' }
  /** The dry run has ended: the import returns to its previous state. */
  | { type: 'dryRunEnded'; before: ImportState }
  /** A run ended, a task was edited, deleted or added. */
  | { type: 'tasks-changed'; tasks: readonly TaskState[]; isRunActive: boolean }

/** States from which a run or a dry run can start. */
const startable: readonly ImportState[] = ['PENDING', 'READY', 'COMPLETE_ERROR']
/** States of an import in which a task may be complete. */
const correctable: readonly ImportState[] = ['PENDING', 'COMPLETE', 'COMPLETE_ERROR']

function stateOfTasks(state: ImportState, tasks: readonly TaskState[], isRunActive: boolean): ImportState {
  if (isRunActive || tasks.includes('RUNNING')) return 'RUNNING'
  if (tasks.length === 0) return state === 'INIT_ERROR' ? state : 'PENDING'
  const isEvery = (...states: TaskState[]) => tasks.every((task) => states.includes(task))
  if (isEvery('COMPLETE')) return 'COMPLETE'
  if (isEvery('COMPLETE', 'ERROR')) return 'COMPLETE_ERROR'
  return state === 'READY' && isEvery('READY') ? 'READY' : 'PENDING'
}

/** Returns the state after an event; undefined if the event is not possible. */
export function nextImportState(state: ImportState, event: ImportEvent): ImportState | undefined {
  switch (event.type) {
    case 'prepared':
      if (state !== 'INIT') return undefined
      return event.isReady ? 'READY' : 'PENDING'
    case 'prepare-failed':
      return state === 'INIT' ? 'INIT_ERROR' : undefined
    case 'prepare-again':
      return state === 'INIT_ERROR' ? 'INIT' : undefined
    case 'started':
      return startable.includes(state) ? 'RUNNING' : undefined
    case 'mending':
      return correctable.includes(state) ? 'RUNNING' : undefined
    case 'dryRunEnded':
      return state === 'RUNNING' && startable.includes(event.before) ? event.before : undefined
    case 'tasks-changed':
      return state === 'INIT' ? undefined : stateOfTasks(state, event.tasks, event.isRunActive)
  }
}
