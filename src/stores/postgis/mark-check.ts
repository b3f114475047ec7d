import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteTable, quoteText } from '../../lib/postgres/quote.ts'
import type { ReadLayout } from './kept-layouts.ts'
import { markOf } from './kept-layouts.ts'
import type { PreparedStatements } from './prepared-statements.ts'

/** What the server quotes in its error, in whatever language that is. */
const changed = 'terrane: the table has changed'
const checkSql = `select (case when ${markOf('$1', '$2')} = $3 then 'true' else '${changed}' end)::boolean`

/**
 * Statements that stand before another one in the same message, and fail where a table is no longer what its layout says:
 * they are planned once, which the mark within each statement is not. The table is locked first, so that the mark is that of
 * the statement too. Undefined where that cannot be done.
 */
export async function markCheck(
  client: PoolClient,
  statements: PreparedStatements,
  { facts, mark }: ReadLayout,
): Promise<string | undefined> {
  if (facts.kind !== 'table') return undefined
  const values = [facts.schema, facts.name, mark]
  try {
    const name = await statements.prepare(client, { text: checkSql, values, rowMode: 'array' })
    if (name === undefined) return undefined
    return `lock table ${quoteTable(facts.schema, facts.name)} in access share mode;
      execute ${quoteIdentifier(name)}(${values.map(quoteText).join(', ')}); `
  } catch (error) {
    if (isTableChanged(error)) return undefined
    throw error
  }
}

/** Whether the check has found another table than its layout says. */
export function isTableChanged(error: unknown): boolean {
  return error instanceof Error && error.message.includes(changed)
}
