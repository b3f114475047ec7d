import type { ClientBase } from 'pg'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { TableDescription } from '../store.ts'
import { extentOfRow, extentSql } from './table-extent.ts'
import type { TableFacts } from './table-facts.ts'
import { schemaOf } from './table-schema.ts'

/**
 * Tables with a larger estimate are described without count and bounds, which would require reading them
 * completely.
 */
const describedRows = 5_000_000

/** Options of `describeTable`. */
interface DescribeOptions {
  /** Describes only rows that meet it. */
  condition?: string
  /** False to leave out row count and bounds. */
  readsRows?: boolean
  /** Time after which they are left out, in milliseconds. Must not be within a transaction. */
  readMs?: number
}

type Extent = Record<string, unknown>

/** PostgreSQL, Appendix A: `query_canceled`. */
const canceledCode = '57014'

/** Returns the rows of a query; undefined if it takes too long. */
async function readWithin(client: ClientBase, sql: string, limitMs: number): Promise<Extent[] | undefined> {
  await client.query('begin read only')
  try {
    await client.query(`set local statement_timeout = ${Math.ceil(limitMs)}`)
    return (await client.query<Extent>(sql)).rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === canceledCode) return undefined
    throw error
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

/** Returns the description of a table. */
export async function describeTable(
  client: ClientBase,
  facts: TableFacts,
  { condition = 'true', readsRows = true, readMs }: DescribeOptions = {},
): Promise<TableDescription> {
  const description: TableDescription = { name: facts.name, ...(await schemaOf(client, facts)) }
  if (facts.primaryKey !== undefined) description.primaryKey = facts.primaryKey
  if (!readsRows || facts.estimatedRows > describedRows) return description
  const sql = `select count::float8 as count, ST_XMin(e) as minx, ST_YMin(e) as miny, ST_XMax(e) as maxx, ST_YMax(e) as maxy
     from (select count(*) as count, ${extentSql(facts)} as e from ${quoteTable(facts.schema, facts.name)} where ${condition}) q`
  const rows = await (readMs === undefined
    ? client.query<Extent>(sql).then((all) => all.rows)
    : readWithin(client, sql, readMs))
  if (rows === undefined) return description
  description.featureCount = Number(rows[0]?.['count'] ?? 0)
  const envelope = extentOfRow(rows[0])
  if (envelope !== undefined) description.envelope = envelope
  return description
}
