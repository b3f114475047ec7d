import type { Catalog } from '../../catalog/index.ts'
import { conflict, invalid } from '../../core/errors/errors.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import { defined, hasValues, without } from '../../core/values/defined.ts'
import { findCrs, parseSrs } from '../../geo/crs-database.ts'
import type { CrsDetector } from '../detect-crs/detect-crs.ts'
import type { DryRunDeps } from '../dry-run/dry-run.ts'
import { removeStagedDryRun } from '../dry-run/dry-run.ts'
import { requireKnownKeys } from '../keys/keys.ts'
import type { ImportRecord, TaskChange, TaskLayer, TaskLayerChange, TaskRecord } from '../model/model.ts'
import { chosenSchema, finalSchema, proposeLayer } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { deleteTask, finalizeImport, getImport, getTask, saveTaskAndPublish } from '../records/records.ts'
import type { ImportLocks, RunningTable } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import { toTaskStore } from '../task-types/task-types.ts'
import type { LoadPool } from '../worker/worker.ts'
import { asRequest } from './create-import.ts'
import type { MoveDeps } from './move-import.ts'
import { moveImport } from './move-import.ts'

export interface EditTaskDeps extends MoveDeps {
  running: RunningTable
  pool: LoadPool
  locator: Pick<CrsDetector, 'proposeAgain'>
}

/** Layer fields that can still change after the layer is published. */
const metadata: readonly (keyof TaskLayerChange)[] = ['title', 'abstract', 'description', 'style']

/** Returns the authority code of a client; a bare number or an unknown code is a `Failure` (`invalid`). */
function requireSrs(text: string): string {
  const srs = parseSrs(text)
  if (srs !== undefined && findCrs(srs) !== undefined) return srs
  const hint = /^\d+$/.test(text.trim()) ? `: did you mean EPSG:${text.trim()}?` : ''
  throw invalid('unknown-srs', `"${text}" is not a known CRS${hint}`)
}

async function requireStyle(catalog: Catalog, workspace: string, style: string): Promise<void> {
  if ((await catalog.styles.resolve(workspace, style)) !== undefined) return
  throw invalid('unknown-style', `Style "${style}" does not exist`)
}

function changeLayer(layer: TaskLayer, change: TaskLayerChange): TaskLayer {
  const { srs, name, ...plain } = change
  const named = name === undefined ? {} : { name: toLayerName(name) }
  const isSameTable = layer.nativeName === layer.name && change.nativeName === undefined
  const changed: TaskLayer = {
    ...layer,
    ...plain,
    ...named,
    ...(isSameTable && named.name !== undefined ? { nativeName: named.name } : {}),
  }
  if (change.style !== undefined) delete changed.ownStyle
  if (srs === undefined) return changed
  const settled = without(changed, 'srsCandidates')
  return { ...settled, srs: requireSrs(srs) }
}

async function applyLayerChange(
  catalog: Catalog,
  record: ImportRecord,
  task: TaskRecord,
  change: TaskLayerChange,
): Promise<TaskRecord> {
  if (task.layer === undefined || task.source === undefined) {
    throw conflict('no-layer', `Task ${task.id} is ${task.state} and has no layer`)
  }
  if (change.style !== undefined) await requireStyle(catalog, record.workspace, change.style)
  const layer = changeLayer(task.layer, change)
  chosenSchema(task.source.schema, layer)
  const changed = { ...task, layer }
  if (change.attributes !== undefined || change.geometryType !== undefined) finalSchema(changed)
  return changed
}

/** Returns the task with a new chain, validated as a whole. */
async function withTransforms(
  kinds: TaskTypes,
  task: TaskRecord,
  chain: Pick<TaskRecord, 'transforms' | 'nextTransformId'>,
): Promise<TaskRecord> {
  const specs = chain.transforms.map(({ spec }) => spec)
  return { ...task, ...chain, messages: await kinds.checkTransforms(task, specs) }
}

async function applyStore(catalog: Catalog, record: ImportRecord, task: TaskRecord, name: string) {
  const store = await catalog.stores.require(record.workspace, name)
  if (!store.isEnabled) throw invalid('store-disabled', `Store "${name}" is switched off`)
  return { ...task, store: toTaskStore(store) }
}

async function applyCharset(
  pool: LoadPool,
  task: TaskRecord,
  charset: string,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const [file] = task.files
  if (file === undefined || task.source === undefined) return { ...task, charset }
  const described = await pool.describe(file, { charset, signal })
  const source = described.layers.find((layer) => layer.name === task.source?.name)
  if (source === undefined) {
    throw invalid('invalid-charset', described.error ?? `The file cannot be read as "${charset}"`)
  }
  const layer = task.layer ?? proposeLayer(source)
  return { ...task, charset, source, layer }
}

function refuseComplete(task: TaskRecord, change: TaskChange): void {
  if (task.state === 'RUNNING') throw conflict('task-running', `Task ${task.id} is RUNNING`)
  if (task.state !== 'COMPLETE') return
  const { layer = {}, ...others } = change
  const fixed = [
    ...namesIn(others),
    ...namesIn(layer).filter((key) => !metadata.includes(key as keyof TaskLayerChange)),
  ]
  if (fixed.length === 0) return
  throw conflict(
    'task-complete',
    `Task ${task.id} is COMPLETE: ${fixed.join(', ')} can no longer be changed; create a new import`,
  )
}

/** Names of the members that are not undefined. */
function namesIn(values: object): string[] {
  return Object.keys(defined(values))
}

