import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { dryRunImport } from './dry-run-import.ts'
import type { SessionContext, TargetOptions } from './import-context.ts'
import { preparePlan } from './import-plan.ts'
import type { ImportView } from './import-views.ts'
import { readImport, readTasks } from './import-views.ts'
import { publishToAll } from './publish-to-all.ts'
import type { RestClient } from './rest-client.ts'
import { RestError } from './rest-client.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { filesToUpload } from './upload-files.ts'
import { runWatchedImport } from './watch-run.ts'

/** Imports one file or folder and waits for its end. */
export function importFromPath(
  context: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<TaskOutcome[]> {
  return importCreated(context, basename(path), options, () => createImport(context, path, options))
}

/**
 * Runs the import that `create` returns and waits for its end. A failure becomes an outcome; only bugs throw.
 */
export async function importCreated(
  context: SessionContext,
  label: string,
  options: TargetOptions,
  create: () => Promise<ImportView | string>,
): Promise<TaskOutcome[]> {
  const start = performance.now()
  const whole = (state: string, message: string, made?: ImportView): TaskOutcome[] => {
    const seconds = (performance.now() - start) / 1000
    const messages = made?.messages ?? []
    return [
      { file: label, layer: '', loaded: 0, unit: 'rows', rejected: 0, seconds, state, message, messages },
    ]
  }
  try {
    const created = await create()
    if (typeof created === 'string') return whole('EMPTY', created)
    if (created.state === 'INIT_ERROR') return whole(created.state, created.message ?? '', created)
    const tasks = await listTasks(context.client, created.id)
    if (tasks.length === 0) return whole('EMPTY', created.message ?? 'Nothing spatial was found', created)
    const { notes, skipped } = await preparePlan(context, created, tasks, options)
    if (options.isDryRun === true) return [...(await dryRunImport(context, created.id, start)), ...skipped]
    const outcomes = await runWatchedImport(context, created.id, start, notes)
    if (options.isPublic === true) await publishToAll(context.client, created.workspace, outcomes)
    return [...outcomes, ...skipped]
  } catch (error) {
    if (error instanceof RestError) return whole('REFUSED', withAdvice(error, options))
    throw error
  }
}

function withAdvice(error: RestError, { workspace }: TargetOptions): string {
  if (error.code !== 'unknown-workspace' || workspace === undefined) return error.message
  return `${error.message}: --create-workspace makes it`
}

/** Returns the target of an import in the form of the API. */
export function targetOf({ workspace, store, allowsEmpty }: TargetOptions): Record<string, unknown> {
  return {
    targetWorkspace: workspace === undefined ? undefined : { workspace: { name: workspace } },
    targetStore: store === undefined ? undefined : { dataStore: { name: store } },
    allowEmpty: allowsEmpty || undefined,
  }
}

/** Returns a text if there is nothing to import. */
async function createImport(
  { client, display, isLocal }: SessionContext,
  path: string,
  options: TargetOptions,
): Promise<ImportView | string> {
  const target = targetOf(options)
  if (isLocal) {
    const onServer = await tryServerPath(client, path, target)
    if (onServer !== undefined) return onServer
  }
  const files = await filesToUpload(path)
  if (files.length === 0) return `The folder ${path} holds no files`
  const created = readImport(await client.post('/rest/imports', { import: target }))
  const total = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const label = basename(path)
  const tell = (done: number): void => display.update(path, { label, done, total, unit: 'bytes' })
  await client.upload(`/rest/imports/${created.id}/tasks`, files, tell).finally(() => display.finish(path))
  return readImport(await client.get(`/rest/imports/${created.id}`))
}

/** Returns undefined if the server may not read that path itself. */
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

/** Tasks with their whole layers. */
async function listTasks(client: RestClient, importId: number) {
  return readTasks(await client.get(`/rest/imports/${importId}/tasks?expand=2`))
}
