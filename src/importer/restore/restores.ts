import { randomUUID } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import type {
  RestoredPart,
  ToldVersion,
  VersionedLayer,
  VersionRecord,
  WayBack,
} from '../../catalog/doors/versions.ts'
import { restoredParts } from '../../catalog/doors/versions.ts'
import type { LayerRecord, StoreRecord } from '../../catalog/records.ts'
import type { Database } from '../../db/connection.ts'
import type { JobContext, JobHandler, JobPayload, Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { defined } from '../../lib/defined.ts'
import { conflict, explain, Failure } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ImportLocks } from '../live/live.ts'
import { LoadCanceled } from '../live/live.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { RestoreRecord } from './restore-rows.ts'
import { deleteRestore, findRestore, insertRestore, listRestores, saveRestore } from './restore-rows.ts'
import type { TableRestore } from './restore-table.ts'
import { restoreRows } from './restore-table.ts'
import { publishRestore, settleRestore, unbegun } from './settle-restore.ts'

export const restoreJob = 'layer.restore'

interface RestoreNeeds {
  database: Database
  catalog: Catalog
  jobs: Jobs
  locks: ImportLocks
  pool: LoadPool
  clock: Clock
  log: Logger
}

/** What is asked for. */
export interface RestoreWish {
  what: readonly RestoredPart[]
  user?: string
  /** The version that the layer has to have still. */
  expected?: number
}

/** How long what became of a restore is told to who did not wait for it. */
const toldMs = 86_400_000

/** Brings layers back to versions, by the same protocol and in the same turns as loads. */
export class Restores {
  readonly #needs: RestoreNeeds
  readonly #running = new Map<string, AbortController>()

  constructor(needs: RestoreNeeds) {
    this.#needs = needs
  }

