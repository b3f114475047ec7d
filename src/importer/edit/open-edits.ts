import { randomUUID } from 'node:crypto'
import type {
  Catalog,
  ContentEnd,
  FeatureLock,
  LayerEdit,
  LayerRecord,
  StoreRecord,
} from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { conflict, Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { NotRetained, TableEdit, TableEditResult, TableSnapshot } from '../../stores/index.ts'
import { type EditOutcome, withEdit } from '../worker/worker.ts'
import type { EditRecord } from './edit-rows.ts'
import { completeEdit, insertEdit, listEdits } from './edit-rows.ts'
import { forgetEdit, isCommitted, publishEdits, recoverEdits } from './recover-edits.ts'

interface OpenEditsDeps {
  database: Database
  catalog: Catalog
  clock: Clock
  log: Logger
}

/** A layer got another version since the plan, or another server is changing it. */
export class Outdated extends Error {}

interface EditedFeatureName {
  layer: number
  featureId?: string
}

/** Condition of a transaction of edits. */
interface EditCondition {
  mayEdit(lock: FeatureLock): boolean
  user?: string
}

/** The table of a layer during one attempt of a transaction. */
interface PlannedTable {
  layer: LayerRecord
  store: StoreRecord
  edit: TableEdit
  isJoined: boolean
  since: string
  keep: { id: string } | NotRetained
  /** Existing features that are edited, with the index of their edit. */
  featureIds: ReadonlyMap<string, number>
  record?: EditRecord
}

/** Records of one attempt to edit features of several tables in one transaction of their store. */
export class OpenEdits {
  readonly #deps: OpenEditsDeps
  readonly #process: string
  readonly #condition: EditCondition
  readonly #tables: PlannedTable[] = []
  // Errors thrown in a worker thread lose their class, so the `Outdated` error is stored here.
  #outdated: Outdated | undefined

  constructor(deps: OpenEditsDeps, process: string, condition: EditCondition) {
    this.#deps = deps
    this.#process = process
    this.#condition = condition
  }

  /** Plans the edits of a layer: the version that they make, and what is retained of the previous one. */
  async plan(
    layer: LayerRecord,
    store: StoreRecord,
    edits: readonly EditedFeatureName[],
    index: number,
  ): Promise<TableEdit> {
    const { catalog } = this.#deps
    const { user } = this.#condition
    const { since, isJoined, keep } = await catalog.versions.planEdit(layer, store, user, randomUUID())
    const makesVersion = !isJoined && 'id' in keep
    await catalog.quotas.require(layer.workspace, { bytes: 0, versions: makesVersion ? 1 : undefined })
    const edit: TableEdit = {
      editId: randomUUID(),
      table: layer.nativeName,
      envelope: layer.details.envelope,
      keep: 'id' in keep ? { id: keep.id, isBegun: isJoined } : undefined,
    }
    const featureIds = new Map<string, number>()
    for (const [at, { layer: of, featureId }] of edits.entries())
      if (of === index && featureId !== undefined) featureIds.set(featureId, at)
    this.#tables.push({ layer, store, edit, isJoined, since, keep, featureIds })
    return edit
  }

  /** Records that the store is about to write the first row of a table. */
  async touch(index: number, token: string, mark: string): Promise<void> {
    const table = this.#table(index)
    await this.#begin(table, this.#record(table, token), mark)
    passStep('edit.touched')
  }

  /** Records what the store is about to commit. */
  async complete({ tables }: EditOutcome): Promise<void> {
    for (const [index, result] of tables.entries()) {
      if (!result.isChanged) continue
      const table = this.#table(index)
      const edit = layerEdit(result, table, this.#condition.user)
      const whole = { ...this.#record(table, result.token), edit }
      await (table.record === undefined
        ? this.#begin(table, whole)
        : completeEdit(this.#deps.database.kysely, whole))
      table.record = whole
    }
    passStep('edit.noted')
  }

  /** Ends a failed attempt. Throws `Outdated`, or the error, or a `Failure` if the edits may be committed. */
  async fail(error: unknown): Promise<never> {
    let isDone = false
    for (const { record } of this.#tables)
      if (record !== undefined && (await this.#isDone(record))) isDone = true
    if (this.#outdated !== undefined && !isDone) throw this.#outdated
    throw isDone ? unsettled(error) : error
  }

  /** Publishes the committed edits. Returns the new versions by the index of their layer. */
  async publish(): Promise<ReadonlyMap<number, number | undefined>> {
    const changed = this.#tables.flatMap(({ record }, index) =>
      record === undefined ? [] : [{ record, index }],
    )
    if (changed.length === 0) return new Map()
    const versions = await publishEdits(
      this.#deps.catalog,
      changed.map(({ record }) => record),
    )
    return new Map(changed.map(({ index }, at) => [index, versions[at]]))
  }

  #table(index: number): PlannedTable {
    const table = this.#tables[index]
    if (table === undefined) throw new Error('A table without a plan was edited')
    return table
  }

  #record({ store, edit: { editId, table } }: PlannedTable, token: string): EditRecord {
    return { editId, storeId: store.id, table, process: this.#process, token }
  }

  async #begin(table: PlannedTable, record: EditRecord, mark?: string): Promise<void> {
    this.#outdated = await this.#start(table, record, mark)
    if (this.#outdated !== undefined) throw this.#outdated
    table.record = record
  }

  /**
   * Starts the edits of a table: from here on no cached response of the layer counts as current, and a crash
   * can be recovered. The store blocks other writers meanwhile, so earlier edits of the table on other servers
   * have ended. Returns why the edits cannot start, if so. Throws `Failure` for a locked feature.
   */
  async #start(
    { layer, featureIds }: PlannedTable,
    record: EditRecord,
    mark: string | undefined,
  ): Promise<Outdated | undefined> {
    const { catalog, clock, database } = this.#deps
    const { storeId, table, editId } = record
    if ((await listEdits(database.kysely, { storeId, table })).length > 0) {
      await recoverEdits(this.#deps, () => true, { storeId, table })
      return new Outdated('Another server has changed the layer')
    }
    return catalog.transaction(async (change, db) => {
      const locks = await catalog.featureLocks.find(db, layer.id, [...featureIds.keys()])
      const locked = locks.find((lock) => !this.#condition.mayEdit(lock))
      if (locked !== undefined) throw withEdit(lockedFeature(layer, locked), featureIds.get(locked.featureId))
      if (!(await change.beginEdit(layer, { storeId, table, mark }, editId)))
        return new Outdated('The layer has a newer version, or another server is changing it')
      await insertEdit(db, record, clock.now().toISOString())
      return undefined
    })
  }

  /**
   * True if a failed edit has committed or if that cannot be determined. Its record must then be retained.
   */
  async #isDone(record: EditRecord): Promise<boolean> {
    try {
      if (await isCommitted(this.#deps.catalog, record)) return true
      await forgetEdit(this.#deps, record)
      return false
    } catch {
      return true
    }
  }
}

function layerEdit(
  { kept, counts, rowsAdded, envelope }: TableEditResult,
  { layer, store, keep, isJoined, since }: PlannedTable,
  user: string | undefined,
): LayerEdit {
  const end = endOf(store, kept ?? keep)
  return { layerId: layer.id, isJoined, since, end, counts, rowsAdded, user, envelope }
}

function endOf(
  { parameters: { path } }: StoreRecord,
  kept: TableSnapshot | NotRetained | { id: string },
): ContentEnd {
  if ('form' in kept) return { form: 'kept', state: kept, path }
  return { form: 'lost', reason: 'reason' in kept ? kept.reason : 'Its stored contents were removed' }
}

function lockedFeature(
  { workspace, name }: LayerRecord,
  { featureId, expiresAt }: Pick<FeatureLock, 'featureId' | 'expiresAt'>,
): Failure {
  const text = `Feature "${featureId}" of "${workspace}:${name}" is locked by a WFS client until ${expiresAt}: try again later`
  return conflict('feature-locked', text)
}

function unsettled(cause: unknown): Failure {
  const text = 'The result of the change is not known yet: read the feature again later'
  return new Failure('unavailable', 'edit-unsettled', text, { retryAfterSeconds: 10, cause })
}
