import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalog, type FeatureLock, type LayerRecord, whyNotManaged } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { conflict, Failure, invalid } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { TableEdit } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { FeatureEditRequest, FeatureOutcome, LoadPool } from '../worker/worker.ts'
import type { OpenEdit } from './edit-rows.ts'
import { OpenEdits, Outdated } from './open-edits.ts'
import { recoverEdits } from './recover-edits.ts'

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

/** A request to edit one feature. */
export interface RequestedEdit extends FeatureEditRequest {
  /** Absent to add a feature. */
  featureId?: string
  user?: string
}

/** An edit of a transaction. */
export interface PlannedEdit extends FeatureEditRequest {
  /** Index of its layer. */
  layer: number
  /** Absent to add a feature. */
  featureId?: string
}

/** Edits of layers of one store, which are all made or none. */
export interface EditTransaction {
  layers: readonly LayerRecord[]
  /** Returns the edits, in their order. Called again if one of the layers was changed meanwhile. */
  plan(layers: readonly LayerRecord[], signal: AbortSignal): Promise<readonly PlannedEdit[]>
  /** Returns whether a locked feature may be edited. */
  mayEdit(lock: FeatureLock): boolean
  user?: string
}

/** The result of an edit. */
export interface AppliedEdit extends FeatureOutcome {
  /** Index of its layer. */
  layer: number
  /** Version of the layer, if known. */
  version?: number
}

/** Maximum wait of an edit for loads and other writers, in milliseconds. */
const patienceMs = 30_000
/** Maximum wait and work of a transaction of several edits, in milliseconds. */
const transactionMs = 90_000
/** Maximum duration of an edit, in milliseconds. */
const longestMs = 120_000
/**
 * If the layer got a new version in the meantime, the edit is planned again: the first times immediately,
 * then after a pause.
 */
const promptPlans = 3
const planRestMs = 200

