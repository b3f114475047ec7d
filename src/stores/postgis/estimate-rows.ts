import type { PoolClient, QueryResult } from 'pg'
import { Failure } from '../../core/errors/errors.ts'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { Area } from '../../geo/polygon-test.ts'
import type { CachedLayouts, ReadLayout } from './cached-layouts.ts'
import type { TableFacts } from './table-facts.ts'

interface ExplainRow {
  'QUERY PLAN': { Plan: { 'Plan Rows': number } }[]
}

/** A table that others have locked for longer counts as large. */
const lockMs = 1000

/**
 * Returns the number of rows that the planner expects, 0 if there is no such table, and
 * `Number.MAX_SAFE_INTEGER` if the planner fails. Reads no row.
 */
export async function estimateRows(
  client: PoolClient,
  layouts: CachedLayouts,
  { table: name, boxes }: { table: string; boxes: readonly Area[] | undefined },
): Promise<number> {
  const layout = await findLayout(client, layouts, name)
  if (layout === undefined) return 0
  const { facts } = layout
  const table = quoteTable(facts.schema, facts.name)
  try {
    // A single simple query, so that the limit applies to its transaction only.
    const results: unknown = await client.query(
      `begin; set local lock_timeout = ${lockMs};
       explain (format json) select 1 from ${table} ${whereSql(facts, boxes)}; commit`,
    )
    const [, , explained] = results as [unknown, unknown, QueryResult<ExplainRow>]
    return explained.rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? Number.MAX_SAFE_INTEGER
  } catch {
    await client.query('rollback').catch(() => undefined)
    layouts.forget(layout)
    return Number.MAX_SAFE_INTEGER
  }
}

/** Uses overlapping envelopes: for `ST_Intersects` the planner expects a thousandth of the rows. */
function whereSql({ geometry }: TableFacts, boxes: readonly Area[] | undefined): string {
  if (geometry === undefined || boxes === undefined) return ''
  const column = `${quoteIdentifier(geometry.name)}${geometry.isGeography ? '::geometry' : ''}`
  const parts = boxes.map(
    ({ minX, minY, maxX, maxY }) =>
      `${column} && ST_MakeEnvelope(${[minX, minY, maxX, maxY].map(numberSql).join(', ')}, ${geometry.srid})`,
  )
  return `where ${parts.length === 0 ? 'false' : parts.join(' or ')}`
}

const numberSql = (value: number): string => `'${Number(value)}'::float8`

async function findLayout(
  client: PoolClient,
  layouts: CachedLayouts,
  table: string,
): Promise<ReadLayout | undefined> {
  try {
    return (await layouts.get(client, table)).layout
  } catch (error) {
    if (error instanceof Failure && error.code === 'unknown-table') return undefined
    throw error
  }
}
