import { createHash } from 'node:crypto'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { conflict, explain, Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { FormatError } from '../../formats/worker.ts'
import type { KeyCandidates, KeyProposal, TaskRecord } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { findImport, findTask, saveTaskAndPublish } from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { Running, TaskTypes } from '../task-types/task-types.ts'
import { stampSource } from '../task-types/task-types.ts'
import type { RowsPlan, WorkLocation } from '../worker/open-rows.ts'
import { needsOwnProcess } from '../worker/worker.ts'
import type { KeySearchRequest, KeySearchResult, KeyTarget } from './find-keys.ts'
import { explainMissing, toProposal } from './key-evidence.ts'
import type { KeysWork } from './keys-work.ts'

interface KeyDeps {
  records: Keeping
  kinds: Pick<TaskTypes, 'of'>
  locks: ImportLocks
  folders: { stores: string }
  log: Pick<Logger, 'warn'>
  /** Called when a thread or process died, or was terminated. */
  onEnd(error: Error): void
}

type Pool = WorkPool<KeysWork>

const file = new URL('./keys-work.ts', import.meta.url)
/**
 * Maximum number of concurrent searches. A search reads all rows of data and layer; a limit leaves CPU time
 * to loads.
 */
const searches = 1
const keepMs = 10_000
const maxQueued = 100
const maxHeapMb = 512
/** Maximum CPU time of a search. */
const deadlineMs = 600_000
/** Maximum time for finding the target table in the store, in milliseconds. */
const planMs = 120_000
/** A search continues after its client has disconnected. */
const endless = new AbortController().signal
const unwatchedMs = 600_000
/** Maximum wait of a run for a search whose result is only reported, in milliseconds. */
const explainMs = 60_000

/** One search, shared by all callers with the same request. */
interface Search {
  result: Promise<KeyCandidates>
  waiting: number
  abort: AbortController
}

/** Finds columns that identify rows in both data and layer, for `UPSERT`. */
export class KeyFinder {
  readonly #deps: KeyDeps
  readonly #threads: Pool
  readonly #processes: Pool
  /** By import, task, and request. */
  readonly #searches = new Map<string, Search>()

  constructor(deps: KeyDeps) {
    this.#deps = deps
    const location = (isProcess: boolean): WorkLocation => ({ isProcess, ownFolder: deps.folders.stores })
    const common = {
      limit: searches,
      surplusMs: keepMs,
      maxWaiting: { count: maxQueued, refuse: tooBusy },
      onEnd: deps.onEnd,
    }
    this.#threads = new WorkPool<KeysWork>({
      ...common,
      start: (events) => startThread(file, { ...events, data: location(false) }),
    })
    this.#processes = new WorkPool<KeysWork>({
      ...common,
      start: (events) => startProcess(file, { ...events, maxHeapMb, data: location(true) }),
    })
  }

  /**
   * Searches key proposals for a task, stores them on the task and waits at most the given time. A longer
   * search continues, and the next call gets its result. Returns undefined on timeout and an empty list if
   * there is nothing to match rows with.
   */
  async propose(
    running: Running,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<readonly KeyProposal[] | undefined> {
    const work = this.#findAndKeep(running)
    work.catch(() => undefined)
    const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    try {
      return await orAborted(work, patience)
    } catch (error) {
      signal.throwIfAborted()
      if (patience.aborted) return undefined
      throw error instanceof FormatError
        ? conflict('unreadable-data', explain(error), { cause: error })
        : error
    }
  }

  async #findAndKeep({ record, task }: Running): Promise<readonly KeyProposal[]> {
    const found = await this.#find({ record, task }, endless)
    if (found !== undefined && found.basis !== task.foundKeys?.basis)
      await this.#keep(task, found).catch((error: unknown) => this.#warn(error, task))
    return found?.proposals ?? []
  }

  /** Returns undefined if there is no table to match rows with. */
  async #find(running: Running, signal: AbortSignal): Promise<KeyCandidates | undefined> {
    const { task } = running
    const planned = await this.#plan(running, AbortSignal.any([signal, AbortSignal.timeout(planMs)]))
    if (planned === undefined) return undefined
    const { basis, request } = planned
    if (task.foundKeys?.basis === basis) return task.foundKeys
    return this.#join(`${task.importId}/${task.id}/${basis}`, signal, async (own) => {
      const found = await this.#search(request, own)
      return { basis, proposals: found.map(toProposal) }
    })
  }

  /** Adds usable keys to the message of a task that cannot run without keys. */
  async explain({ record, task }: Running, signal: AbortSignal): Promise<TaskRecord> {
    if (task.errorCode !== 'no-keys') return task
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(explainMs)])
      const foundKeys = await this.#find({ record, task }, limit)
      if (foundKeys === undefined) return task
      return { ...task, foundKeys, errorMessage: explainMissing(task, foundKeys.proposals) }
    } catch (error) {
      signal.throwIfAborted()
      this.#warn(error, task)
      return task
    }
  }

  /** Cancels searches of an import, or of one of its tasks. */
  drop(importId: number, taskId?: number): void {
    const prefix = taskId === undefined ? `${importId}/` : `${importId}/${taskId}/`
    for (const [key, { abort }] of this.#searches)
      if (key.startsWith(prefix)) abort.abort(new Error('The task was changed'))
  }

  async close(): Promise<void> {
    await Promise.all([this.#threads.close(), this.#processes.close()])
  }

  #warn(error: unknown, { importId, id: taskId }: TaskRecord): void {
    this.#deps.log.warn({ err: error, importId, taskId }, 'key columns could not be searched or stored')
  }

  async #plan(
    running: Running,
    signal: AbortSignal,
  ): Promise<{ request: KeySearchRequest; basis: string } | undefined> {
    const { task } = running
    if (task.source === undefined || task.state === 'COMPLETE') return undefined
    const kind = this.#deps.kinds.of(task)
    const target = await kind.findTable(running, signal)
    if (target === undefined) return undefined
    const { schema: _schema, ...rows } = await kind.rows(running)
    const plan: RowsPlan = { ...rows, srs: task.layer?.srs }
    const { connection, table, version } = target
    const request = { plan, target: { connection, table } satisfies KeyTarget }
    // Databases and tables outside of layers do not report changes, so their results expire.
    const period = Math.floor(this.#deps.records.clock.now().getTime() / unwatchedMs)
    return { request, basis: digest([request, version ?? period, (await stampSource(task)) ?? period]) }
  }

  async #join(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<KeyCandidates>,
  ): Promise<KeyCandidates> {
    const known = this.#searches.get(key)
    const search = known ?? this.#begin(key, work)
    search.waiting += 1
    try {
      return await orAborted(search.result, signal)
    } finally {
      search.waiting -= 1
      if (search.waiting === 0) search.abort.abort(new Error('All callers have cancelled'))
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<KeyCandidates>): Search {
    const abort = new AbortController()
    const result = work(abort.signal).finally(() => this.#searches.delete(key))
    result.catch(() => undefined)
    const search = { result, waiting: 0, abort }
    this.#searches.set(key, search)
    return search
  }

  /**
   * Tries a worker thread first. The thread refuses formats that must run in a process, before it reads
   * anything.
   */
  async #search(request: KeySearchRequest, signal: AbortSignal): Promise<KeySearchResult[]> {
    const limits = { signal, deadlineMs }
    try {
      return await this.#threads.call('find', request, limits)
    } catch (error) {
      if (!needsOwnProcess(error)) throw error
      return this.#processes.call('find', request, limits)
    }
  }

  /** Stores the found keys if the task has not changed since the search started. */
  async #keep({ importId, id }: TaskRecord, foundKeys: KeyCandidates): Promise<void> {
    const { records, locks } = this.#deps
    const db = records.database.kysely
    await locks.ofImport(importId, async () => {
      const record = await findImport(db, importId)
      const task = await findTask(db, importId, id)
      // A run owns its task as soon as it is queued. Saving the task here would make the run fail.
      if (record === undefined || task === undefined || task.run !== undefined) return
      const planned = await this.#plan({ record, task }, AbortSignal.timeout(keepMs))
      if (planned?.basis === foundKeys.basis) await saveTaskAndPublish(records, db, { ...task, foundKeys })
    })
  }
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
  return createHash('sha256').update(text).digest('base64url')
}

function tooBusy(): Failure {
  return new Failure(
    'unavailable',
    'too-busy',
    'Too many requests are waiting for the search of keys: try again soon',
  )
}

export { requireKnownKeys } from './require-keys.ts'
