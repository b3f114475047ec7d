import { randomUUID } from 'node:crypto'
import type { Permit } from '../../access/index.ts'
import {
  type Catalog,
  type LayerRecord,
  type RestoredPart,
  type RestorePlan,
  requireManaged,
  restoredParts,
  type StoreRecord,
  type VersionedLayer,
  type VersionRecord,
  type VersionSummary,
} from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import { conflict, explain, Failure } from '../../core/errors/errors.ts'
import type { JobContext, JobHandler, JobPayload, Jobs } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import { LoadCanceled } from '../runtime/runtime.ts'
import type { LoadPool } from '../worker/worker.ts'
import { publishRestore, recoverRestore, unbegun } from './recover-restore.ts'
import type { RestoreRecord } from './restore-rows.ts'
import { deleteRestore, findRestore, insertRestore, listRestores, saveRestore } from './restore-rows.ts'
import type { TableRestore } from './restore-table.ts'
import { restoreTableRows } from './restore-table.ts'

export const restoreJob = 'layer.restore'

interface RestoresDeps {
  /** Decides whether the user of a restore may manage the layer when the restore starts. */
  permit: Permit
  database: Database
  catalog: Catalog
  jobs: Jobs
  locks: ImportLocks
  pool: LoadPool
  clock: Clock
  log: Logger
}

/** A restore request. */
export interface RestoreOptions {
  what: readonly RestoredPart[]
  user?: string
  /** Version that the layer must still have. */
  expected?: number
}

/** Time for which the result of a restore is available to clients that did not wait for it. */
const reportedMs = 86_400_000

/** Restores layers to versions, with the same protocol and the same locks as loads. */
export class Restores {
  readonly #deps: RestoresDeps
  readonly #running = new Map<string, AbortController>()

  constructor(deps: RestoresDeps) {
    this.#deps = deps
  }