async function changePublished(
  catalog: Catalog,
  record: ImportRecord,
  task: TaskRecord,
  change: TaskLayerChange,
) {
  const { layers } = catalog
  const layer = task.layer === undefined ? undefined : await layers.find(record.workspace, task.layer.name)
  if (layer === undefined) return
  const { title, abstract, description, style } = change
  await layers.change(layer, { title, abstract, description, style })
}

async function applyChange(
  { pool, catalog, kinds }: Pick<EditTaskDeps, 'pool' | 'catalog' | 'kinds'>,
  record: ImportRecord,
  task: TaskRecord,
  change: TaskChange,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const { updateMode, charset, rejectLimit, repair, allowEmpty, layer, store, transforms } = change
  const { keys, deleteMissing, stopIf } = change
  let changed: TaskRecord = {
    ...(stopIf === undefined ? task : without(task, 'stopIf')),
    ...defined({ updateMode, rejectLimit, repair, allowEmpty, keys, deleteMissing }),
    ...(stopIf == null ? {} : { stopIf }),
  }
  if (charset !== undefined) changed = await applyCharset(pool, changed, charset, signal)
  if (layer !== undefined && hasValues(layer)) {
    changed = await applyLayerChange(catalog, record, changed, layer)
  }
  if (store !== undefined) changed = await applyStore(catalog, record, changed, store)
  if (transforms !== undefined) {
    const first = changed.nextTransformId
    changed = await withTransforms(kinds, changed, {
      transforms: transforms.map((spec, index) => ({ id: first + index, spec })),
      nextTransformId: first + transforms.length,
    })
  }
  if (updateMode !== undefined || layer?.name !== undefined) {
    await kinds.of(changed).checkMode(record, changed)
  }
  return changed
}

/** Changes a task. `check` runs first, under the lock. */
interface TaskEdit {
  check?(task: TaskRecord): void
  edit(record: ImportRecord, task: TaskRecord, signal: AbortSignal): Promise<TaskRecord>
}

/** Task fields that determine the columns of the data and the target, and which columns are keys. */
const keyFacts = ['keys', 'updateMode', 'layer', 'transforms', 'store', 'source'] as const

/** Maximum time to inspect a file again. */
const editMs = 600_000

/**
 * Edits a task under the lock of its import, examines the task again and updates the state of the import. All
 * or nothing.
 */
async function editTask(
  deps: EditTaskDeps,
  importId: number,
  taskId: number,
  { check, edit }: TaskEdit,
): Promise<TaskRecord> {
  const outer = AbortSignal.timeout(editMs)
  return deps.running.duringRequest(importId, outer, (signal) =>
    deps.locks.ofImport(importId, async () => {
      const db = deps.records.database.kysely
      const record = await getImport(db, importId)
      const task = await getTask(db, importId, taskId)
      check?.(task)
      const changed = await asRequest(() => edit(record, without(task, 'foundKeys'), signal))
      const examined = await deps.kinds.reexamine(record, changed)
      if (keyFacts.some((fact) => examined[fact] !== task[fact])) {
        await requireKnownKeys(examined, (one) =>
          deps.kinds.of(one).describeTable({ record, task: one }, signal),
        )
      }
      const edited = await deps.locator.proposeAgain(record, examined, signal)
      return deps.records.database.transaction(async (transaction) => {
        const saved = await saveTaskAndPublish(deps.records, transaction, edited)
        await finalizeImport(deps.records, transaction, await getImport(transaction, importId))
        return saved
      })
    }),
  )
}

/** Changes the client-settable properties of a task. */
export async function changeTask(
  deps: EditTaskDeps,
  importId: number,
  taskId: number,
  change: TaskChange,
  check?: (task: TaskRecord) => void,
): Promise<TaskRecord> {
  const { workspace, ...rest } = change
  if (workspace !== undefined) {
    const { store } = rest
    const checkTasks = (tasks: TaskRecord[]): void => {
      const task = tasks.find(({ id }) => id === taskId)
      if (task !== undefined) check?.(task)
    }
    await moveImport(deps, importId, { workspace, check: checkTasks, store })
  }
  return editTask(deps, importId, taskId, {
    check: (task) => {
      if (workspace === undefined) check?.(task)
      refuseComplete(task, rest)
    },
    edit: async (record, task, signal) => {
      const changed = await applyChange(deps, record, task, rest, signal)
      if (task.state === 'COMPLETE' && rest.layer !== undefined) {
        await changePublished(deps.catalog, record, task, rest.layer)
      }
      return changed
    },
  })
}

/** Replaces the transformation chain by the result of `edit` and validates the whole chain. */
export async function editTransforms(
  deps: EditTaskDeps,
  importId: number,
  taskId: number,
  edit: (task: TaskRecord) => Pick<TaskRecord, 'transforms' | 'nextTransformId'>,
): Promise<TaskRecord> {
  return editTask(deps, importId, taskId, {
    check: (task) => refuseComplete(task, { transforms: [] }),
    edit: async (_record, task) => withTransforms(deps.kinds, task, edit(task)),
  })
}

/** Deletes a task. A running task is a `conflict`. */
export async function removeTask(
  needs: { records: Keeping; locks: ImportLocks; runningDryRun: DryRunDeps },
  importId: number,
  taskId: number,
  check?: (task: TaskRecord) => void,
): Promise<void> {
  await needs.locks.ofImport(importId, async () => {
    const task = await getTask(needs.records.database.kysely, importId, taskId)
    check?.(task)
    if (task.state === 'RUNNING') {
      throw conflict('task-running', `Task ${taskId} is RUNNING: cancel its run first`)
    }
    await removeStagedDryRun(needs.runningDryRun, task)
    await needs.records.database.transaction(async (db) => {
      await deleteTask(db, importId, taskId)
      await finalizeImport(needs.records, db, await getImport(db, importId))
    })
  })
}
