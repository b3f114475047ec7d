import { findCrs, parseSrs } from '../../geo/crs-database.ts'
import { toLayerName } from '../../geo/names.ts'
import { conflict, invalid } from '../../lib/errors.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import { foldChain, vectorTransformOf } from '../../transforms/chain.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import { TransformError } from '../../transforms/transform.ts'
import { checkRasterTransforms } from '../kinds/raster/check-transforms.ts'
import { refuseAppend } from '../kinds/raster/refuse-append.ts'
import { reexamine, toTaskStore } from '../kinds/reexamine.ts'
import type { ImportRecord, LayerChange, TaskChange, TaskLayer, TaskRecord } from '../model/model.ts'
import { chosenSchema, finalSchema, proposeLayer } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { deleteTask, getImport, getTask, saveTaskAndTell, settleImport } from '../records/records.ts'
import { asRequest } from './as-request.ts'
import { moveImport } from './move-import.ts'

/** Code of a transformation's error, and of the message that stands for it. */
const unknownField = 'unknown-field'

/** What of a layer may still change when it has been published. */
const metadata: readonly (keyof LayerChange)[] = ['title', 'abstract', 'description', 'style']

/** The authority code that a client means; a bare number or an unknown code is a `Failure` (`invalid`). */
export function requireSrs(text: string): string {
  const srs = parseSrs(text)
  if (srs !== undefined && findCrs(srs) !== undefined) return srs
  const hint = /^\d+$/.test(text.trim()) ? `: with its authority it would be EPSG:${text.trim()}` : ''
  throw invalid('unknown-srs', `"${text}" is not a CRS that is known${hint}`)
}

async function requireStyle(parts: ImporterParts, workspace: string, style: string): Promise<void> {
  if ((await parts.catalog.styles.resolve(workspace, style)) !== undefined) return
  throw invalid('unknown-style', `Style "${style}" does not exist`)
}

function changeLayer(layer: TaskLayer, change: LayerChange): TaskLayer {
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
  const { srsCandidates: _candidates, ...settled } = changed
  return { ...settled, srs: requireSrs(srs) }
}

async function applyLayerChange(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  change: LayerChange,
): Promise<TaskRecord> {
  if (task.layer === undefined || task.source === undefined) {
    throw conflict('no-layer', `Task ${task.id} is ${task.state} and has no layer`)
  }
  if (change.style !== undefined) await requireStyle(parts, record.workspace, change.style)
  const layer = changeLayer(task.layer, change)
  chosenSchema(task.source.schema, layer)
  const changed = { ...task, layer }
  if (change.attributes !== undefined || change.geometryType !== undefined) finalSchema(changed)
  return changed
}

/**
 * The task with a new chain, each step checked against the schema at its place and the target. A field that is not
 * there is a message only, where such are accepted.
 */
async function withTransforms(
  parts: ImporterParts,
  task: TaskRecord,
  chain: Pick<TaskRecord, 'transforms' | 'nextTransformId'>,
): Promise<TaskRecord> {
  const specs = chain.transforms.map(({ spec }) => spec)
  const messages = task.messages.filter(({ code }) => code !== unknownField)
  try {
    if (task.kind === 'raster') await checkRasterTransforms(task, specs)
    else checkTransforms(task, specs)
  } catch (error) {
    const isAccepted =
      parts.acceptsUnknownFields && error instanceof TransformError && error.code === unknownField
    if (!isAccepted) throw error
    messages.push({ level: 'warning', code: unknownField, message: error.message })
  }
  return { ...task, ...chain, messages }
}

function checkTransforms(task: TaskRecord, specs: TransformSpec[]): void {
  for (const spec of specs) {
    const transform = vectorTransformOf(spec)
    if (transform.phase === 'after' && task.store !== undefined && !hasIndexes(task.store.type)) {
      throw invalid('invalid-transform', `${transform.type} needs a database as target`)
    }
  }
  const { source, layer } = task
  if (source === undefined || layer === undefined) return
  const { srs } = layer
  foldChain(chosenSchema(source.schema, layer), specs, srs === undefined ? {} : { declaredCrs: { srs } })
}

/** Those of coverages are not asked: no vector task goes there. */
function hasIndexes(type: string): boolean {
  return findStoreDescription(type)?.can.hasIndexes !== false
}

async function applyStore(parts: ImporterParts, record: ImportRecord, task: TaskRecord, name: string) {
  const store = await parts.catalog.stores.require(record.workspace, name)
  if (!store.isEnabled) throw invalid('store-disabled', `Store "${name}" is switched off`)
  return { ...task, store: toTaskStore(store) }
}

