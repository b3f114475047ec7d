import type { PoolClient } from 'pg'
import { conflict } from '../../../lib/errors.ts'
import { statementFailure } from '../../../lib/postgres/errors.ts'
import { quoteTable } from '../../../lib/postgres/quote.ts'
import type { FeaturePage, KeptState, NotKept, StatePath, TableStates } from '../../store.ts'
import { lockTable } from '../commit.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import { describeTable } from '../describe-table.ts'
import { keptName, keptPrefix } from '../identifiers.ts'
import { findNotes, keptState, moveAside } from '../kept-tables.ts'
import type { ReadMemory } from '../read-features.ts'
import { streamFeatures } from '../read-features.ts'
import type { ReadPool } from '../read-pool.ts'
import { beginLoad } from '../run-load.ts'
import { Session } from '../session.ts'
import { findTableFacts } from '../table-facts.ts'
import { stageRestore } from './restore.ts'

/** States of tables in tables beside them. */
export function statesOfTables(
  settings: ConnectionSettings,
  pool: ReadPool,
  memory: ReadMemory,
): TableStates {
  const { schema } = settings
  return {
    stageRestore: (request, hooks) =>
      beginLoad(settings, {
        loadId: request.loadId,
        signal: hooks.signal,
        stage: (session) => stageRestore({ settings, session, request, hooks }),
      }),
    putAside: (table, keepAs) => putAside(settings, table, keepAs),
    read: (table, path, signal) => readState({ pool, memory, schema }, table, path, signal),
    drop: ({ id }) => pool.use((client) => dropKept(client, schema, id)),
    list: () => pool.use(async (client) => (await findNotes(client, schema, keptPrefix)).map(({ id }) => id)),
  }
}

const doing = 'putting the table aside'
const longestMs = 120_000

/** Whatever hinders a table from being removed hinders this too. */
async function putAside(
  settings: ConnectionSettings,
  name: string,
  keepAs: string,
): Promise<KeptState | NotKept> {
  const { schema } = settings
  const signal = AbortSignal.timeout(longestMs)
  const session = new Session(settings, 'terrane', signal)
  try {
    const connection = await session.connect()
    const facts = await findTableFacts(connection.client, schema, name)
    if (facts?.kind !== 'table') return { reason: `"${name}" is no ordinary table` }
    const table = quoteTable(schema, name)
    await connection.run(doing, 'begin')
    await lockTable(connection, table, 'access exclusive', signal)
    await connection.run(doing, `savepoint trial; drop table ${table}; rollback to trial`)
    const described = await describeTable(connection.client, facts)
    const kept = await keptState(connection, keepAs, 'whole', { table: described, oid: facts.oid })
    await moveAside(connection, facts, keepAs)
    await connection.run(doing, 'commit')
    return kept
  } finally {
    await session.close()
  }
}

async function dropKept(client: PoolClient, schema: string, id: string): Promise<void> {
  try {
    await client.query(`drop table if exists ${quoteTable(schema, keptName(id))}`)
  } catch (error) {
    throw statementFailure(error, 'removing a kept state')
  }
}

async function* readState(
  { pool, memory, schema }: { pool: ReadPool; memory: ReadMemory; schema: string },
  table: string,
  path: StatePath,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const lease = await pool.lease(signal)
  try {
    const [state] = path
    if (state === undefined || state.form !== 'whole') {
      throw conflict('not-restorable', `No state of "${table}" in schema "${schema}" can be read there`)
    }
    const query = { table: keptName(state.id), limit: Number.POSITIVE_INFINITY, offset: 0 }
    for await (const page of streamFeatures(lease.client, memory, query)) {
      signal.throwIfAborted()
      yield page
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    lease.release()
  }
}
