import { hasRole } from '../../accounts/caller.ts'
import { findStore } from '../../catalog/stores.ts'
import type { Importer } from '../../importer/importer.ts'
import type { ImportRecord, TaskRecord } from '../../importer/model/model.ts'
import type { FastifyRequest, HttpContext } from '../app-types.ts'
import { withDetails, withGranules } from './shown-tasks.ts'
import { parseId, toWireImport } from './wire.ts'
import type { ShownTask } from './wire-data.ts'

export const staff = { access: 'staff' } as const
export const tags = ['importer']

/** What the routes of the importer share. */
export interface ImporterScope {
  context: HttpContext
  importer: Importer
}

export function findImportOf(scope: ImporterScope, text: string): Promise<ImportRecord> {
  return scope.importer.kept.get(parseId(text, 'import'))
}

export async function findTaskOf(
  scope: ImporterScope,
  params: { importId: string; taskId: string },
): Promise<TaskRecord> {
  const record = await findImportOf(scope, params.importId)
  return scope.importer.kept.getTask(record.id, parseId(params.taskId, 'task'))
}

/** What the tasks of an import to `level` need. */
function tasksAt(
  scope: ImporterScope,
  tasks: TaskRecord[],
  level: number,
): Promise<ShownTask[]> | ShownTask[] {
  if (level < 2) return tasks
  return level < 3
    ? withGranules(scope.importer.kept, tasks)
    : withDetails(scope.importer.kept, scope.context.database.kysely, tasks)
}

/** The representation of an import to a level. */
export async function showImport(
  scope: ImporterScope,
  request: FastifyRequest,
  record: ImportRecord,
  level: number,
): Promise<object> {
  const { context } = scope
  const db = context.database.kysely
  const { dialect } = context.settings.server
  if (level < 1) return toWireImport(request, record, [], { level, dialect })
  const listed = await scope.importer.kept.listTasks(record.id)
  const tasks = await tasksAt(scope, listed, level)
  const store = record.store === undefined ? undefined : await findStore(db, record.workspace, record.store)
  const shown = toWireImport(request, record, tasks, {
    level,
    dialect,
    fetch: scope.importer.progress.fetchOf(record.id),
    ...(store === undefined ? {} : { store }),
  })
  const { data } = shown
  return data === undefined ? shown : { ...shown, data: showPassword(scope, request, record, data) }
}

/** Shows an administrator the password of an import's database; not in an answer that may be kept for a key. */
export function showPassword(
  { importer }: ImporterScope,
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

export async function importExists(scope: ImporterScope, id: number): Promise<boolean> {
  return (await scope.importer.kept.find(id)) !== undefined
}

/** The status of an answer in the contract, or in the dialect of older systems. */
export function statusOf(scope: ImporterScope, contract: number, geoserver: number): number {
  return scope.context.settings.server.dialect === 'geoserver' ? geoserver : contract
}
