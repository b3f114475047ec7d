import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Catalog,
  type ContentEnd,
  type LayerEdit,
  type LayerRecord,
  type StoreRecord,
  whyNotManaged,
} from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { conflict, Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { EditRequest, NotRetained, TableSnapshot } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { EditOutcome, FeatureEditRequest, LoadPool } from '../worker/worker.ts'
import type { EditRecord, OpenEdit } from './edit-rows.ts'
import { completeEdit, insertEdit, listEdits } from './edit-rows.ts'
import { forgetEdit, isCommitted, publishEdit, recoverEdits } from './recover-edits.ts'

interface EditsDeps {
  database: Database
  catalog: Catalog
  locks: ImportLocks
  /**
   * Worker pool of loads. Edits use it too, so that the process that last wrote to a file, and knows its
   * state, makes the next change.
   */
  pool: LoadPool
  clock: Clock
  log: Logger
}

/** An edit request with its layer. */
export interface RequestedEdit extends FeatureEditRequest {
  /** Absent to add a feature. */
  featureId?: string
  user?: string
}

/** The result of an edit. */
export interface AppliedEdit extends Pick<EditOutcome, 'featureId' | 'tag' | 'json' | 'isChanged'> {
  /** Version of the layer, if known. */
  version?: number
}

/** Maximum wait of an edit for loads and other writers, in milliseconds. */
const patienceMs = 30_000
/** Maximum duration of an edit, in milliseconds. */
const longestMs = 120_000
/**
 * If the layer got a new version in the meantime, the edit is planned again: the first times immediately,
 * then after a pause.
 */
const promptPlans = 3
const planRestMs = 200

/** The layer got another version since the plan, or another server is changing it. */
class Outdated extends Error {}

/**
 * Edits features of layers, each in its own transaction, with the same protocol and the same locks as loads.
 */
export class Edits {
  readonly #deps: EditsDeps
  readonly #process = randomUUID()
  #later: NodeJS.Timeout | undefined

  constructor(deps: EditsDeps) {
    this.#deps = deps
  }

  /** Returns why the features of a layer cannot be edited, as a text for people; undefined if they can. */
  async whyNot(layer: LayerRecord): Promise<string | undefined> {
    const { catalog } = this.#deps
    const unmanaged = whyNotManaged(layer, 'edit')
    if (unmanaged !== undefined) return unmanaged
    const store = await catalog.layers.storeOf(layer)
    const description = findStoreDescription(store.type)
    if (description === undefined) return 'The layer is a coverage'
    if (!store.isEnabled) return `Its store "${store.name}" is switched off`
    if (!description.can.takesLoads)
      return `The layer is served from a file of format ${store.type}, which is read-only: import it into a GeoPackage or PostGIS store`
    const opened = await catalog.layers.openStoreOf(layer)
    if (opened.edits === undefined) return `Its store "${store.name}" is read-only`
    return opened.edits.whyNot(layer.nativeName)
  }

  /**
   * Edits a feature of a layer for which `whyNot` returns nothing. Throws `Failure` if the table or a value
   * does not allow the edit; nothing changes then.
   */
  async edit(layer: LayerRecord, requestedEdit: RequestedEdit, signal: AbortSignal): Promise<AppliedEdit> {
    const limit = AbortSignal.timeout(patienceMs)
    const either = AbortSignal.any([signal, limit])
    try {
      return await this.#inTurn(layer, either, () => this.#settled(layer, requestedEdit, either))
    } catch (error) {
      if (limit.aborted && !signal.aborted && isEndedBy(error)) throw busy(layer, error)
      throw error
    }
  }

  /**
   * Recovers edits that an earlier process started. Call before any edit or load starts. If other processes
   * use the same database, only edits older than the maximum duration are recovered.
   */
  async start(): Promise<void> {
    const isAlone = this.#deps.database.writes() !== undefined
    await recoverEdits(this.#deps, (record) => isAlone || this.#isOld(record))
    const settleOld = (): void =>
      void recoverEdits(this.#deps, (record) => this.#isOld(record)).catch(() => undefined)
    this.#later = setTimeout(settleOld, longestMs + patienceMs).unref()
  }

  close(): void {
    clearTimeout(this.#later)
  }

  /**
   * True if the edit is older than the maximum duration of an edit, so that no process can still be running
   * it.
   */
  #isOld({ createdAt }: { createdAt: string }): boolean {
    return this.#deps.clock.now().getTime() - Date.parse(createdAt) > longestMs
  }

  /**
   * Runs work under the lock of the table, which loads use too. Some stores have one lock for all their
   * tables.
   */
  async #inTurn<T>(
    { storeId, nativeName }: LayerRecord,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const { catalog, locks } = this.#deps
    const { type } = await catalog.stores.get(storeId)
    const one = findStoreDescription(type)?.can.oneLoadAtATime === true
    return locks.hold(
      `table ${storeId}/${nativeName}`,
      () => (one ? locks.hold(`store ${storeId}`, work, signal) : work()),
      signal,
    )
  }

  /** Recovers earlier edits of this process first, if the catalogue was unreachable. */
  async #settled(layer: LayerRecord, edit: RequestedEdit, signal: AbortSignal): Promise<AppliedEdit> {
    const { storeId, nativeName: table } = layer
    const isOver = (record: OpenEdit): boolean => record.process === this.#process || this.#isOld(record)
    await recoverEdits(this.#deps, isOver, { storeId, table })
    for (let plan = 1; ; plan += 1) {
      try {
        return await this.#attempt(layer, edit, signal)
      } catch (error) {
        if (!(error instanceof Outdated)) throw error
        if (plan >= promptPlans) await sleep(planRestMs, undefined, { signal })
      }
    }
  }

  async #attempt(
    { id, nativeName }: LayerRecord,
    { featureId, user, ...options }: RequestedEdit,
    signal: AbortSignal,
  ): Promise<AppliedEdit> {
    const { catalog, database, pool } = this.#deps
    const layer = await this.#present(id)
    const store = await catalog.stores.get(layer.storeId)
    const { since, isJoined, keep } = await catalog.versions.planEdit(layer, store, user, randomUUID())
    const makesVersion = !isJoined && 'id' in keep
    await catalog.quotas.require(layer.workspace, { bytes: 0, versions: makesVersion ? 1 : undefined })
    const request: EditRequest = {
      editId: randomUUID(),
      table: nativeName,
      featureId,
      envelope: layer.details.envelope,
      keep: 'id' in keep ? { id: keep.id, isBegun: isJoined } : undefined,
    }
    const { editId, table } = request
    const place = { editId, storeId: store.id, table, process: this.#process }
    let record: EditRecord | undefined
    // Errors thrown in a worker thread lose their class, so the `Outdated` error is stored here.
    let outdated: Outdated | undefined
    const begin = async (begun: EditRecord, mark?: string): Promise<void> => {
      outdated = await this.#begin(layer, begun, mark)
      if (outdated !== undefined) throw outdated
      record = begun
    }
    const beforeTouch = async (token: string, mark: string): Promise<void> => {
      await begin({ ...place, token }, mark)
      passStep('edit.touched')
    }
    const beforeCommit = async (token: string, outcome: EditOutcome): Promise<void> => {
      const edit = layerEdit(outcome, { layerId: id, isJoined, since, store, keep, user })
      const whole = { ...place, token, edit }
      await (record === undefined ? begin(whole) : completeEdit(database.kysely, whole))
      record = whole
      passStep('edit.noted')
    }
    const connection = await catalog.stores.connection(store)
    const outcome = await pool
      .edit({ connection, request, edit: options }, { signal, beforeTouch, beforeCommit })
      .catch(async (error: unknown) => {
        if (outdated !== undefined) throw outdated
        if (record !== undefined && (await this.#isDone(record))) throw unsettled(error)
        throw error
      })
    passStep('edit.committed')
    const version = record === undefined ? layer.version : await publishEdit(this.#deps.catalog, record)
    passStep('edit.published')
    return { ...outcome, version }
  }

  /** Returns the current layer after recording changes made outside of Terrane as a version. */
  async #present(id: number): Promise<LayerRecord> {
    const { layers } = this.#deps.catalog
    const found = await layers.findById(id)
    if (found === undefined) throw conflict('layer-gone', 'The layer was deleted meanwhile')
    const { version } = await layers.refreshVersion(found)
    return version === found.version ? found : { ...found, version }
  }

  /**
   * Starts an edit: from here on no cached response of the layer counts as current, and a crash can be
   * recovered. The store blocks other writers meanwhile, so earlier edits of the table on other servers have
   * ended. Returns why the edit cannot start, if so.
   */
  async #begin(layer: LayerRecord, record: EditRecord, mark?: string): Promise<Outdated | undefined> {
    const { catalog, clock, database } = this.#deps
    const { storeId, table, editId } = record
    if ((await listEdits(database.kysely, { storeId, table })).length > 0) {
      await recoverEdits(this.#deps, () => true, { storeId, table })
      return new Outdated('Another server has changed the layer')
    }
    return catalog.transaction(async (change, db) => {
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

interface Planned {
  layerId: number
  isJoined: boolean
  since: string
  store: StoreRecord
  keep: { id: string } | NotRetained
  user: string | undefined
}

function layerEdit(
  { kept, counts, rowsAdded, envelope }: EditOutcome,
  { store, keep, user, ...planned }: Planned,
): LayerEdit {
  return { ...planned, end: endOf(store, kept ?? keep), counts, rowsAdded, user, envelope }
}

function endOf(
  { parameters: { path } }: StoreRecord,
  kept: TableSnapshot | NotRetained | { id: string },
): ContentEnd {
  if ('form' in kept) return { form: 'kept', state: kept, path }
  return { form: 'lost', reason: 'reason' in kept ? kept.reason : 'Its stored contents were removed' }
}

function isEndedBy(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}

function busy({ workspace, name }: LayerRecord, cause: unknown): Failure {
  const text = `"${workspace}:${name}" or its store is locked by another write, such as a load: try again`
  return new Failure('unavailable', 'layer-busy', text, { retryAfterSeconds: 10, cause })
}

function unsettled(cause: unknown): Failure {
  const text = 'The result of the change is not known yet: read the feature again later'
  return new Failure('unavailable', 'edit-unsettled', text, { retryAfterSeconds: 10, cause })
}
