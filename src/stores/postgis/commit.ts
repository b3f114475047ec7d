import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { Failure } from '../../lib/errors.ts'
import { isConnectionLost, statementFailure } from '../../lib/postgres/errors.ts'
import type { LoadHooks, LoadResult } from '../store.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import type { Connection } from './session.ts'

/** A lock that others hold is asked for in turns, so that their readers get through in between. */
const lockTurnMs = 1000
const lockPatienceMs = 60_000

export interface FinalStep {
  connection: Connection
  settings: ConnectionSettings
  hooks: LoadHooks
  /** Puts the rows in place as far as no reader has to wait for it. */
  prepare(): Promise<LoadResult>
  /** What takes locks that readers wait for, after `beforeCommit`. */
  publish?(): Promise<void>
}

/**
 * The transaction that makes a load visible: `prepare`, `beforeCommit` with the transaction's id as token, `publish`,
 * commit. When the connection breaks in the middle of the commit, the database is asked what became of it.
 */
export async function commitLoad(step: FinalStep): Promise<LoadResult> {
  const { connection, settings, hooks } = step
  await connection.run('putting the rows in place', 'begin')
  const { rows } = await connection.run<{ token: string }>(
    'putting the rows in place',
    'select txid_current()::text as token',
  )
  const token = rows[0]?.token ?? ''
  const result = await step.prepare()
  await hooks.beforeCommit(token, result)
  await step.publish?.()
  hooks.signal.throwIfAborted()
  try {
    await connection.client.query('commit')
  } catch (error) {
    if (isConnectionLost(error) && (await outcomeAfterLoss(settings, token)) === 'committed') return result
    throw statementFailure(error, 'committing')
  }
  return result
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
  const doing = `locking ${table}`
  await connection.run(doing, `set local lock_timeout = ${lockTurnMs}`)
  while (true) {
    signal.throwIfAborted()
    await connection.run(doing, 'savepoint lock_turn')
    try {
      await connection.run(doing, `lock table ${table} in ${mode} mode`)
      await connection.run(doing, 'set local lock_timeout = 0')
      return
    } catch (error) {
      const isLocked = error instanceof Failure && error.code === 'table-locked'
      if (!isLocked || performance.now() - started > lockPatienceMs) throw error
      await connection.run(doing, 'rollback to savepoint lock_turn')
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
