import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Clock } from '../../lib/clock.ts'
import { conflict } from '../../lib/errors.ts'
import type { LoadHooks, LoadRequest, LoadResult } from '../store.ts'
import { whenFree } from './connections.ts'
import { insertContents, nextChange, updateContents } from './contents.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import { ensureCrs } from './crs-rows.ts'
import { setCatalogueTriggersAside } from './foreign-code.ts'
import { createIndexes } from './indexes.ts'
import type { LoadPlan } from './load-plan.ts'
import { planLoad } from './load-plan.ts'
import { completeSkeleton, createSkeleton } from './new-file.ts'
import { dataVersion, ownWrite } from './own-writes.ts'
import { placeExisting, placeNew } from './place-rows.ts'
import { rejectStaged } from './reject-staged.ts'
import type { Staged } from './stage.ts'
import { removeSideFile, sidePath, stageRows } from './stage.ts'
import { describeTable } from './table-description.ts'
import { tellNaN } from './tell-nan.ts'
import type { Writer } from './writer.ts'

export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}

/**
 * Loads in two steps: rows, index nodes and all are written to a side file, where nobody waits for them; then one
 * transaction copies them in, while readers go on with the state before it.
 */
export async function loadTable(
  surroundings: LoadSurroundings,
  request: LoadRequest,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<LoadResult> {
  const { path, writer } = surroundings
  removeSideFile(path, request.loadId)
  const db = await writer.take({ isNew: request.mode !== 'CREATE' })
  let isDone = false
  try {
    await prepareFile(path, db, hooks.signal)
    const version = dataVersion(db)
    const plan = planLoad(db, request, hooks)
    const srsId = await settleCrs(db, plan, surroundings, hooks.signal)
    const pageSize = Number(db.prepare('PRAGMA main.page_size').get()?.['page_size'])
    const side = sidePath(path, request.loadId)
    const staged = await stageRows(side, { plan, srsId, pageSize }, tellNaN(batches, hooks), hooks)
    db.prepare('ATTACH ? AS side').run(side)
    const result = await commitStaged(db, { plan, version }, staged, srsId, surroundings, hooks)
    db.exec('DETACH side')
    isDone = true
    return result
  } finally {
    if (isDone) await writer.keep(db)
    else await writer.drop(db)
    removeSideFile(path, request.loadId)
  }
}

/** Makes an empty file a GeoPackage, and sets the journal that lets readers go on while a load commits. */
async function prepareFile(path: string, db: DatabaseSync, signal: AbortSignal): Promise<void> {
  if (db.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') {
    await ownWrite(path, db, () => whenFree(signal, () => db.exec('PRAGMA journal_mode = WAL')))
  }
  const isComplete = ['gpkg_contents', 'gpkg_geometry_columns', 'gpkg_extensions'].every((name) =>
    hasTable(db, name),
  )
  if (isComplete) return
  await changeFile(path, db, signal, () => {
    if (hasTable(db, 'gpkg_contents')) completeSkeleton(db)
    else createSkeleton(db)
  })
}

/** A transaction of ours that waits until others have written. */
async function changeFile<Result>(
  path: string,
  db: DatabaseSync,
  signal: AbortSignal,
  change: () => Result | Promise<Result>,
): Promise<Result> {
  await whenFree(signal, () => db.exec('BEGIN IMMEDIATE'))
  return ownWrite(path, db, async () => {
    try {
      const triggers = setCatalogueTriggersAside(db)
      const result = await change()
      triggers.putBack()
      db.exec('COMMIT')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  })
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare('SELECT 1 FROM main.sqlite_schema WHERE name = ?').get(name) !== undefined
}

/** The `srs_id` for the geometries; a new CRS is entered at once, since its id stands in every geometry. */
async function settleCrs(
  db: DatabaseSync,
  plan: LoadPlan,
  { path, findDefinition }: LoadSurroundings,
  signal: AbortSignal,
): Promise<number> {
  if (plan.existing !== undefined) return plan.existing.srsId ?? 0
  if (plan.geometry === undefined) return 0
  const { crs } = plan.geometry
  return changeFile(path, db, signal, () => ensureCrs(db, crs, findDefinition))
}

async function commitStaged(
  db: DatabaseSync,
  early: EarlyPlan,
  staged: Staged,
  srsId: number,
  { path, clock }: LoadSurroundings,
  hooks: LoadHooks,
): Promise<LoadResult> {
  return changeFile(path, db, hooks.signal, async () => {
    const plan = replan(db, early, hooks)
    const refused = place(db, plan, staged, srsId, hooks)
    const lastChange = nextChange(db, clock.now())
    const rowsLoaded = staged.rowCount - refused
    updateContents(db, plan, { lastChange, envelope: staged.envelope, rowsAdded: rowsLoaded })
    createIndexes(db, plan, hooks)
    const result: LoadResult = {
      rowsLoaded,
      rowsRejected: staged.rowsRejected + refused,
      renamed: renamedColumns(plan),
      ...describeLoaded(db, plan),
      ...(staged.envelope === undefined ? {} : { envelope: staged.envelope }),
    }
    hooks.signal.throwIfAborted()
    await hooks.beforeCommit(JSON.stringify({ table: plan.table, lastChange }), result)
    hooks.signal.throwIfAborted()
    return result
  })
}

interface EarlyPlan {
  plan: LoadPlan
  /** `dataVersion` before it was made. */
  version: unknown
}

/** The plan against the file as it is now that nobody else can change it. */
function replan(db: DatabaseSync, { plan: early, version }: EarlyPlan, hooks: LoadHooks): LoadPlan {
  if (dataVersion(db) === version) return early
  const now = planLoad(db, early.request, { ...hooks, onMessage: () => {} })
  const shape = (plan: LoadPlan): string =>
    JSON.stringify([plan.table, plan.id, plan.geometry, plan.columns, plan.isIndexed])
  if ((now.existing === undefined) === (early.existing === undefined) && shape(now) === shape(early))
    return now
  throw conflict('table-changed', `The table "${early.table}" was changed by others during the load`)
}

function place(db: DatabaseSync, plan: LoadPlan, staged: Staged, srsId: number, hooks: LoadHooks): number {
  if (plan.existing !== undefined) {
    const { refused, foreignTriggers } = placeExisting(db, plan, staged, (id, refusal) =>
      rejectStaged(db, plan, staged, id, refusal, hooks),
    )
    if (foreignTriggers.length > 0) {
      const message = `Triggers of the table "${plan.table}" did not run in this load: ${foreignTriggers.join(', ')}`
      hooks.onMessage({ level: 'warning', code: 'triggers-not-run', message })
    }
    return refused
  }
  placeNew(db, plan, staged)
  insertContents(db, plan, srsId)
  return 0
}

function describeLoaded(db: DatabaseSync, plan: LoadPlan): Pick<LoadResult, 'table'> {
  const table = describeTable(db, plan.table)
  return table === undefined ? {} : { table }
}

function renamedColumns(plan: LoadPlan): Record<string, string> {
  const renamed = plan.columns.filter(({ name, target }) => name !== target.name)
  const wanted = plan.request.schema.geometry?.name
  const stored = plan.existing === undefined ? plan.geometry?.name : wanted
  const geometry = wanted === undefined || stored === undefined || wanted === stored ? [] : [[wanted, stored]]
  return Object.fromEntries([...geometry, ...renamed.map(({ name, target }) => [target.name, name])])
}
