import { setTimeout } from 'node:timers/promises'
import type { Database } from '../core/db/connection.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Clock } from '../core/time/clock.ts'
import type { EntryFilter } from './audit-repository.ts'
import { insertEntries, listEntries } from './audit-repository.ts'
import type { AuditEntry, StoredEntry } from './records.ts'
import { hasSeal } from './seal-repository.ts'

const maxQueued = 20_000
const batchSize = 100
const retryMs = 2_000
/** Maximum time that `stop` waits for a database that does not accept the last entries. */
const stopMs = 5_000
const stopRetryMs = 200

export interface AuditLogDeps {
  database: Database
  clock: Clock
  log: Logger
  /** Also passes each entry to another receiver, such as a syslog server. */
  forward?(entry: AuditEntry): void
}

/** An entry, or one whose state is still being read. */
export type PendingEntry = AuditEntry | Promise<AuditEntry>

/** The audit log. `record` only queues: one writer appends the entries in order. */
export class AuditLog {
  readonly #deps: AuditLogDeps
  readonly #queue: PendingEntry[] = []
  #dropped = 0
  #writing: Promise<void> | undefined
  #retry: Promise<void> | undefined
  #isStopped = false

  constructor(deps: AuditLogDeps) {
    this.#deps = deps
  }

  /** Number of entries that were dropped since the start because the queue was full. */
  dropped = 0

  /** Queues an entry without waiting. A full queue drops it, which is counted, logged and recorded. */
  record(entry: PendingEntry): void {
    if (this.#queue.length >= maxQueued) {
      this.#drop(1, 'the queue of the audit log is full')
      return
    }
    this.#queue.push(entry)
    this.#start()
  }

  /** Waits until all entries queued so far are written, or the database refuses them. */
  async flush(): Promise<void> {
    this.#start()
    await this.#writing
  }

  /** Lists written entries, the newest first. */
  async list(filter: EntryFilter, limit: number): Promise<StoredEntry[]> {
    await this.flush()
    return listEntries(this.#deps.database.kysely, filter, limit)
  }

  /**
   * Writes the queued entries. Those that the database does not accept within five seconds are logged and
   * dropped.
   */
  async stop(): Promise<void> {
    const end = Date.now() + stopMs
    while (this.#queue.length > 0 && Date.now() < end) {
      await this.flush()
      if (this.#queue.length > 0) await setTimeout(stopRetryMs)
    }
    this.#isStopped = true
    await this.#writing
    if (this.#queue.length > 0) this.#drop(this.#queue.splice(0).length, 'the database did not take them')
  }

  #drop(count: number, reason: string): void {
    this.dropped += count
    this.#dropped += count
    this.#deps.log.error({ dropped: count, total: this.dropped }, `audit entries were dropped: ${reason}`)
  }

  #start(): void {
    if (this.#writing !== undefined || this.#queue.length === 0 || this.#isStopped) return
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  async #write(): Promise<void> {
    const { log, forward } = this.#deps
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchSize)
      const entries = (await Promise.all(batch.map(settled(log)))).filter((one) => one !== undefined)
      try {
        await this.#insert(entries)
      } catch (error) {
        log.error({ err: error, queued: this.#queue.length }, 'audit entries are not written yet')
        this.#retry ??= setTimeout(retryMs, undefined, { ref: false }).then(() => {
          this.#retry = undefined
          this.#start()
        })
        return
      }
      this.#queue.splice(0, batch.length)
      for (const entry of entries) forward?.(entry)
    }
  }

  /** Adds entries to the day on which they are written: that day has no seal yet. */
  async #insert(entries: AuditEntry[]): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now().toISOString()
    const dropped = this.#dropped
    const all = dropped === 0 ? entries : [...entries, droppedEntry(now, dropped)]
    await database.transaction(async (db) => {
      const day = now.slice(0, 10)
      if (await hasSeal(db, day)) throw new Error(`The day ${day} is sealed already: the clock was set back`)
      await insertEntries(db, day, all)
    })
    this.#dropped -= dropped
  }
}

/** Skips and logs an entry whose state cannot be read, so that the others are written. */
function settled(log: Logger): (entry: PendingEntry) => Promise<AuditEntry | undefined> {
  return async (entry) => {
    try {
      return await entry
    } catch (error) {
      log.error({ err: error }, 'an audit entry could not be made')
      return undefined
    }
  }
}

function droppedEntry(time: string, count: number): AuditEntry {
  return {
    time,
    user: undefined,
    via: 'system',
    address: undefined,
    action: 'audit.dropped',
    outcome: 'failed',
    resource: undefined,
    before: undefined,
    after: JSON.stringify({ entries: count }),
    request: undefined,
  }
}
