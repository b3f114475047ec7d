import { hasRole } from '../../../access/index.ts'
import type { StoreRecord } from '../../../catalog/index.ts'
import type { Importer, ImportRecord, TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import type { ListedFile, ShownTask } from './data-response.ts'
import { findListedFile, listMainFiles } from './data-response.ts'
import { toImportResponse } from './import-response.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { parseId } from './parameters.ts'

type Reading = Pick<ImporterApiDeps, 'importer' | 'catalog'>

/** The import of a path. */
export function requireImport(importer: Importer, importId: string): Promise<ImportRecord> {
  return importer.kept.get(parseId(importId, 'import'))
}

/** The task of a path. */
export async function requireTask(
  importer: Importer,
  { importId, taskId }: { importId: string; taskId: string },
): Promise<TaskRecord> {
  const record = await requireImport(importer, importId)
  return importer.kept.getTask(record.id, parseId(taskId, 'task'))
}

/** Returns tasks, with granules for mosaics. */
export async function withGranules(importer: Importer, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const shown: ShownTask[] = []
  for (const task of tasks) {
    const granules = await importer.kept.findGranules(task)
    shown.push(granules === undefined ? task : { ...task, granules })
  }
  return shown
}

/** Returns tasks in the representation from level 2 on: with granules and details of their target stores. */
export async function withDetails(parts: Reading, tasks: TaskRecord[]): Promise<ShownTask[]> {
  const stores = new Map<string, StoreRecord | undefined>()
  const shown: ShownTask[] = []
  for (const task of await withGranules(parts.importer, tasks)) {
    const { target } = task
    const key = JSON.stringify([target?.workspace, target?.name])
    if (target !== undefined && !stores.has(key))
      stores.set(key, await parts.catalog.stores.find(target.workspace, target.name))
    const targetStore = stores.get(key)
    shown.push(targetStore === undefined ? task : { ...task, targetStore })
  }
  return shown
}

/** The file of these tasks that an id means, a granule among others. */
export async function findFile(
  importer: Importer,
  tasks: TaskRecord[],
  fileId: string,
): Promise<ListedFile | undefined> {
  for (const task of tasks) {
    const granule = await importer.kept.findGranule(task, fileId)
    if (granule !== undefined) return { file: granule.file, task, granule }
  }
  return findListedFile(listMainFiles(await withGranules(importer, tasks)), fileId)
}

/** Loads the details that the tasks of an import need up to `level`. */
function tasksAt(parts: Reading, tasks: TaskRecord[], level: number): Promise<ShownTask[]> | ShownTask[] {
  if (level < 2) return tasks
  return level < 3 ? withGranules(parts.importer, tasks) : withDetails(parts, tasks)
}

/** The representation of an import to a level. */
export async function toShownImport(
  parts: Reading & Pick<ImporterApiDeps, 'dialect'>,
  request: FastifyRequest,
  record: ImportRecord,
  level: number,
): Promise<object> {
  const { importer, catalog, dialect } = parts
  if (level < 1) return toImportResponse(request, record, [], { level, dialect })
  const tasks = await tasksAt(parts, await importer.kept.listTasks(record.id), level)
  const store =
    record.store === undefined ? undefined : await catalog.stores.find(record.workspace, record.store)
  const fetch = importer.progress.fetchOf(record.id)
  const shown = toImportResponse(request, record, tasks, { level, dialect, fetch, store })
  const { data } = shown
  return data === undefined ? shown : { ...shown, data: showPassword(parts.importer, request, record, data) }
}

/**
 * Adds the password of an import's database for an administrator; not to a response that is stored under an
 * idempotency key.
 */
export function showPassword(
  importer: Importer,
  request: FastifyRequest,
  record: ImportRecord,
  data: object,
): object {
  const mayShow = hasRole(request.caller, 'admin') && request.routeOptions.config.idempotent !== true
  if (!mayShow || !('parameters' in data)) return data
  const passwd = importer.databasePassword(record)
  if (passwd === undefined) return data
  return { ...data, parameters: { ...Object(data.parameters), passwd } }
}