/**
 * Edits features of layers, each request in one transaction of the store, with the same protocol and the same
 * locks as loads.
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
   * Edits a feature of a layer for which `whyNot` returns nothing. Throws `Failure` if the table, a value or
   * a lock of another user does not allow the edit; nothing changes then.
   */
  async edit(layer: LayerRecord, requestedEdit: RequestedEdit, signal: AbortSignal): Promise<AppliedEdit> {
    const { user, ...edit } = requestedEdit
    const transaction = {
      layers: [layer],
      plan: async () => [{ layer: 0, ...edit }],
      mayEdit: (lock: FeatureLock) => lock.user === user,
      user,
    }
    const [applied] = await this.#run(transaction, patienceMs, signal)
    if (applied === undefined) throw new Error('The edit has no result')
    return applied
  }

  /**
   * Makes all edits of a transaction or none. Throws `Failure` if one of them is not possible; `failedEdit`
   * returns its index.
   */
  editAll(transaction: EditTransaction, signal: AbortSignal): Promise<AppliedEdit[]> {
    return this.#run(transaction, transactionMs, signal)
  }

  /** Runs work while no edit and no load of this server changes the tables of layers. */
  hold<T>(layers: readonly LayerRecord[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(layers, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]), work)
  }

  async #run(transaction: EditTransaction, limitMs: number, signal: AbortSignal): Promise<AppliedEdit[]> {
    const layers = oneStoreOf(transaction.layers)
    const limit = AbortSignal.timeout(limitMs)
    const either = AbortSignal.any([signal, limit])
    try {
      return await this.#inTurn(layers, either, () => this.#settled(transaction, either))
    } catch (error) {
      const [first] = layers
      if (limit.aborted && !signal.aborted && isEndedBy(error) && first !== undefined)
        throw busy(first, error)
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
   * Runs work under the locks of the tables, which loads use too. Some stores have one lock for all their
   * tables.
   */
  async #inTurn<T>(layers: readonly LayerRecord[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { catalog, locks } = this.#deps
    const tables = layers.map(({ storeId, nativeName }) => `table ${storeId}/${nativeName}`)
    const keys = [...new Set(tables)].sort()
    for (const storeId of [...new Set(layers.map((layer) => layer.storeId))].sort((a, b) => a - b)) {
      const { type } = await catalog.stores.get(storeId)
      if (findStoreDescription(type)?.can.oneLoadAtATime === true) keys.push(`store ${storeId}`)
    }
    const held = keys.reduceRight<() => Promise<T>>(
      (inner, key) => () => locks.hold(key, inner, signal),
      work,
    )
    return held()
  }

  /** Recovers earlier edits of this process first, if the catalogue was unreachable. */
  async #settled(transaction: EditTransaction, signal: AbortSignal): Promise<AppliedEdit[]> {
    const isOver = (record: OpenEdit): boolean => record.process === this.#process || this.#isOld(record)
    for (const { storeId, nativeName: table } of transaction.layers)
      await recoverEdits(this.#deps, isOver, { storeId, table })
    for (let plan = 1; ; plan += 1) {
      try {
        return await this.#attempt(transaction, signal)
      } catch (error) {
        if (!(error instanceof Outdated)) throw error
        if (plan >= promptPlans) await sleep(planRestMs, undefined, { signal })
      }
    }
  }

  async #attempt(transaction: EditTransaction, signal: AbortSignal): Promise<AppliedEdit[]> {
    const { catalog, pool } = this.#deps
    const layers: LayerRecord[] = []
    for (const { id } of transaction.layers) layers.push(await this.#present(id))
    const planned = await transaction.plan(layers, signal)
    const [first] = layers
    if (first === undefined || planned.length === 0) return []
    const store = await catalog.stores.get(first.storeId)
    const open = new OpenEdits(this.#deps, this.#process, transaction)
    const tables: TableEdit[] = []
    for (const layer of layers) tables.push(await open.plan(layer, store, planned, tables.length))
    const edits = planned.map(({ layer, featureId, ...edit }) => edit)
    const request = { tables, edits: planned.map(({ layer, featureId }) => ({ table: layer, featureId })) }
    const connection = await catalog.stores.connection(store)
    const outcome = await pool
      .edit(
        { connection, request, edits },
        {
          signal,
          beforeTouch: (table, token, mark) => open.touch(table, token, mark),
          beforeCommit: (made) => open.complete(made),
        },
      )
      .catch((error: unknown) => open.fail(error))
    passStep('edit.committed')
    const versions = await open.publish()
    passStep('edit.published')
    return outcome.features.map((feature, index) => {
      const layer = planned[index]?.layer ?? 0
      return { ...feature, layer, version: versions.get(layer) ?? layers[layer]?.version }
    })
  }

  /** Returns the current layer after recording changes made outside of Terrane as a version. */
  async #present(id: number): Promise<LayerRecord> {
    const { layers } = this.#deps.catalog
    const found = await layers.findById(id)
    if (found === undefined) throw conflict('layer-gone', 'The layer was deleted meanwhile')
    const { version } = await layers.refreshVersion(found)
    return version === found.version ? found : { ...found, version }
  }
}

/** Returns the layers. Throws `Failure` unless one transaction of one store can edit them. */
function oneStoreOf(layers: readonly LayerRecord[]): readonly LayerRecord[] {
  const [first, ...others] = layers
  const strange = others.find(({ storeId }) => storeId !== first?.storeId)
  if (first !== undefined && strange !== undefined)
    throw invalid(
      'several-stores',
      `"${textOf(first)}" and "${textOf(strange)}" are in different stores, which have no common transaction: edit them by separate requests`,
    )
  const tables = new Map<string, LayerRecord>()
  for (const layer of layers) {
    const same = tables.get(layer.nativeName)
    if (same !== undefined)
      throw invalid(
        'same-table',
        `"${textOf(same)}" and "${textOf(layer)}" show the same table: edit one of them`,
      )
    tables.set(layer.nativeName, layer)
  }
  return layers
}

function textOf({ workspace, name }: LayerRecord): string {
  return `${workspace}:${name}`
}

function isEndedBy(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}

function busy(layer: LayerRecord, cause: unknown): Failure {
  const text = `"${textOf(layer)}" or its store is locked by another write, such as a load: try again`
  return new Failure('unavailable', 'layer-busy', text, { retryAfterSeconds: 10, cause })
}
