import type { PoolClient } from 'pg'
import { invalid, notFound } from '../../core/errors/errors.ts'
import type { NetworkReach } from '../../core/network/reach.ts'
import { statementFailure } from '../../core/postgres/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { StoreParameters, VectorStore } from '../store.ts'
import { CachedLayouts } from './cached-layouts.ts'
import { findOutcome } from './commit.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { parseConnectionSettings } from './connection-settings.ts'
import { describeTable } from './describe-table.ts'
import type { PostgisEdits } from './edit/prepare-edit.ts'
import { estimateRows } from './estimate-rows.ts'
import { isOwnName, toTableName } from './identifiers.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { countFeatures, streamFeatures } from './read-features.ts'
import { ReadPool } from './read-pool.ts'
import { TilesOfTables } from './read-tiles.ts'
import { workersForCount, workersForRows } from './reading-workers.ts'
import { sweepLoad } from './run-load.ts'
import { statesOfTables } from './snapshots/states.ts'
import { probeTable, withStoredSrid } from './stored-srid.ts'
import { summarizeTables } from './summarize-tables.ts'
import type { TableFacts } from './table-facts.ts'
import { findTableFacts } from './table-facts.ts'
import { LeavingSessions, readTableState } from './table-state.ts'
import { readTimeBounds } from './time-bounds.ts'
import { findUniqueKeys, indexedColumns } from './unique-keys.ts'

/**
 * Creates a store for a schema of a PostgreSQL database with PostGIS. Parameters: `host`, `port`, `database`,
 * `schema` (default `public`), `user`, `passwd`. Throws `Failure` (`invalid`) if one is missing; connects on
 * first use.
 */
export function createPostgisStore(parameters: StoreParameters, reach?: NetworkReach): VectorStore {
  const parsed = parseConnectionSettings(parameters)
  const settings = reach === undefined ? parsed : { ...parsed, reach }
  const pool = new ReadPool(settings)
  // Separate connections, so that checks for changes do not wait for readers.
  const watchPool = new ReadPool(settings, { maxConnections: 1 })
  const memory = { layouts: new CachedLayouts(settings.schema), statements: new PreparedStatements() }
  const leaving = new LeavingSessions()
  const use: ReadPool['use'] = (work, signal, workers) => pool.use(work, signal, workers)
  const getFacts = (client: PoolClient, table: string): Promise<TableFacts> =>
    getTableFacts(client, settings.schema, table)
  const edits = editsLater(settings, pool)
  return {
    type: 'PostGIS',
    check: (signal) => checkSchema(settings, signal),
    listTables: () =>
      use(async (client) => {
        const { rows } = await client.query<{ name: string }>(listSql, [settings.schema])
        return rows.map(({ name }) => name).filter((name) => !isOwnName(name))
      }),
    sizeOf: (tables) => use((client) => sizeOfTables(client, settings.schema, tables)),
    summarizeTables: () => use((client) => summarizeTables(client, settings.schema)),
    findTable: (table, { readsRows = true, readMs } = {}) =>
      use(async (client) => {
        const found = await findTableFacts(client, settings.schema, table)
        if (found === undefined) return undefined
        if (!readsRows) await probeTable(client, found)
        return describeTable(client, await withStoredSrid(client, found), { readsRows, readMs })
      }),
    uniqueKeys: (table) => use(async (client) => findUniqueKeys(client, await getFacts(client, table))),
    indexedColumns: (table) => use(async (client) => indexedColumns(client, await getFacts(client, table))),
    tableName: toTableName,
    stage: async (request, batches, hooks) => (await loading()).stageLoad(settings, request, batches, hooks),
    takeUp: async (request, retainedRows, hooks) =>
      (await loading()).takeUpLoad(settings, request, retainedRows, hooks),
    async outcome(token) {
      const client = await openConnection(settings, 'terrane')
      try {
        return await findOutcome(client, token)
      } finally {
        await client.end().catch(() => {})
      }
    },
    states: statesOfTables(settings, pool, memory),
    edits,
    sweep: (loadId) => sweepLoad(settings, loadId),
    count: (query, signal) =>
      use((client) => countFeatures(client, memory, query), signal, workersForCount(query)),
    estimateRows: (table, boxes, signal) =>
      use((client) => estimateRows(client, memory.layouts, { table, boxes }), signal),
    async *readFeatures(query, signal) {
      const lease = await pool.lease(signal, workersForRows(query))
      try {
        for await (const page of streamFeatures(lease.client, memory, query)) {
          signal.throwIfAborted()
          yield page
        }
        signal.throwIfAborted()
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        lease.release()
      }
    },
    tiles: new TilesOfTables(pool, memory),
    dropTable: (table) => use((client) => dropTable(client, settings.schema, table)),
    timeBounds: (table, attribute, signal) =>
      use(async (client) => readTimeBounds(client, await getFacts(client, table), attribute), signal),
    state: (table, signal) =>
      watchPool.use(
        (client) =>
          readTableState({ client, statements: memory.statements, schema: settings.schema, table }, leaving),
        signal,
      ),
    close: async () => {
      await Promise.all([pool.close(), watchPool.close(), edits.close()])
    },
  }
}

async function getTableFacts(client: PoolClient, schema: string, table: string): Promise<TableFacts> {
  const facts = await findTableFacts(client, schema, table)
  if (facts !== undefined) return facts
  throw notFound('unknown-table', `There is no table "${table}" in schema "${schema}"`)
}

/** Imported with the first load: most threads only read, or do not use PostGIS. */
const loading = () => import('./stage-load.ts')

/** Created on the first edit. */
function editsLater(settings: ConnectionSettings, pool: ReadPool): PostgisEdits {
  let opened: Promise<PostgisEdits> | undefined
  const open = (): Promise<PostgisEdits> => {
    opened ??= import('./edit/prepare-edit.ts').then((edit) => edit.createTableEdits(settings, pool))
    return opened
  }
  return {
    whyNot: async (table) => (await open()).whyNot(table),
    prepare: async (request, decide, signal) => (await open()).prepare(request, decide, signal),
    close: async () => (await opened)?.close(),
  }
}

async function checkSchema(settings: ConnectionSettings, signal: AbortSignal): Promise<void> {
  const client = await openConnection(settings, 'terrane')
  try {
    signal.throwIfAborted()
    const { rows } = await client.query<{ found: boolean }>(
      'select exists (select from pg_namespace where nspname = $1) as found',
      [settings.schema],
    )
    if (rows[0]?.found !== true) {
      throw invalid(
        'store-connection',
        `Schema "${settings.schema}" does not exist in database "${settings.database}"`,
      )
    }
  } finally {
    await client.end().catch(() => {})
  }
}

async function dropTable(client: PoolClient, schema: string, table: string): Promise<void> {
  const facts = await findTableFacts(client, schema, table)
  if (facts === undefined) return
  const { rows } = await client.query<{ relkind: string }>('select relkind from pg_class where oid = $1', [
    facts.oid,
  ])
  const kind = { v: 'view', m: 'materialized view', f: 'foreign table' }[rows[0]?.relkind ?? ''] ?? 'table'
  try {
    await client.query(`drop ${kind} if exists ${quoteTable(schema, table)}`)
  } catch (error) {
    throw statementFailure(error, `removing "${table}"`)
  }
}

/** Tables and views of the schema, except those of PostGIS. */
const listSql = `
select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
order by c.relname`

async function sizeOfTables(client: PoolClient, schema: string, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ size: number }>(sizesSql, [schema, tables])
  return rows[0]?.size ?? 0
}

const sizesSql = `
  select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as size
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = any($2::text[])`
