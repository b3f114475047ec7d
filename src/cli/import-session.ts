import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ImportView, TaskView } from './import-views.ts'
import { readImport, readProgress, readTask, readTasks } from './import-views.ts'
import type { ImportOptions } from './options.ts'
import type { ProgressDisplay } from './progress-display.ts'
import { amount } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { RestError } from './rest-client.ts'
import { filesToUpload } from './upload-files.ts'

export type TargetOptions = Pick<ImportOptions, 'workspace' | 'store' | 'srs' | 'mode'>

export interface SessionContext {
  client: RestClient
  display: ProgressDisplay
  /** Whether to try paths on the server before files are uploaded. */
  isLocal: boolean
}

/** What became of one task, or of a whole import that has none. */
export interface TaskOutcome {
  file: string
  layer: string
  state: string
  rows: number
  rejected: number
  seconds: number
  message: string
}

const pollMilliseconds = 150
const idleMilliseconds = 60_000

/** Imports one file or folder and waits for its end. A failure becomes an outcome; only bugs throw. */
export async function importPath(
  context: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<TaskOutcome[]> {
  const start = performance.now()
  const whole = (state: string, message: string): TaskOutcome[] => [
    { ...noLayer, file: basename(path), seconds: secondsSince(start), state, message },
  ]
  try {
    const created = await createImport(context, path, options)
    if (created.state === 'INIT_ERROR') return whole(created.state, created.message ?? '')
    const tasks = await listTasks(context.client, created.id)
    if (tasks.length === 0) return whole('EMPTY', created.message ?? 'Nothing spatial was found')
    for (const task of tasks) await prepareTask(context.client, created.id, task, options)
    return await new Run(context, created.id, start).finish()
  } catch (error) {
    if (error instanceof RestError) return whole('REFUSED', error.message)
    throw error
  }
}

const noLayer = { layer: '', rows: 0, rejected: 0 }

async function createImport(
  { client, display, isLocal }: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<ImportView> {
  const { workspace, store } = options
  const target = {
    ...(workspace === undefined ? {} : { targetWorkspace: { workspace: { name: workspace } } }),
    ...(store === undefined ? {} : { targetStore: { dataStore: { name: store } } }),
  }
  if (isLocal) {
    const onServer = await tryServerPath(client, path, target)
    if (onServer !== undefined) return onServer
  }
  const files = await filesToUpload(path)
  const created = readImport(await client.post('/rest/imports', { import: target }))
  const total = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const label = basename(path)
  const tell = (done: number): void => display.update(path, { label, done, total, unit: 'bytes' })
  await client.upload(`/rest/imports/${created.id}/tasks`, files, tell).finally(() => display.finish(path))
  return readImport(await client.get(`/rest/imports/${created.id}`))
}

/** Undefined when the server may not read that path by itself. */
async function tryServerPath(
  client: RestClient,
  path: string,
  target: Record<string, unknown>,
): Promise<ImportView | undefined> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  const data = isFolder
    ? { type: 'directory', location: resolve(path) }
    : { type: 'file', file: resolve(path) }
  try {
    return readImport(await client.post('/rest/imports', { import: { ...target, data } }))
  } catch (error) {
    if (error instanceof RestError && error.code === 'path-outside-roots') return undefined
    throw error
  }
}

async function listTasks(client: RestClient, importId: number): Promise<TaskView[]> {
  return readTasks(await client.get(`/rest/imports/${importId}/tasks?expand=1`))
}

async function prepareTask(
  client: RestClient,
  importId: number,
  task: TaskView,
  { mode, srs }: TargetOptions,
): Promise<void> {
  const path = `/rest/imports/${importId}/tasks/${task.id}`
  if (mode !== 'create' && task.state !== 'NO_FORMAT') {
    await client.put(path, { task: { updateMode: mode.toUpperCase() } })
  }
  if (srs !== undefined && task.state === 'NO_CRS') await client.put(`${path}/layer`, { layer: { srs } })
}

/** One import that runs on the server, watched until nothing moves any more. */
class Run {
  readonly #client: RestClient
  readonly #display: ProgressDisplay
  readonly #path: string
  readonly #start: number
  readonly #ended = new Map<number, { rows: number; seconds: number }>()
  #lastChange = performance.now()
  #lastStates = ''

  constructor({ client, display }: SessionContext, importId: number, start: number) {
    this.#client = client
    this.#display = display
    this.#path = `/rest/imports/${importId}`
    this.#start = start
  }

  async finish(): Promise<TaskOutcome[]> {
    const before = readTasks(await this.#client.get(`${this.#path}/tasks`))
    if (before.some((task) => task.state === 'READY')) {
      await this.#client.post(`${this.#path}?async=true`)
      while (await this.#isGoing()) await wait(pollMilliseconds)
    }
    const tasks = readTasks(await this.#client.get(`${this.#path}/tasks?expand=1`))
    return Promise.all(tasks.map((task) => this.#outcome(task)))
  }

  async #isGoing(): Promise<boolean> {
    const [current, tasks] = await Promise.all([
      this.#client.get(this.#path).then(readImport),
      this.#client.get(`${this.#path}/tasks`).then(readTasks),
    ])
    const states = tasks.map((task) => task.state).join()
    if (states !== this.#lastStates) this.#lastChange = performance.now()
    this.#lastStates = states
    for (const task of tasks) await this.#follow(task)
    if (current.state === 'RUNNING') return true
    const isWaiting = tasks.some((task) => task.state === 'READY' || task.state === 'RUNNING')
    return isWaiting && performance.now() - this.#lastChange < idleMilliseconds
  }

  async #follow(task: TaskView): Promise<void> {
    const isOver = task.state === 'COMPLETE' || task.state === 'ERROR' || task.state === 'CANCELED'
    if (this.#ended.has(task.id) || (!isOver && task.state !== 'RUNNING')) return
    const path = `${this.#path}/tasks/${task.id}`
    const progress = readProgress(await this.#client.get(`${path}/progress`))
    const key = path
    if (!isOver) {
      const { done, total, rowsPerSecond } = progress
      const speed = rowsPerSecond === undefined ? {} : { perSecond: rowsPerSecond }
      const label = task.layer === '' ? `task ${task.id}` : task.layer
      this.#display.update(key, { label, done, total, unit: 'rows', ...speed })
      return
    }
    const full = readTask(((await this.#client.get(path)) as { task?: unknown }).task)
    const seconds = secondsSince(this.#start)
    this.#ended.set(task.id, { rows: progress.done, seconds })
    const end = `${full.layer.padEnd(24)}  ${full.state}  ${amount(progress.done, 'rows')} in ${seconds.toFixed(1)} s`
    this.#display.finish(key, end)
  }

  async #outcome(task: TaskView): Promise<TaskOutcome> {
    const ended = this.#ended.get(task.id)
    return {
      file: task.file,
      layer: task.layer,
      state: task.state,
      rows: Math.max(0, (ended?.rows ?? 0) - (task.state === 'COMPLETE' ? task.rejected : 0)),
      rejected: task.rejected,
      seconds: ended?.seconds ?? secondsSince(this.#start),
      message: task.errorMessage ?? hints[task.state] ?? '',
    }
  }
}

const hints: Record<string, string> = {
  NO_CRS: 'The data name no coordinate system: give --srs EPSG:n',
  NO_FORMAT: 'Nothing here reads this file',
  NO_BOUNDS: 'The raster has no extent',
  BAD_FORMAT: 'A raster cannot go into a data store',
  READY: 'It was not run',
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000
}
