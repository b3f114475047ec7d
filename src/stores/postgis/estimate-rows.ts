import type { PoolClient } from 'pg'
import type { Area } from '../../geo/area.ts'
import { Failure } from '../../lib/errors.ts'
import { quoteTable } from '../../lib/postgres/quote.ts'
import type { KeptLayouts, ReadLayout } from './kept-layouts.ts'
import { conditionsOf } from './read-conditions.ts'

interface ExplainRow {
  'QUERY PLAN': { Plan: { 'Plan Rows': number } }[]
}

/**
 * Returns the number of rows that the planner expects, 0 where there is no such table, and `Number.MAX_SAFE_INTEGER` where
 * the planner fails. Reads no row.
 */
export async function estimateRows(
  client: PoolClient,
  layouts: KeptLayouts,
  { table, boxes }: { table: string; boxes: readonly Area[] | undefined },
): Promise<number> {
  const layout = await findLayout(client, layouts, table)
  if (layout === undefined) return 0
  const { facts } = layout
  try {
    const { sql, values } = conditionsOf(
      facts,
      boxes === undefined ? { table } : { table, bboxes: [...boxes] },
    )
    const { rows } = await client.query<ExplainRow>(
      `explain (format json) select 1 from ${quoteTable(facts.schema, facts.name)} ${sql}`,
      values,
    )
    return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? Number.MAX_SAFE_INTEGER
  } catch {
    layouts.forget(layout)
    return Number.MAX_SAFE_INTEGER
  }
}

async function findLayout(
  client: PoolClient,
  layouts: KeptLayouts,
  table: string,
): Promise<ReadLayout | undefined> {
  try {
    return (await layouts.get(client, table)).layout
  } catch (error) {
    if (error instanceof Failure && error.code === 'unknown-table') return undefined
    throw error
  }
}
