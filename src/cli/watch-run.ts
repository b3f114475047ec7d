import { setTimeout as wait } from 'node:timers/promises'
import { ownValue } from '../core/values/record-keys.ts'
import type { MessageView, TaskView } from './import-views.ts'
import { readImport, readProgress, readTasks } from './import-views.ts'
import type { ProgressDisplay } from './progress-display.ts'
import { amount } from './progress-display.ts'
import type { RestRequests } from './rest-client.ts'
import type { TaskNote, TaskOutcome } from './task-outcome.ts'
import { changesText, readUpsertChanges } from './upsert-changes.ts'

export interface RunContext {
  client: RestRequests
  display: ProgressDisplay
}

const pollMilliseconds = 150
/** Maximum time without changes while work is queued; then it is reported as not run. */
const idleMilliseconds = 60_000
const runnableStates = ['READY', 'CANCELED', 'ERROR']
const endStates = ['COMPLETE', 'ERROR', 'CANCELED']

const hints: Record<string, string> = {
  NO_CRS: 'The data name no coordinate system: give --srs EPSG:n',
  NO_FORMAT: 'Nothing here reads this file',
  NO_BOUNDS: 'The raster has no extent',
  BAD_FORMAT: 'A raster cannot go into a data store',
  READY: 'It was not run',
}

const declaredHint =
  'The data declare a coordinate system without a code: give --reproject EPSG:n, or --srs EPSG:n for one that means the same'

/**
 * Runs an import that has tasks, shows their progress, and returns the outcomes; `start` is the start time.
 */
export async function runWatchedImport(
  context: RunContext,
  importId: number,
  start: number,
  notes: ReadonlyMap<number, TaskNote>,
): Promise<TaskOutcome[]> {
  const path = `/rest/imports/${importId}`
  const { client } = context
  const before = readTasks(await client.get(`${path}/tasks?expand=1`))
  const watch = new Watch(context, path, before, start)
  if (before.some((task) => runnableStates.includes(task.state))) {
    await client.post(`${path}?async=true`)
    while (await watch.isGoing()) await wait(pollMilliseconds)
  }
  const after = readTasks(await client.get(`${path}/tasks?expand=1`))
  const { messages } = readImport(await client.get(path))
  const outcomes: TaskOutcome[] = []
  for (const task of after) {
    const outcome = watch.outcome(task, notes.get(task.id))
    outcomes.push(await withChanges(client, importId, task, outcome))
  }
  outcomes[0]?.messages.unshift(...messages)
  return outcomes
}

/** Adds the row changes of an upsert. */
async function withChanges(
  client: RestRequests,
  importId: number,
  task: TaskView,
  outcome: TaskOutcome,
): Promise<TaskOutcome> {
  if (task.updateMode !== 'UPSERT' || outcome.state !== 'COMPLETE') return outcome
  const changes = await readUpsertChanges(client, importId, task, outcome.loaded)
  if (changes === undefined) return outcome
  const message = [outcome.message, changesText(changes)].filter((one) => one !== '').join('; ')
  return { ...outcome, changes, message }
}

/** Polls a running import. */
class Watch {
  readonly #client: RestRequests
  readonly #display: ProgressDisplay
  readonly #path: string
  readonly #start: number
  readonly #tasks: Map<number, TaskView>
  readonly #ended = new Map<number, { done: number; seconds: number }>()
  #lastChange = performance.now()
  #lastLook = ''

  constructor({ client, display }: RunContext, path: string, tasks: TaskView[], start: number) {
    this.#client = client
    this.#display = display
    this.#path = path
    this.#start = start
    this.#tasks = new Map(tasks.map((task) => [task.id, task]))
  }

  /** Polls once; returns false if nothing is left to wait for. */
  async isGoing(): Promise<boolean> {
    const { state } = readImport(await this.#client.get(`${this.#path}?expand=none`))
    const tasks = readTasks(await this.#client.get(`${this.#path}/tasks`))
    let snapshot = tasks.map((task) => task.state).join()
    for (const task of tasks) snapshot += await this.#follow(task)
    if (snapshot !== this.#lastLook) this.#lastChange = performance.now()
    this.#lastLook = snapshot
    if (state === 'RUNNING') return true
    const isWaiting = tasks.some((task) => task.state === 'READY' || task.state === 'RUNNING')
    return isWaiting && performance.now() - this.#lastChange < idleMilliseconds
  }

  outcome(task: TaskView, note: TaskNote | undefined): TaskOutcome {
    const { done, seconds } = this.#ended.get(task.id) ?? { done: 0, seconds: this.#seconds() }
    const { file, layer, rejected, unit } = task
    const loaded = task.state === 'COMPLETE' ? Math.max(0, done - rejected) : 0
    const state = note?.left?.state ?? task.state
    const isDeclared = task.messages.some(({ code }) => code === 'crs-without-code')
    const hint = state === 'NO_CRS' && isDeclared ? declaredHint : ownValue(hints, state)
    const message = note?.left?.message ?? task.errorMessage ?? hint ?? ''
    const messages = [
      ...task.messages,
      ...(state === 'COMPLETE' ? (note?.messages ?? []) : []),
      ...this.#rejects(task),
    ]
    return { file, layer, state, loaded, unit, rejected, seconds, message, messages }
  }

  #rejects({ id, rejected }: TaskView): MessageView[] {
    if (rejected === 0) return []
    return [{ level: 'warning', text: `${this.#path}/tasks/${id}/rejects tells why rows were rejected` }]
  }

  /** Shows one task; returns a text that changes when the task progresses. */
  async #follow(task: TaskView): Promise<string> {
    const isOver = endStates.includes(task.state)
    if (this.#ended.has(task.id) || (!isOver && task.state !== 'RUNNING')) return ''
    const path = `${this.#path}/tasks/${task.id}`
    const { done, total, rowsPerSecond } = readProgress(await this.#client.get(`${path}/progress`))
    const { unit, layer, file } = this.#tasks.get(task.id) ?? task
    const label = layer || file || `task ${task.id}`
    if (isOver) {
      const seconds = this.#seconds()
      // A file that is served directly has rows, but none are loaded individually.
      const all = task.state === 'COMPLETE' ? Math.max(done, total) : done
      this.#ended.set(task.id, { done: all, seconds })
      const end = `${task.state}  ${amount(all, unit)} in ${seconds.toFixed(1)} s`
      this.#display.finish(path, `${label.padEnd(20)}  ${end}`)
    } else {
      const speed = rowsPerSecond === undefined ? {} : { perSecond: rowsPerSecond }
      this.#display.update(path, { label, done, total, unit, ...speed })
    }
    return ` ${task.id}:${done}`
  }

  #seconds(): number {
    return (performance.now() - this.#start) / 1000
  }
}
