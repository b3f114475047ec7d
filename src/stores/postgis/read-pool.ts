import type { Pool, PoolClient } from 'pg'
import { Failure } from '../../core/errors/errors.ts'
import { clientOptions, requireResponse } from '../../core/postgres/client.ts'
import { connectionFailure, statementFailure } from '../../core/postgres/errors.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { prepareSession } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import type { Workers } from './reading-workers.ts'
import { setWorkers } from './reading-workers.ts'
import { endProcesses, processIdOf } from './session.ts'

const usualConnections = 4
const statementTimeoutMs = 60_000
/** Wait for the lock of another session: longer waits would occupy the connections that other tables need. */
const lockTimeoutMs = 2000

/** A borrowed connection; the caller must call `release`. */
export interface ConnectionLease {
  client: PoolClient
  release(): void
}

/** A small pool of read connections, opened on demand, closed when idle. Loads have their own. */
export class ReadPool {
  readonly #settings: ConnectionSettings
  readonly #maxConnections: number
  /** Callers wait here, not in the driver, which would report a long wait as a connection failure. */
  #leases: WorkQueue
  /** Number of leases with a connection. */
  #connected = 0
  #pool: Promise<Pool> | undefined
  #isClosed = false
  readonly #prepared = new WeakSet<PoolClient>()

  constructor(settings: ConnectionSettings, { maxConnections = usualConnections } = {}) {
    this.#settings = settings
    this.#maxConnections = maxConnections
    this.#leases = new WorkQueue({ limit: maxConnections })
  }

  /** Waits for a connection. Aborting `signal` cancels its query and closes the connection. */
  async lease(signal?: AbortSignal, workers: Workers = 'usual'): Promise<ConnectionLease> {
    const leave = await this.#leases.enter({ signal })
    const client = await this.#connect(workers).catch((error: unknown) => {
      leave()
      this.#refuseWaiting(error)
      throw error
    })
    this.#connected += 1
    const onError = (): void => {}
    client.on('error', onError)
    let isCut = false
    const onAbort = (): void => {
      isCut = true
      void this.#cut(client)
    }
    signal?.addEventListener('abort', onAbort)
    return {
      client,
      release: () => {
        signal?.removeEventListener('abort', onAbort)
        client.off('error', onError)
        client.release(isCut)
        this.#connected -= 1
        leave()
      },
    }
  }

  async use<Result>(
    work: (client: PoolClient) => Promise<Result>,
    signal?: AbortSignal,
    workers?: Workers,
  ): Promise<Result> {
    const lease = await this.lease(signal, workers)
    try {
      return await work(lease.client)
    } catch (error) {
      signal?.throwIfAborted()
      throw statementFailure(error, 'reading')
    } finally {
      lease.release()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const pool = await this.#pool
    await pool?.end()
  }

  /** If no connection can be opened, all waiting callers get the same error at once. */
  #refuseWaiting(error: unknown): void {
    if (this.#connected > 0) return
    const leases = this.#leases
    this.#leases = new WorkQueue({ limit: this.#maxConnections })
    leases.close(error)
  }

  async #open(): Promise<Pool> {
    const { Pool } = await import('pg')
    const { GuardedClient } = await import('../../core/postgres/guarded-client.ts')
    const pool = new Pool({
      ...clientOptions(this.#settings, 'terrane'),
      Client: GuardedClient,
      max: this.#maxConnections,
      idleTimeoutMillis: 10_000,
      allowExitOnIdle: true,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
    })
    // Broken idle connections are replaced at the next use.
    pool.on('error', () => {})
    return pool
  }

  async #connect(workers: Workers): Promise<PoolClient> {
    let client: PoolClient | undefined
    try {
      if (this.#isClosed) throw new Error('The connections are closed')
      this.#pool ??= this.#open()
      client = await (await this.#pool).connect()
      if (!this.#prepared.has(client)) {
        await requireResponse(client)
        await prepareSession(client, this.#settings)
        this.#prepared.add(client)
      }
      await setWorkers(client, workers)
      return client
    } catch (error) {
      client?.release(true)
      const failure = error instanceof Failure ? error : connectionFailure(error, this.#settings)
      const { retryAfterSeconds } = failure
      throw new Failure('unavailable', failure.code, failure.message, { cause: error, retryAfterSeconds })
    }
  }

  async #cut(client: PoolClient): Promise<void> {
    await endProcesses(this.#settings, 'pid = $1', [processIdOf(client)]).catch(() => {})
  }
}
