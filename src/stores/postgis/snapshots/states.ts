import type { PoolClient } from 'pg'
import { statementFailure } from '../../../core/postgres/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import { batchRows } from '../../../geo/batch.ts'
import type { FeaturePage, NotRetained, StatePath, TableSnapshot, TableStates } from '../../store.ts'
import { isUnchanged } from '../apply/table-mark.ts'
import { lockTable } from '../commit.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import { describeTable } from '../describe-table.ts'
import { snapshotName, snapshotPrefix } from '../identifiers.ts'
import type { ReadMemory } from '../read-features.ts'
import { streamFeatures } from '../read-features.ts'
import type { ReadPool } from '../read-pool.ts'
import type { TextRow } from '../read-rows.ts'
import { batchOfRows, selectList, textTypes } from '../read-rows.ts'
import { beginLoad } from '../run-load.ts'
import { PostgisSession } from '../session.ts'
import type { SnapshotNote } from '../snapshot-tables.ts'
import { findNotes, moveTableAside, tableSnapshot } from '../snapshot-tables.ts'
import { findTableFacts } from '../table-facts.ts'
import { schemaOf } from '../table-schema.ts'
import type { SnapshotPath } from './state-rows.ts'
import { findPath, requireUnchanged, stateGone, stateSql } from './state-rows.ts'

/** Retained states of tables, stored in tables of the same schema. */
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
        stage: async (session) => {
          const { stageRestore } = await import('./restore.ts')
          return stageRestore({ settings, session, request, hooks })
        },
      }),
    putAside: (table, keepAs) => putAside(settings, table, keepAs),
    read: (table, path, signal) => readState({ pool, memory, schema }, table, path, signal),
    isUnchanged: (table, mark) =>
      pool.use(async (client) => {
        const facts = await findTableFacts(client, schema, table)
        return facts !== undefined && isUnchanged(client, facts, mark)
      }),
    drop: ({ id }) => pool.use((client) => dropSnapshot(client, schema, id)),
    list: () =>
      pool.use(async (client) => (await findNotes(client, schema, snapshotPrefix)).map(({ id }) => id)),
  }
}

const doing = 'putting the table aside'
const longestMs = 120_000

/** Renames a table to retain it; everything that prevents dropping the table prevents this too. */
async function putAside(
  settings: ConnectionSettings,
  name: string,
  keepAs: string,
): Promise<TableSnapshot | NotRetained> {
  const { schema } = settings
  const signal = AbortSignal.timeout(longestMs)
  const session = new PostgisSession(settings, 'terrane', signal)
  try {
    const connection = await session.connect()
    const facts = await findTableFacts(connection.client, schema, name)
    if (facts?.kind !== 'table') return { reason: `"${name}" is not an ordinary table` }
    const table = quoteTable(schema, name)
    await connection.run(doing, 'begin')
    await lockTable(connection, table, 'access exclusive', signal)
    await connection.run(doing, `savepoint trial; drop table ${table}; rollback to trial`)
    const described = await describeTable(connection.client, facts)
    const kept = await tableSnapshot(connection, keepAs, 'whole', { table: described, oid: facts.oid })
    await moveTableAside(connection, facts, keepAs)
    await connection.run(doing, 'commit')
    return kept
  } finally {
    await session.close()
  }
}

async function dropSnapshot(client: PoolClient, schema: string, id: string): Promise<void> {
  try {
    await client.query(`drop table if exists ${quoteTable(schema, snapshotName(id))}`)
  } catch (error) {
    throw statementFailure(error, 'removing a kept state')
  }
}

interface ReadPlace {
  pool: ReadPool
  memory: ReadMemory
  schema: string
}

async function* readState(
  { pool, memory, schema }: ReadPlace,
  table: string,
  path: StatePath,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const lease = await pool.lease(signal)
  try {
    const { client } = lease
    const found = await findPath(client, schema, table, path)
    const query = { table: snapshotName(found.first.id), limit: Number.POSITIVE_INFINITY, offset: 0 }
    const pages =
      found.whole !== undefined && found.notes.length === 1
        ? streamFeatures(client, memory, query)
        : readDifferences(client, schema, table, found)
    for await (const page of pages) {
      signal.throwIfAborted()
      yield page
    }
  } catch (error) {
    signal.throwIfAborted()
    throw statementFailure(error, `reading a state of "${table}"`)
  } finally {
    lease.release()
  }
}

/** Yields the rows of a state reconstructed from differences, in one snapshot. */
async function* readDifferences(
  client: PoolClient,
  schema: string,
  table: string,
  path: SnapshotPath & { first: SnapshotNote },
): AsyncGenerator<FeaturePage> {
  try {
    await client.query('begin isolation level repeatable read read only')
    const facts = path.whole ?? (await findTableFacts(client, schema, table))
    if (facts?.primaryKey === undefined) throw stateGone(table)
    if (path.whole === undefined) await requireUnchanged(client, facts, path.first)
    const described = await schemaOf(client, facts)
    const shown = { ...facts, columns: facts.columns.filter(({ isGenerated }) => !isGenerated) }
    const attributes = described.schema.attributes.filter(({ name }) =>
      shown.columns.some((one) => one.name === name),
    )
    const read = { ...described.schema, attributes }
    const key = quoteIdentifier(facts.primaryKey)
    await client.query(`declare terrane_state no scroll cursor for
      select feature.${key}::text, ${selectList(shown, attributes, { isExact: true }).join(', ')} from (${stateSql(facts, path)}) feature
      order by feature.${key}`)
    let seen = 0
    while (true) {
      const fetch = {
        text: `fetch ${batchRows} from terrane_state`,
        rowMode: 'array' as const,
        types: textTypes,
      }
      const { rows } = await client.query<TextRow>(fetch)
      if (rows.length === 0) break
      const start = seen
      seen += rows.length
      const batch = batchOfRows(read, rows, 1, (_row, index) => start + index + 1)
      yield { batch, ids: rows.map(([id]) => id ?? '') }
    }
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
