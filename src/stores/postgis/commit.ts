import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { Failure } from '../../lib/errors.ts'
import { isConnectionLost, statementFailure } from '../../lib/postgres/errors.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import type { RowChange } from '../changes.ts'
import type { LoadResult } from '../store.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import type { ComparedRows } from './held-rows.ts'
import type { Connection } from './session.ts'

/** A lock that others hold is asked for in turns, so that their readers get through in between. */
const lockTurnMs = 1000
const lockPatienceMs = 60_000

/** What is left to do for a load whose rows are staged. */
export interface FinalSteps {
  connection: Connection
  /** What the load comes to, as far as it is known before `place`. */
  result: LoadResult
  /** Whether the transaction that `place` works in is open already. */
  isBegun?: boolean
  /** Ends what was put off when the rows were staged: all that a commit needs, and that nothing can be against. */
  complete?(): Promise<void>
  /** Puts the rows in place as far as no reader has to wait for it; gives what is known better now. */
  place?(): Promise<LoadResult>
  /** What takes locks that readers wait for: the last thing before the commit. */
  publish?(): Promise<void>
  /** What is done after the commit. */
  finish?(): Promise<void>
  /** Exactly what the commit of an upsert does, once it is in place. */
  changes?(): AsyncIterable<RowChange[]>
  /** How the staged rows lie: as a table of their own, as one that is to take the place of another, or beside it. */
  form?: 'new' | 'swap' | 'beside'
  /** Of a rehearsal: the staged rows, to be compared. */
  staged?: ComparedRows
}

const doing = 'putting the rows in place'

/** Opens the transaction that makes a load visible, and puts the rows in place. The token is the transaction's id. */
export async function prepareCommit(steps: FinalSteps): Promise<{ token: string; result: LoadResult }> {
  const { connection, isBegun = false, staged } = steps
  if (staged !== undefined) await connection.run(doing, 'rollback')
  await steps.complete?.()
  if (!isBegun) await connection.run(doing, 'begin')
  const { rows } = await connection.run<{ token: string }>(doing, 'select txid_current()::text as token')
  const result = (await steps.place?.()) ?? steps.result
  return { token: rows[0]?.token ?? '', result }
}

/** When the connection breaks in the middle of the commit, the database is asked what became of it. */
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
      // Rows that are written within a savepoint would not bear the number of the transaction.
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
 * What became of a transaction. One that waits for its client (the load still lives, or the server is about to
 * notice that it does not) counts as absent; one that is committing is waited for.
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
