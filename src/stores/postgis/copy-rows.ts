import { quoteIdentifier } from '../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { LoadHooks } from '../store.ts'
import type { SentRows } from './send-rows.ts'
import { findServerValues, sendRows } from './send-rows.ts'
import type { Connection } from './session.ts'
import type { TargetPlan } from './target-plan.ts'

/**
 * Sends rows into a table by COPY, within a transaction; `options` are COPY options. Rows without any column,
 * which COPY does not support, go through a temporary table by their numbers.
 */
export async function copyRows(
  connection: Connection,
  into: { table: string; plan: TargetPlan; options: string },
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<SentRows> {
  const { table, plan, options } = into
  if (plan.columns.length > 0) {
    const columns = plan.columns.map(quoteIdentifier).join(', ')
    const values = await findServerValues(connection, plan.layout)
    const writer = connection.copy(`copy ${table} (${columns}) from stdin (${options})`)
    return sendRows(writer, { layout: plan.layout, values }, batches, hooks)
  }
  const rows = 'pg_temp.terrane_rows'
  await connection.run(
    'creating the staging table',
    'create temporary table terrane_rows (number bigint) on commit drop',
  )
  const writer = connection.copy(`copy ${rows} (number) from stdin (format binary)`)
  const layout = { ...plan.layout, hasRowNumber: true }
  const sent = await sendRows(writer, { layout, values: { hasInfiniteNumerics: false } }, batches, hooks)
  await connection.run('staging the rows', `insert into ${table} select from ${rows}`)
  return sent
}
