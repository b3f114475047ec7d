import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteTable, quoteText } from '../../core/postgres/quote.ts'
import type { ReadLayout } from './cached-layouts.ts'
import { markOf } from './cached-layouts.ts'
import type { PreparedStatements } from './prepared-statements.ts'

/** Text that the server quotes in its error message, in any language. */
const changed = 'terrane: the table has changed'
const checkSql = `select (case when ${markOf('$1', '$2')} = $3 then 'true' else '${changed}' end)::boolean`

/**
 * Returns statements to put before another one in the same message, which fail if the table no longer matches
 * its layout. They are planned once, unlike the mark in each statement. The table is locked first, so that
 * the mark is valid for the statement too. Undefined if that is not possible.
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

/** True if the check found that the table no longer matches its layout. */
export function isTableChanged(error: unknown): boolean {
  return error instanceof Error && error.message.includes(changed)
}
