import type { Vault } from '../../core/secrets/vault.ts'
import type { DescribedDatabase } from '../../inputs/index.ts'
import type { DatabaseRequest } from '../model/model.ts'
import type { LoadPool } from '../worker/worker.ts'
import { openedConnection, resolveDatabase } from './database-source.ts'

interface FindTablesDeps {
  pool: LoadPool
  vault: Vault
  roots: readonly string[]
  limits: { maxTasks: number }
}

type FindTables = (request: DatabaseRequest, signal: AbortSignal) => Promise<DescribedDatabase>

/**
 * Returns a function that lists the importable tables of a database. It throws the errors of the reader and
 * stores nothing.
 */
export function tablesFinder({ pool, limits, ...parts }: FindTablesDeps): FindTables {
  return async (request, signal) => {
    const { database } = await resolveDatabase(parts, request)
    if (database === undefined) throw new Error('A database has no source')
    const connection = openedConnection(parts.vault, database)
    return pool.describeDatabase(connection, { maxTables: limits.maxTasks, signal })
  }
}
