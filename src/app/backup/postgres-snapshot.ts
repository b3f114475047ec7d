import { stat } from 'node:fs/promises'
import { Client } from 'pg'
import { runProgram } from '../../core/process/process.ts'
import type { Secret } from '../../core/secrets/secret.ts'
import type { BucketFile } from './bucket.ts'

const weekMs = 7 * 86_400_000
const connectMs = 10_000
const filesTableSql = `select to_regclass('files') is not null as exists`
const filesSql = `select key, size_bytes as size from files where state = 'ready' order by key`
const storePathsSql = `select parameters::jsonb #>> '{shown,path}' as path from stores`

/** One state of the PostgreSQL database. The caller must call `close`. */
export interface PostgresSnapshot {
  /** True if no transaction has ended since. */
  isUnchanged(): Promise<boolean>
  /** Returns the paths of files that stores of the catalogue name. */
  readStorePaths(): Promise<string[]>
  /** Returns the files of the bucket that the catalogue names. */
  readFiles(): Promise<BucketFile[]>
  /** Dumps the state to a new file. Returns its size. */
  dumpTo(path: string): Promise<number>
  close(): Promise<void>
}

/** Opens a transaction whose state `pg_dump` shares. */
export async function openPostgresSnapshot(url: Secret): Promise<PostgresSnapshot> {
  const [holder, watcher] = [connectTo(url), connectTo(url)]
  try {
    await Promise.all([holder.connect(), watcher.connect()])
    await holder.query('begin isolation level repeatable read read only')
    const { rows } = await holder.query<{ id: string }>('select pg_export_snapshot() as id')
    const id = rows[0]?.id ?? ''
    const stateSql = 'select pg_current_snapshot()::text as state'
    const readState = async (client: Client): Promise<string | undefined> =>
      (await client.query<{ state: string }>(stateSql)).rows[0]?.state
    const first = await readState(holder)
    return {
      isUnchanged: async () => (await readState(watcher)) === first,
      readStorePaths: async () => {
        const found = await holder.query<{ path: string | null }>(storePathsSql)
        return found.rows.flatMap(({ path }) => path ?? [])
      },
      readFiles: async () => {
        const [table] = (await holder.query<{ exists: boolean }>(filesTableSql)).rows
        if (table?.exists !== true) return []
        const found = await holder.query<{ key: string; size: string }>(filesSql)
        return found.rows.map(({ key, size }) => ({ key, sizeBytes: Number(size) }))
      },
      dumpTo: async (path) => {
        await runPostgres('pg_dump', url, ['--format=custom', `--snapshot=${id}`, `--file=${path}`])
        return (await stat(path)).size
      },
      close: async () => {
        await Promise.all([holder, watcher].map((client) => client.end().catch(() => undefined)))
      },
    }
  } catch (error) {
    await Promise.all([holder, watcher].map((client) => client.end().catch(() => undefined)))
    throw error
  }
}

export function connectTo(url: Secret): Client {
  const client = new Client({ connectionString: url.reveal(), connectionTimeoutMillis: connectMs })
  client.on('error', () => undefined)
  return client
}

/** Runs a program of PostgreSQL; the password is in its environment, where other users do not see it. */
export async function runPostgres(program: string, url: Secret, args: string[]): Promise<void> {
  const address = new URL(url.reveal())
  const password = decodeURIComponent(address.password)
  address.password = ''
  const env = password === '' ? undefined : { PGPASSWORD: password }
  await runProgram(program, [...args, `--dbname=${address.href}`], {
    env,
    timeoutMs: weekMs,
    clockLimitMs: weekMs,
  })
}