  /** The new version, when the layer has it. Where `signal` aborts, what did not commit yet does not. */
  async restore(
    { id: layerId, layer }: VersionedLayer,
    { version, storeId, content }: ToldVersion,
    { what: wanted, ...wish }: RestoreWish,
    signal: AbortSignal,
  ): Promise<number> {
    const { database, jobs } = this.#needs
    // A layer that was deleted with its data is nothing without them.
    const what = layer === undefined && content.form !== 'present' ? restoredParts : wanted
    const loadId = randomUUID()
    const record: RestoreRecord = { loadId, layerId, storeId, version, what, ...wish }
    if (layer?.version === version) throw notRestorable(version, 'it is what the layer is now')
    if (what.includes('data') && content.form === 'lost')
      throw notRestorable(version, content.reason ?? 'nothing was kept of it')
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

  /** What does the work, also where an earlier process has begun it. */
  get handler(): JobHandler {
    return {
      run: (payload, context) => this.#run(payload, context),
      abandoned: async (payload, reason) => {
        const record = await this.#find(payload)
        // Where nobody knows whether it committed, a later start finds out.
        if (record === undefined || record.end !== undefined || record.token !== undefined) return
        const end = { kind: 'unavailable', code: 'restore-failed', message: reason } as const
        await this.#save({ ...record, end })
      },
    }
  }

  /** Before any load begins: ends what an earlier process has committed, and removes what nobody asks for any more. */
  async settleEarlier(): Promise<void> {
    const oldest = this.#needs.clock.now().getTime() - toldMs
    for (const { createdAt, ...record } of await listRestores(this.#needs.database.kysely)) {
      const isOld = record.end !== undefined && Date.parse(createdAt) < oldest
      if (isOld) await deleteRestore(this.#needs.database.kysely, record.loadId)
      else if (record.end === undefined && record.token !== undefined)
        await this.#settle(record).catch((error: unknown) =>
          this.#needs.log.warn({ err: error, loadId: record.loadId }, 'how a restore ended is not known yet'),
        )
    }
  }

  /** Ids under which something is being kept of which no version tells yet. */
  async listKeptIds(): Promise<string[]> {
    const restores = await listRestores(this.#needs.database.kysely)
    return restores.flatMap(({ keep }) => (keep !== undefined && 'id' in keep ? [keep.id] : []))
  }

  async #take(loadId: string): Promise<number> {
    const { kysely } = this.#needs.database
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

  /** What failed may have committed all the same. */
  async #fail(loadId: string, error: unknown): Promise<void> {
    const latest = await this.#find({ loadId })
    if (latest === undefined || (await this.#settle(latest))) return
    const failure = error instanceof Failure ? error : undefined
    if (failure === undefined) this.#needs.log.warn({ err: error, loadId }, 'a layer was not brought back')
    const end = {
      kind: failure?.kind ?? 'unavailable',
      code: failure?.code ?? 'restore-failed',
      message: explain(error),
    } as const
    await this.#save({ ...unbegun(latest), end })
  }

  /** One at a time works on a table, loads too; some stores take one at a time in all. */
  async #inTurn(record: RestoreRecord, signal: AbortSignal): Promise<void> {
    const { catalog } = this.#needs
    const { storeId, layerId, version } = record
    const { nativeName, content } = await catalog.versions.getOf(layerId, version)
    const index = content.gone?.index
    if (index !== undefined) return this.#inTurnOf(index.storeId, index.table, record, signal)
    return this.#inTurnOf(storeId, nativeName, record, signal)
  }

  async #inTurnOf(storeId: number, table: string, record: RestoreRecord, signal: AbortSignal): Promise<void> {
    const { catalog, locks } = this.#needs
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
    const { catalog, pool } = this.#needs
    const layer = await this.#present(record)
    const version = await catalog.versions.getOf(record.layerId, record.version)
    const way = record.what.includes('data') ? await catalog.versions.wayBack(version) : undefined
    if (way?.kind === 'none') throw notRestorable(record.version, way.reason)
    const rows = way && rowsOf(version, way)
    if (rows === undefined) return publishRestore(this.#needs, record, way)
    const store = await catalog.stores.get(rows.storeId)
    await this.#refuseTakenTable(layer, store, rows.table)
    const needs = { catalog, pool, save: (one: RestoreRecord) => this.#save(one) }
    const table = { record, store, ...rows, newId: randomUUID, ...defined({ layer }) }
    await publishRestore(this.#needs, await restoreRows(needs, table, signal), way)
  }

  /** The layer as it is now, with what others have changed told before; undefined of a deleted one. */
  async #present({ layerId, expected }: RestoreRecord) {
    const { catalog } = this.#needs
    const found = await catalog.layers.findById(layerId)
    if (found === undefined) return undefined
    const { version } = await catalog.layers.refreshVersion(found)
    if (expected === undefined || expected === version) return found
    throw new Failure(
      'precondition',
      'changed-meanwhile',
      'If-Match does not name the present state: it was changed meanwhile, read it again',
    )
  }

  /** A table of that name that others made meanwhile is theirs. */
  async #refuseTakenTable(
    present: LayerRecord | undefined,
    store: StoreRecord,
    table: string,
  ): Promise<void> {
    if (present !== undefined) return
    const opened = await this.#needs.catalog.stores.open(store)
    if ((await opened.findTable(table)) === undefined) return
    throw conflict(
      'table-exists',
      `There is another table "${table}" in store "${store.name}" now: delete its layer first (it can be taken back as well), or download the version and import it under another name`,
    )
  }

  /** True where the restore is done. */
  async #settle(record: RestoreRecord): Promise<boolean> {
    if (await settleRestore(this.#needs, record)) return true
    if (record.table !== undefined) await this.#save(unbegun(record))
    return false
  }

  async #find({ loadId }: JobPayload): Promise<RestoreRecord | undefined> {
    return findRestore(this.#needs.database.kysely, String(loadId))
  }

  #save(record: RestoreRecord): Promise<void> {
    return saveRestore(this.#needs.database.kysely, record)
  }

  #now(): string {
    return this.#needs.clock.now().toISOString()
  }
}

/** The table whose rows have to come back: the layer's, or that of the granules of a mosaic which was deleted. */
function rowsOf(
  { storeId, nativeName, content: { gone } }: VersionRecord,
  way: WayBack,
): (Pick<TableRestore, 'table' | 'path'> & { storeId: number }) | undefined {
  if (way.kind === 'table') return { storeId, table: nativeName, path: way.path }
  const index = way.kind === 'files' ? gone?.index : undefined
  return index && { storeId: index.storeId, table: index.table, path: [index.state] }
}

function unsettled(): Failure {
  const text = 'The store does not answer: whether the layer was brought back is found out as soon as it does'
  return new Failure('unavailable', 'restore-unsettled', text, { retryAfterSeconds: 60 })
}

function notRestorable(version: number, reason: string): Failure {
  return conflict('not-restorable', `Version ${version} cannot be brought back: ${reason}`)
}
