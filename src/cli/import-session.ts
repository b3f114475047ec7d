import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { ImportView, TaskView } from './import-views.ts'
import { readImport, readTasks } from './import-views.ts'
import type { ImportOptions } from './options.ts'
import type { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { RestError } from './rest-client.ts'
import { filesToUpload } from './upload-files.ts'
import type { TaskOutcome } from './watch-run.ts'
import { runImport } from './watch-run.ts'

export type TargetOptions = Pick<ImportOptions, 'workspace' | 'store' | 'srs' | 'mode'>

export interface SessionContext {
  client: RestClient
  display: ProgressDisplay
  /** Whether to try paths on the server before files are uploaded. */
  isLocal: boolean
}

/** Imports one file or folder and waits for its end. */
export function importPath(
  context: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<TaskOutcome[]> {
  return importCreated(context, basename(path), options, () => createImport(context, path, options))
}

/** Runs what `create` makes and waits for its end. A failure becomes an outcome; only bugs throw. */
export async function importCreated(
  context: SessionContext,
  label: string,
  options: TargetOptions,
  create: () => Promise<ImportView>,
): Promise<TaskOutcome[]> {
  const start = performance.now()
  const whole = (state: string, message: string): TaskOutcome[] => {
    const seconds = (performance.now() - start) / 1000
    return [{ file: label, layer: '', loaded: 0, unit: 'rows', rejected: 0, seconds, state, message }]
  }
  try {
    const created = await create()
    if (created.state === 'INIT_ERROR') return whole(created.state, created.message ?? '')
    const tasks = await listTasks(context.client, created.id)
    if (tasks.length === 0) return whole('EMPTY', created.message ?? 'Nothing spatial was found')
    for (const task of tasks) await prepareTask(context.client, created.id, task, options)
    return await runImport(context, created.id, start)
  } catch (error) {
    if (error instanceof RestError) return whole('REFUSED', error.message)
    throw error
  }
}

/** Where an import goes, as the server is told. */
export function targetOf({ workspace, store }: TargetOptions): Record<string, unknown> {
  return {
    ...(workspace === undefined ? {} : { targetWorkspace: { workspace: { name: workspace } } }),
    ...(store === undefined ? {} : { targetStore: { dataStore: { name: store } } }),
  }
}

async function createImport(
  { client, display, isLocal }: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<ImportView> {
  const target = targetOf(options)
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