  /** Returns the new version of the layer. If `signal` aborts before the commit, nothing is committed. */
  async restore(
    { id: layerId, layer, workspace }: VersionedLayer,
    { version, storeId, content }: VersionSummary,
    { what: requested, ...request }: RestoreOptions,
    signal: AbortSignal,
  ): Promise<number> {
    const { catalog, database, jobs } = this.#deps
    // A layer that was deleted with its data needs them to be restored.
    const what = layer === undefined && content.form !== 'present' ? restoredParts : requested
    const loadId = randomUUID()
    const record: RestoreRecord = { loadId, layerId, storeId, version, what, ...request }
    if (layer !== undefined && what.includes('data')) requireManaged(layer, 'load')
    if (layer?.version === version) throw notRestorable(version, 'it is the current version')
    if (what.includes('data') && content.form === 'lost')
      throw notRestorable(version, content.reason ?? 'its contents were not stored')
    await catalog.quotas.require(workspace, {
      bytes: 0,
      layers: layer === undefined ? 1 : undefined,
      versions: layer === undefined || !what.includes('data') ? undefined : 1,
    })
    const jobId = await database.transaction(async (db) => {
      await insertRestore(db, record, this.#now())
      return jobs.enqueue(db, { kind: restoreJob, key: `restore ${layerId}`, payload: { loadId } })
    })
    passStep('restore.asked')
    jobs.wake()
    try {
      await jobs.wait(jobId, signal)
    } catch (error) {
      if (await jobs.withdraw(jobId)) await deleteRestore(database.kysely, loadId)
      else this.#running.get(loadId)?.abort(new LoadCanceled())
      throw error
    }
    return this.#take(loadId)
  }

  /** Job handler of restores, including those started by an earlier process. */
  get handler(): JobHandler {
    return {
      run: (payload, context) => this.#run(payload, context),
      abandoned: async (payload, reason) => {
        const record = await this.#find(payload)
        // If it is unknown whether the restore committed, the next start of the server finds out.
        if (record === undefined || record.end !== undefined || record.token !== undefined) return
        const end = { kind: 'unavailable', code: 'restore-failed', message: reason } as const
        await this.#save({ ...record, end })
      },
    }
  }

  /**
   * Call before any load starts: publishes restores that an earlier process committed, and removes expired
   * results.
   */
  async settleEarlier(): Promise<void> {
    const oldest = this.#deps.clock.now().getTime() - reportedMs
    for (const { createdAt, ...record } of await listRestores(this.#deps.database.kysely)) {
      const isOld = record.end !== undefined && Date.parse(createdAt) < oldest
      if (isOld) await deleteRestore(this.#deps.database.kysely, record.loadId)
      else if (record.end === undefined && record.token !== undefined)
        await this.#settle(record).catch((error: unknown) =>
          this.#deps.log.warn(
            { err: error, loadId: record.loadId },
            'the result of a restore is not known yet',
          ),
        )
    }
  }

  /** Lists ids of contents that are being retained but that no version refers to yet. */
  async listKeptIds(): Promise<string[]> {
    const restores = await listRestores(this.#deps.database.kysely)
    return restores.flatMap(({ keep }) => (keep !== undefined && 'id' in keep ? [keep.id] : []))
  }

  async #take(loadId: string): Promise<number> {
    const { kysely } = this.#deps.database
    const end = (await findRestore(kysely, loadId))?.end
    if (end === undefined) throw unsettled()
    await deleteRestore(kysely, loadId)
    if ('version' in end) return end.version
    throw new Failure(end.kind, end.code, end.message)
  }

  async #run(payload: JobPayload, { signal: outer }: JobContext): Promise<void> {
    const record = await this.#find(payload)
    if (record === undefined || record.end !== undefined) return
    if (await this.#settle(record)) return
    const abort = new AbortController()
    this.#running.set(record.loadId, abort)
    const signal = AbortSignal.any([outer, abort.signal])
    try {
      await this.#inTurn(record, signal)
    } catch (error) {
      if (outer.aborted) throw error
      await this.#fail(record.loadId, error)
    } finally {
      this.#running.delete(record.loadId)
    }
  }

  /** A restore that failed may still have committed. */
  async #fail(loadId: string, error: unknown): Promise<void> {
    const latest = await this.#find({ loadId })
    if (latest === undefined || (await this.#settle(latest))) return
    const failure = error instanceof Failure ? error : undefined
    if (failure === undefined) this.#deps.log.warn({ err: error, loadId }, 'a layer was not restored')
    const end = {
      kind: failure?.kind ?? 'unavailable',
      code: failure?.code ?? 'restore-failed',
      message: explain(error),
    } as const
    await this.#save({ ...unbegun(latest), end })
  }

  /**
   * Runs under the lock of the table, which loads use too. Some stores have one lock for all their tables.
   */
  async #inTurn(record: RestoreRecord, signal: AbortSignal): Promise<void> {
    const { catalog } = this.#deps
    const { storeId, layerId, version } = record
    const { nativeName, content } = await catalog.versions.getOf(layerId, version)
    const index = content.gone?.index
    if (index !== undefined) return this.#inTurnOf(index.storeId, index.table, record, signal)
    return this.#inTurnOf(storeId, nativeName, record, signal)
  }

  async #inTurnOf(storeId: number, table: string, record: RestoreRecord, signal: AbortSignal): Promise<void> {
    const { catalog, locks } = this.#deps
    const { type } = await catalog.stores.getOrGone(storeId)
    const work = () => this.#work(record, signal)
    const one = findStoreDescription(type)?.can.oneLoadAtATime === true
    await locks.hold(
      `table ${storeId}/${table}`,
      () => (one ? locks.hold(`store ${storeId}`, work, signal) : work()),
      signal,
    )
  }

