import type { StoreRecord } from '../../catalog/records.ts'
import { hiddenSecret } from '../../catalog/store-connections.ts'
import type { Dialect } from '../../config/settings.ts'
import type {
  ImportRecord,
  ImportState,
  RejectLimit,
  TaskProgress,
  TaskRecord,
  TaskStore,
} from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { FetchProgress } from '../../sources/remote/fetch-remote.ts'
import { isCoverageStoreType } from '../../stores/rasters/coverage-types.ts'
import type { FastifyRequest } from '../app-types.ts'
import type { ShownTask } from './wire-data.ts'
import { importPath, taskPath, toWireImportData, toWireTaskData } from './wire-data.ts'
import { toWireLayer, toWireLayerItem } from './wire-layer.ts'
import { toWireSpec, toWireTransforms } from './wire-transforms.ts'

const unknownThings = {
  import: 'unknown-import',
  task: 'unknown-task',
  transform: 'unknown-transform',
} as const

/** The number that a path segment is; anything else is an unknown thing. */
export function parseId(text: string, what: keyof typeof unknownThings): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw notFound(unknownThings[what], `No such ${what}: ${text}`)
}

export function toWireState(state: ImportState, dialect: Dialect): string {
  return dialect === 'geoserver' && state === 'READY' ? 'PENDING' : state
}

/** How far remote data have come; `total` is -1 when the server does not tell it. */
export function toWireFetch({ file, bytes, totalBytes = -1 }: FetchProgress) {
  return { file, bytes, total: totalBytes }
}

export function toWireImportItem(request: FastifyRequest, record: ImportRecord, dialect: Dialect) {
  const { id, message } = record
  return {
    id,
    href: request.link(importPath(id)),
    state: toWireState(record.state, dialect),
    ...(message === undefined ? {} : { message }),
  }
}

/** An import to `level`: at 1 the contract's shape. `tasks` are needed from level 1 on. */
export function toWireImport(
  request: FastifyRequest,
  record: ImportRecord,
  tasks: ShownTask[],
  view: { level: number; dialect: Dialect; store?: StoreRecord; fetch?: FetchProgress | undefined },
): { data?: object; [name: string]: unknown } {
  const { level, dialect, store: known, fetch } = view
  const { message, ...item } = toWireImportItem(request, record, dialect)
  if (level < 1) return { ...item, ...(message === undefined ? {} : { message }) }
  const data = toWireImportData(request, record, tasks, level - 1)
  const { store, transforms, messages } = record
  return {
    ...item,
    archive: record.isArchived,
    targetWorkspace: { workspace: { name: record.workspace } },
    ...(store === undefined
      ? {}
      : {
          targetStore: {
            [storeKey(known?.type)]:
              known === undefined
                ? { name: store }
                : level >= 2
                  ? toWireStore(known, known)
                  : toWireStoreItem(known),
          },
        }),
    ...(data === undefined ? {} : { data }),
    ...(fetch === undefined ? {} : { fetch: toWireFetch(fetch) }),
    ...(transforms.length === 0 ? {} : { transforms: transforms.map((spec) => toWireSpec(spec, dialect)) }),
    tasks: tasks.map((task) => toWireTask(request, task, level - 1, dialect)),
    ...(record.allowEmpty === true ? { allowEmpty: true } : {}),
    ...(message === undefined ? {} : { message }),
    ...(messages.length === 0 ? {} : { messages }),
  }
}

function toWireTaskItem(request: FastifyRequest, task: TaskRecord) {
  const { rejected = 0 } = task
  return {
    id: task.id,
    href: request.link(taskPath(task.importId, task.id)),
    state: task.state,
    ...(rejected === 0 ? {} : { rejected }),
  }
}

/** The name that a store of this type goes by. */
function storeKey(type: string | undefined): 'dataStore' | 'coverageStore' {
  return type !== undefined && isCoverageStoreType(type) ? 'coverageStore' : 'dataStore'
}

export function toWireTarget(request: FastifyRequest, task: TaskRecord, target: TaskStore) {
  return {
    href: request.link(`${taskPath(task.importId, task.id)}/target`),
    [storeKey(target.type)]: toWireStoreItem(target),
  }
}

