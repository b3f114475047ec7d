import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { TimeBounds } from '../store.ts'
import type { TableFacts } from './table-facts.ts'

/** Returns the first and last date or time of a column; times without a zone count as UTC. */
export async function readTimeBounds(
  client: PoolClient,
  { schema, name, columns }: TableFacts,
  attribute: string,
): Promise<TimeBounds | undefined> {
  const column = columns.find((one) => one.name === attribute)
  const type = column?.attribute?.type
  if (column === undefined || (type !== 'date' && type !== 'timestamp')) return undefined
  const value = quoteIdentifier(attribute)
  const isZoned = !column.sqlType.startsWith('timestamp without')
  const toText = (sql: string): string =>
    type === 'date'
      ? `${sql}::text`
      : `to_char(${sql}${isZoned ? " at time zone 'UTC'" : ''}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const { rows } = await client.query<{ first: string | null; last: string | null }>(
    `select ${toText(`min(${value})`)} as first, ${toText(`max(${value})`)} as last
     from ${quoteTable(schema, name)} where isfinite(${value})`,
  )
  const { first = null, last = null } = rows[0] ?? {}
  return first === null || last === null ? undefined : { from: first, to: last }
}