  async #work(record: RestoreRecord, signal: AbortSignal): Promise<void> {
    const { catalog, pool } = this.#deps
    const layer = await this.#present(record)
    const version = await catalog.versions.getOf(record.layerId, record.version)
    await this.#requirePermit(record.user, layer ?? version)
    const way = record.what.includes('data') ? await catalog.versions.wayBack(version) : undefined
    if (way?.kind === 'none') throw notRestorable(record.version, way.reason)
    const rows = way && rowsOf(version, way)
    if (rows === undefined) return publishRestore(this.#deps, record, way)
    const store = await catalog.stores.get(rows.storeId)
    await this.#refuseTakenTable(layer, store, rows.table)
    const needs = { catalog, pool, save: (one: RestoreRecord) => this.#save(one) }
    const table = { record, store, ...rows, newId: randomUUID, layer }
    await publishRestore(this.#deps, await restoreTableRows(needs, table, signal), way)
  }

  /** Throws if the user who started the restore may not manage the layer now. The server itself has no user. */
  async #requirePermit(
    user: string | undefined,
    { workspace, name }: Pick<LayerRecord, 'workspace' | 'name'>,
  ): Promise<void> {
    const resource = { workspace, name, isPublic: false }
    if (user === undefined || (await this.#deps.permit(user, 'manage', resource))) return
    throw new Failure(
      'forbidden',
      'not-allowed',
      `User "${user}" needs the right "manage" for layer "${workspace}:${name}"`,
    )
  }

  /**
   * Returns the current layer after recording changes made outside of Terrane as a version; undefined for a
   * deleted layer.
   */
  async #present({ layerId, expected }: RestoreRecord) {
    const { catalog } = this.#deps
    const found = await catalog.layers.findById(layerId)
    if (found === undefined) return undefined
    const { version } = await catalog.layers.refreshVersion(found)
    if (expected === undefined || expected === version) return found
    throw new Failure(
      'precondition',
      'changed-meanwhile',
      'If-Match does not match the current state, which was changed meanwhile: read it again',
    )
  }

  /** Throws if another client has created a table of that name in the meantime. */
  async #refuseTakenTable(
    present: LayerRecord | undefined,
    store: StoreRecord,
    table: string,
  ): Promise<void> {
    if (present !== undefined) return
    const opened = await this.#deps.catalog.stores.open(store)
    if ((await opened.findTable(table)) === undefined) return
    throw conflict(
      'table-exists',
      `Store "${store.name}" has another table "${table}" now: delete its layer first (it can be restored later), or download the version and import it under another name`,
    )
  }

  /** Returns true if the restore is complete. */
  async #settle(record: RestoreRecord): Promise<boolean> {
    if (await recoverRestore(this.#deps, record)) return true
    if (record.table !== undefined) await this.#save(unbegun(record))
    return false
  }

  async #find({ loadId }: JobPayload): Promise<RestoreRecord | undefined> {
    return findRestore(this.#deps.database.kysely, String(loadId))
  }

  #save(record: RestoreRecord): Promise<void> {
    return saveRestore(this.#deps.database.kysely, record)
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}

/**
 * Returns the table whose rows must be restored: that of the layer, or that of the granules of a deleted
 * mosaic.
 */
function rowsOf(
  { storeId, nativeName, content: { gone } }: VersionRecord,
  way: RestorePlan,
): (Pick<TableRestore, 'table' | 'path'> & { storeId: number }) | undefined {
  if (way.kind === 'table') return { storeId, table: nativeName, path: way.path }
  const index = way.kind === 'files' ? gone?.index : undefined
  return index && { storeId: index.storeId, table: index.table, path: [index.state] }
}

function unsettled(): Failure {
  const text =
    'The store does not respond: the server checks whether the layer was restored as soon as the store responds'
  return new Failure('unavailable', 'restore-unsettled', text, { retryAfterSeconds: 60 })
}

function notRestorable(version: number, reason: string): Failure {
  return conflict('not-restorable', `Version ${version} cannot be restored: ${reason}`)
}