function toWireStoreItem({ name, type }: { name: string; type: string }) {
  return { name, type }
}

/** What is known of a store that may not exist yet; secrets read as `********`. */
function toWireStore({ workspace, name, type }: TaskStore, store: StoreRecord | undefined) {
  const shown = Object.entries(store?.parameters ?? {})
  const hidden = (store?.secretNames ?? []).map((one): [string, string] => [one, hiddenSecret])
  return {
    name,
    type,
    enabled: store?.isEnabled ?? true,
    workspace: { name: workspace },
    connectionParameters: {
      entry: [...shown, ...hidden].map(([key, value]) => ({ '@key': key, $: value })),
    },
  }
}

/** A target with what is known of its store. */
export function toWireTargetEntity(
  request: FastifyRequest,
  task: TaskRecord,
  store: StoreRecord | undefined,
) {
  const { target } = task
  if (target === undefined) throw notFound('no-target', `Task ${task.id} has no target store`)
  const { href } = toWireTarget(request, task, target)
  return { href, [storeKey(target.type)]: toWireStore(target, store) }
}

/** A task to `level`: at 1 the contract's shape, with whole transformations. */
export function toWireTask(
  request: FastifyRequest,
  task: ShownTask,
  level: number,
  dialect: Dialect,
): object {
  const item = toWireTaskItem(request, task)
  if (level < 1) return item
  const { layer, target, errorMessage, messages, rowsRead, rowsLoaded, rejectLimit } = task
  return {
    ...item,
    updateMode: task.updateMode,
    data: toWireTaskData(request, task, level - 1),
    ...(target === undefined
      ? {}
      : {
          target:
            level >= 2
              ? toWireTargetEntity(request, task, task.targetStore)
              : toWireTarget(request, task, target),
        }),
    progress: request.link(`${taskPath(task.importId, task.id)}/progress`),
    ...(layer === undefined
      ? {}
      : { layer: level >= 2 ? toWireLayer(request, task) : toWireLayerItem(request, task, layer) }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    transformChain: {
      type: task.kind === 'raster' ? 'raster' : 'vector',
      transforms: toWireTransforms(request, task, dialect),
    },
    ...(messages.length === 0 ? {} : { messages }),
    ...(rowsRead === undefined ? {} : { rowsRead, rowsLoaded, rejected: task.rejected ?? 0 }),
    ...(task.rejected ? { rejects: request.link(`${taskPath(task.importId, task.id)}/rejects`) } : {}),
    ...(rejectLimit === undefined ? {} : { rejectLimit: toWireRejectLimit(rejectLimit) }),
    ...(task.repair === true ? { repair: true } : {}),
    ...(task.allowEmpty === true ? { allowEmpty: true } : {}),
  }
}

export function toWireProgress(task: TaskRecord, running: TaskProgress | undefined): object {
  const { state, errorMessage, rowsRead } = task
  const total = rowsRead ?? task.source?.featureCount ?? task.source?.raster?.sizeBytes ?? -1
  const still = {
    progress: rowsRead ?? (state === 'COMPLETE' ? Math.max(total, 0) : 0),
    total,
    rejected: task.rejected ?? 0,
    phase: state === 'COMPLETE' ? 'done' : 'waiting',
  }
  return {
    ...(running ?? still),
    state,
    ...(errorMessage === undefined ? {} : { message: errorMessage }),
  }
}

function toWireRejectLimit(limit: RejectLimit): number | string {
  return 'rows' in limit ? limit.rows : `${limit.share * 100}%`
}

/** Rows at most as a number, or a share as in `2.5%`. */
export function fromWireRejectLimit(limit: number | string): RejectLimit {
  if (typeof limit === 'number') return { rows: limit }
  const [, amount, percent] = /^\s*(\d{1,9}(?:\.\d{1,6})?)\s*(%?)\s*$/.exec(limit) ?? []
  const value = Number(amount)
  if (percent === '%' && value <= 100) return { share: value / 100 }
  if (percent === '' && Number.isInteger(value)) return { rows: value }
  throw invalid(
    'invalid-reject-limit',
    `rejectLimit must be a number of rows or a share such as "5%", found "${limit}"`,
  )
}
