import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { Failure } from '../../core/errors/errors.ts'
import { isConnectionLost, statementFailure } from '../../core/postgres/errors.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { RowChange } from '../changes.ts'
import type { LoadResult } from '../store.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import type { ComparedRows } from './held-rows.ts'
import type { Connection } from './session.ts'

/** A lock is requested repeatedly with a short timeout, so that waiting readers get through in between. */
const lockTurnMs = 1000
const lockPatienceMs = 60_000

/** Remaining steps of a load whose rows are staged. */
export interface FinalSteps {
  connection: Connection
  /** Result of the load, as far as known before `place`. */
  result: LoadResult
  /** True if the transaction of `place` is already open. */
  isBegun?: boolean
  /** Completes deferred steps of staging: everything that the commit needs and that cannot be refused. */
  complete?(): Promise<void>
  /** Places the rows as far as possible without blocking readers; returns an updated result. */
  place?(): Promise<LoadResult>
  /** Takes the locks that block readers: the last step before the commit. */
  publish?(): Promise<void>
  /** Steps after the commit. */
  finish?(): Promise<void>
  /** Yields exactly the changes of an upsert after they are placed. */
  changes?(): AsyncIterable<RowChange[]>
  /**
   * Form of the staged rows: a table of their own, a table that will replace another one, or rows next to the
   * table.
   */
  form?: 'new' | 'swap' | 'beside'
  /** For a dry run: the staged rows, to be compared. */
  staged?: ComparedRows
}

const doing = 'putting the rows in place'

/** Opens the transaction that makes a load visible, and places the rows. The token is the transaction id. */
export async function prepareCommit(steps: FinalSteps): Promise<{ token: string; result: LoadResult }> {
  const { connection, isBegun = false, staged } = steps
  if (staged !== undefined) await connection.run(doing, 'rollback')
  await steps.complete?.()
  if (!isBegun) await connection.run(doing, 'begin')
  const { rows } = await connection.run<{ token: string }>(doing, 'select txid_current()::text as token')
  const result = (await steps.place?.()) ?? steps.result
  return { token: rows[0]?.token ?? '', result }
}

/** If the connection breaks during the commit, queries the database for the result. */
export async function commitPrepared(
  settings: ConnectionSettings,
  { connection, publish, finish }: FinalSteps,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<void> {
  await publish?.()
  signal.throwIfAborted()
  passStep('commit.locked')
  try {
    await connection.client.query('commit')
  } catch (error) {
    const outcome = isConnectionLost(error) ? await outcomeAfterLoss(settings, token) : 'absent'
    if (outcome !== 'committed') throw statementFailure(error, 'committing')
  }
  await finish?.()
}

async function outcomeAfterLoss(settings: ConnectionSettings, token: string): Promise<string> {
  try {
    const client = await openConnection(settings, 'terrane')
    try {
      return await findOutcome(client, token)
    } finally {
      await client.end()
    }
  } catch {
    return 'unknown'
  }
}

/** Locks a table within the open transaction, waiting up to a minute for others, a second at a time. */
export async function lockTable(
  connection: Connection,
  table: string,
  mode: string,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now()
  const locking = `locking ${table}`
  await connection.run(locking, `set local lock_timeout = ${lockTurnMs}`)
  while (true) {
    signal.throwIfAborted()
    await connection.run(locking, 'savepoint lock_turn')
    try {
      await connection.run(locking, `lock table ${table} in ${mode} mode`)
      // Rows written within a savepoint would have the id of the subtransaction.
      await connection.run(locking, 'release savepoint lock_turn; set local lock_timeout = 0')
      return
    } catch (error) {
      const isLocked = error instanceof Failure && error.code === 'table-locked'
      if (!isLocked || performance.now() - started > lockPatienceMs) throw error
      await connection.run(locking, 'rollback to savepoint lock_turn; release savepoint lock_turn')
      await sleep(200, undefined, { signal })
    }
  }
}

const openTransactionSql = `
select state, extract(epoch from clock_timestamp() - state_change)::float8 as seconds
from pg_stat_activity where backend_xid::text = ($1::int8 % 4294967296)::text`

/**
 * Returns the result of a transaction. One that waits for its client (the load is still running, or the
 * server is about to detect that it is not) counts as absent; a committing one is waited for.
 */
export async function findOutcome(client: Client, token: string): Promise<'committed' | 'absent'> {
  if (!/^\d{1,19}$/.test(token)) return 'absent'
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { rows } = await client.query<{ status: string | null }>(
      `select case when $1::int8 < txid_snapshot_xmax(txid_current_snapshot()) then txid_status($1::int8) end as status`,
      [token],
    )
    const status = rows[0]?.status
    if (status !== 'in progress') return status === 'committed' ? 'committed' : 'absent'
    const open = await client.query<{ state: string; seconds: number }>(openTransactionSql, [token])
    const holder = open.rows[0]
    if (holder?.state?.startsWith('idle in transaction') && holder.seconds > 0.3) return 'absent'
    await sleep(100)
  }
  throw new Failure('unavailable', 'store-timeout', `Transaction ${token} is still running`)
}