async function applyCharset(
  parts: ImporterParts,
  task: TaskRecord,
  charset: string,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const [file] = task.files
  if (file === undefined || task.source === undefined) return { ...task, charset }
  const described = await parts.pool.describe(file, { charset, signal })
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
    ...Object.keys(others),
    ...Object.keys(layer).filter((key) => !metadata.includes(key as keyof LayerChange)),
  ]
  if (fixed.length === 0) return
  throw conflict(
    'task-complete',
    `Task ${task.id} is COMPLETE: ${fixed.join(', ')} cannot change any more, use a new import`,
  )
}

async function changePublished(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  change: LayerChange,
) {
  const { layers } = parts.catalog
  const layer = task.layer === undefined ? undefined : await layers.find(record.workspace, task.layer.name)
  if (layer === undefined) return
  const { title, abstract, description, style } = change
  await layers.change(layer, { title, abstract, description, style })
}

async function applyChange(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  change: TaskChange,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const { updateMode, charset, rejectLimit, repair, allowEmpty, layer, store, transforms } = change
  let changed: TaskRecord = {
    ...task,
    ...(updateMode === undefined ? {} : { updateMode }),
    ...(rejectLimit === undefined ? {} : { rejectLimit }),
    ...(repair === undefined ? {} : { repair }),
    ...(allowEmpty === undefined ? {} : { allowEmpty }),
  }
  if (charset !== undefined) changed = await applyCharset(parts, changed, charset, signal)
  if (layer !== undefined && Object.keys(layer).length > 0) {
    changed = await applyLayerChange(parts, record, changed, layer)
  }
  if (store !== undefined) changed = await applyStore(parts, record, changed, store)
  if (transforms !== undefined) {
    const first = changed.nextTransformId
    changed = await withTransforms(parts, changed, {
      transforms: transforms.map((spec, index) => ({ id: first + index, spec })),
      nextTransformId: first + transforms.length,
    })
  }
  if (updateMode !== undefined || layer?.name !== undefined) {
    await refuseAppend(parts.catalog, record, changed)
  }
  return changed
}

/** What an edit makes of a task; `check` runs before anything else, under the lock. */
export interface TaskEdit {
  check?(task: TaskRecord): void
  edit(record: ImportRecord, task: TaskRecord, signal: AbortSignal): Promise<TaskRecord>
}

/** The most that looking at a file again may take. */
const editMs = 600_000

/** Edits a task under its import's lock, looks at it again and settles the import. All or nothing. */
export async function editTask(
  parts: ImporterParts,
  importId: number,
  taskId: number,
  { check, edit }: TaskEdit,
): Promise<TaskRecord> {
  const outer = AbortSignal.timeout(editMs)
  return parts.running.duringRequest(importId, outer, (signal) =>
    parts.locks.ofImport(importId, async () => {
      const db = parts.database.kysely
      const record = await getImport(db, importId)
      const task = await getTask(db, importId, taskId)
      check?.(task)
      const edited = await reexamine(parts, record, await asRequest(() => edit(record, task, signal)))
      return parts.database.transaction(async (transaction) => {
        const saved = await saveTaskAndTell(parts, transaction, edited)
        await settleImport(parts, transaction, await getImport(transaction, importId))
        return saved
      })
    }),
  )
}

/** Changes what a client may change of a task. */
export async function changeTask(
  parts: ImporterParts,
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
    await moveImport(parts, importId, {
      workspace,
      check: checkTasks,
      ...(store === undefined ? {} : { store }),
    })
  }
  return editTask(parts, importId, taskId, {
    check: (task) => {
      if (workspace === undefined) check?.(task)
      refuseComplete(task, rest)
    },
    edit: async (record, task, signal) => {
      const changed = await applyChange(parts, record, task, rest, signal)
      if (task.state === 'COMPLETE' && rest.layer !== undefined) {
        await changePublished(parts, record, task, rest.layer)
      }
      return changed
    },
  })
}

/** Replaces the chain by what `edit` makes of it, checked as a whole. */
export async function editTransforms(
  parts: ImporterParts,
  importId: number,
  taskId: number,
  edit: (task: TaskRecord) => Pick<TaskRecord, 'transforms' | 'nextTransformId'>,
): Promise<TaskRecord> {
  return editTask(parts, importId, taskId, {
    check: (task) => refuseComplete(task, { transforms: [] }),
    edit: async (_record, task) => withTransforms(parts, task, edit(task)),
  })
}

/** Takes a task away; a running one is a `conflict`. */
export async function removeTask(
  parts: ImporterParts,
  importId: number,
  taskId: number,
  check?: (task: TaskRecord) => void,
): Promise<void> {
  await parts.locks.ofImport(importId, async () => {
    const task = await getTask(parts.database.kysely, importId, taskId)
    check?.(task)
    if (task.state === 'RUNNING') {
      throw conflict('task-running', `Task ${taskId} is RUNNING: cancel its run first`)
    }
    await parts.database.transaction(async (db) => {
      await deleteTask(db, importId, taskId)
      await settleImport(parts, db, await getImport(db, importId))
    })
  })
}
