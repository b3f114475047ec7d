import { conflict } from '../../../core/errors/errors.ts'
import { quoteTable } from '../../../core/postgres/quote.ts'
import { defined } from '../../../core/values/defined.ts'
import type { LayerDescription } from '../../../formats/worker.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { RowForm } from '../../../geo/postgres-copy/copy-rows.ts'
import { readCopyRows } from '../../../geo/postgres-copy/copy-rows.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { DatabaseReader, DescribedDatabase, DescribeOptions } from '../database.ts'
import { requireUser } from '../database.ts'
import type { TableEntry } from './catalog.ts'
import { listColumns, listTableEntries } from './catalog.ts'
import type { ColumnPlan } from './columns.ts'
import { planColumns, sourceGeometrySql, wkbSql } from './columns.ts'
import { describeSourceTable, findSrids } from './describe-table.ts'
import { findTables } from './find-tables.ts'
import type { ReadingSession } from './session.ts'
import { withSession } from './session.ts'
import { whileTalking } from './silence.ts'

async function* describeTables(
  session: ReadingSession,
  options: DescribeOptions,
): AsyncGenerator<DescribedDatabase> {
  const { entries, messages } = await findTables(session, options)
  const tables: LayerDescription[] = []
  for (const entry of entries) {
    options.signal.throwIfAborted()
    tables.push(await describeSourceTable(session, entry))
  }
  yield { tables, messages }
}

function changed(table: string, what: string): Error {
  return conflict('table-changed', `Table "${table}" has changed since it was examined: ${what}`)
}

async function getEntry({ client, schema }: ReadingSession, table: string): Promise<TableEntry> {
  const [entry] = await listTableEntries(client, schema, { requested: [table], limit: 1 })
  if (entry === undefined) throw changed(table, 'it no longer exists')
  return entry
}

function checkColumns(table: LayerDescription, plan: ColumnPlan): void {
  const described = table.schema.attributes.map(({ name, type }) => `${name} ${type}`)
  const found = plan.attributes.map(({ attribute: { name, type } }) => `${name} ${type}`)
  const isSame =
    described.join('\n') === found.join('\n') && table.schema.geometry?.name === plan.geometry?.name
  if (!isSame) throw changed(table.name, 'its columns changed')
}

/** Returns the expressions of the columns, in row order. */
function selectList({ attributes, geometry }: ColumnPlan, { schema, srids }: RowForm): string {
  const list = attributes.map(({ sql }) => sql)
  if (geometry !== undefined && schema.geometry !== undefined) list.push(wkbSql(geometry, schema.geometry))
  if (geometry !== undefined && srids !== undefined) list.push(`ST_SRID(${sourceGeometrySql(geometry)})`)
  return list.join(', ')
}

async function formOf({ client }: ReadingSession, schema: Schema, plan: ColumnPlan): Promise<RowForm> {
  const isOpen = plan.geometry?.declared.isBinding === false
  return isOpen ? { schema, srids: await findSrids(client, schema.geometry?.crs) } : { schema }
}

async function* readTable(
  session: ReadingSession,
  table: LayerDescription,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const { client, schema } = session
  const { default: copyStreams } = await import('pg-copy-streams')
  await client.query('begin transaction isolation level repeatable read, read only')
  const entry = await getEntry(session, table.name)
  const plan = planColumns(await listColumns(client, entry.oid))
  checkColumns(table, plan)
  const form = await formOf(session, table.schema, plan)
  const sql = `copy (select ${selectList(plan, form)} from ${quoteTable(schema, table.name)})
    to stdout (format binary)`
  await client.query('set local statement_timeout = 0')
  const chunks = client.query(copyStreams.to(sql))
  yield* readCopyRows(whileTalking(chunks, signal), form)
  await client.query('commit')
}

/** PostgreSQL, with or without PostGIS. */
export const postgres: DatabaseReader = {
  type: 'postgis',
  aliases: ['postgres', 'postgresql'],
  format: 'PostGIS',
  standardPlace: (location) => {
    requireUser(location)
    return { host: 'localhost', port: 5432, schema: 'public', ...defined(location) }
  },
  describe: async (connection, options) => {
    for await (const found of withSession(connection, options.signal, (session) =>
      describeTables(session, options),
    ))
      return found
    throw new Error('The session ended without a result')
  },
  read: (connection, table, { signal }) =>
    withSession(connection, signal, (session) => readTable(session, table, signal)),
}
