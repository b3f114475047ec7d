import type { Catalog, StoreRecord } from '../../catalog/index.ts'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, TaskRecord, TaskStore } from '../model/model.ts'
import { finalSchema, taskAfter, withDeclaredCrs, withoutGeometryCode } from '../model/model.ts'
import type { Examination, ExamineContext, TaskKind } from './task-type.ts'

export function toTaskStore(store: StoreRecord): TaskStore {
  return { workspace: store.workspace, name: store.name, type: store.type }
}

async function layerStoreOf(
  catalog: Catalog,
  task: TaskRecord,
  workspace: string,
): Promise<StoreRecord | undefined> {
  if (task.updateMode === 'CREATE' || task.layer === undefined) return undefined
  const layer = await catalog.layers.find(workspace, task.layer.name)
  return layer === undefined ? undefined : catalog.stores.get(layer.storeId)
}

async function namedStoreOf(
  catalog: Catalog,
  record: ImportRecord,
  task: TaskRecord,
): Promise<StoreRecord | undefined> {
  const { store } = task
  if (store !== undefined) return catalog.stores.find(store.workspace, store.name)
  return record.store === undefined ? undefined : catalog.stores.find(record.workspace, record.store)
}

export interface InspectAgainDeps {
  catalog: Catalog
  /** True if a transformation that refers to a missing field fails only when run. */
  acceptsUnknownFields: boolean
}

async function contextOf(
  { catalog, acceptsUnknownFields }: InspectAgainDeps,
  kind: TaskKind,
  record: ImportRecord,
  task: TaskRecord,
): Promise<ExamineContext> {
  const store = await namedStoreOf(catalog, record, task)
  const layerStore = await layerStoreOf(catalog, task, record.workspace)
  const context = {
    workspace: record.workspace,
    store: store === undefined ? undefined : { ...toTaskStore(store), kind: store.kind },
    layerStore: layerStore === undefined ? undefined : { ...toTaskStore(layerStore), kind: layerStore.kind },
    acceptsUnknownFields,
    chainSchema: finalSchema,
  }
  if (!kind.needsDefaultStore(task, context)) return context
  return { ...context, defaultStore: toTaskStore(await catalog.stores.getDefault(record.workspace)) }
}

/**
 * Returns the requested store of a task that cannot be loaded into it; undefined if the data are unreadable.
 */
function namedTarget(task: TaskRecord, { layerStore, store }: ExamineContext): TaskStore | undefined {
  const named = layerStore ?? store
  if (named === undefined || task.format === undefined) return undefined
  return { workspace: named.workspace, name: named.name, type: named.type }
}

/** Files that no reader recognizes have no kind yet. */
function examine(kind: TaskKind, task: TaskRecord, context: ExamineContext): Examination {
  return task.format === undefined ? { finding: 'NO_FORMAT', isDirect: false } : kind.examine(task, context)
}

/**
 * Examines a task again after any change and sets its state, target and message. Does not save the task. Call
 * outside a transaction.
 */
export async function reexamine(
  deps: InspectAgainDeps,
  kind: TaskKind,
  record: ImportRecord,
  task: TaskRecord,
): Promise<TaskRecord> {
  if (task.state === 'RUNNING' || task.state === 'COMPLETE') return task
  const context = await contextOf(deps, kind, record, task)
  const { finding, reason, code, isDirect, ...found } = examine(kind, task, context)
  const { target = namedTarget(task, context) } = found
  const rest = without(
    taskAfter(task, { type: 'examined', finding }),
    'errorMessage',
    'errorCode',
    'target',
    'run',
  )
  return {
    ...rest,
    isDirect,
    messages: withDeclaredCrs(rest, withoutGeometryCode(rest)),
    target,
    errorMessage: reason,
    errorCode: code,
  }
}
