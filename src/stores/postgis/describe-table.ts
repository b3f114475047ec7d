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
}

/** Returns the description of a table. */
export async function describeTable(
  client: ClientBase,
  facts: TableFacts,
  { condition = 'true', readsRows = true }: DescribeOptions = {},
): Promise<TableDescription> {
  const description: TableDescription = { name: facts.name, ...(await schemaOf(client, facts)) }
  if (facts.primaryKey !== undefined) description.primaryKey = facts.primaryKey
  if (!readsRows || facts.estimatedRows > describedRows) return description
  const { rows } = await client.query<Record<string, unknown>>(
    `select count::float8 as count, ST_XMin(e) as minx, ST_YMin(e) as miny, ST_XMax(e) as maxx, ST_YMax(e) as maxy
     from (select count(*) as count, ${extentSql(facts)} as e from ${quoteTable(facts.schema, facts.name)} where ${condition}) q`,
  )
  description.featureCount = Number(rows[0]?.['count'] ?? 0)
  const envelope = extentOfRow(rows[0])
  if (envelope !== undefined) description.envelope = envelope
  return description
}
