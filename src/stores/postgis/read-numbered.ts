import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteTable } from '../../lib/postgres/quote.ts'
import { readCopy } from '../../lib/postgres/read-copy.ts'
import type { NumberedEnvelopes } from '../store.ts'
import { EnvelopeRows } from './envelope-rows.ts'
import type { ReadLayout } from './kept-layouts.ts'
import type { TableFacts } from './table-facts.ts'
import { boxSql, sidesSql } from './tile-sql.ts'

const integerTypes = new Set(['smallint', 'integer', 'bigint'])

/** How an envelope is sent: as one value, which takes a third of the time, or side by side. */
type Form = 'box' | 'sides'

/** Where `Box2D` does not round, it gives what `box` does. */
const boundsSql = (key: string, table: string): string => `
select min(${key})::text as least, max(${key})::text as most,
  ST_XMin(Box2D(ST_MakePoint(0.1, 0))) = 0.1 and ST_XMin(Box2D(ST_MakeEnvelope(0.1, 0, 1, 1))) = 0.1 as is_exact
from ${table}`

interface BoundsRow {
  least: string | null
  most: string | null
  is_exact: boolean
}

/**
 * How the envelopes of all rows are asked for by their keys: undefined where those are not whole numbers that JavaScript holds,
 * which the first and the last of them tell. Within a transaction in which the table stays as it is.
 */
export async function findForm(client: PoolClient, { facts }: ReadLayout): Promise<Form | undefined> {
  const { kind, primaryKey, columns, geometry } = facts
  const key = columns.find(({ name }) => name === primaryKey)
  if (kind !== 'table' || key === undefined || !integerTypes.has(key.sqlType) || geometry === undefined)
    return undefined
  const sql = boundsSql(quoteIdentifier(key.name), quoteTable(facts.schema, facts.name))
  const bounds = (await client.query<BoundsRow>(sql)).rows[0]
  const isSafe = [bounds?.least, bounds?.most].every((text) => Number.isSafeInteger(Number(text ?? 0)))
  if (!isSafe) return undefined
  return bounds?.is_exact === true ? 'box' : 'sides'
}

/** The envelopes of all rows as `readEnvelopes` gives them, in the order in which the table has them. */
export async function* readNumbered(
  client: PoolClient,
  { facts }: ReadLayout,
  form: Form,
): AsyncGenerator<NumberedEnvelopes> {
  const rows = new EnvelopeRows()
  for await (const piece of readCopy(client, numberedSql(facts, form))) {
    const page = rows.take(piece)
    if (page.ids.length > 0) yield page
  }
  rows.end()
}

/** Without an order, which would cost more than the rest. All sides are null for a geometry without a point. */
function numberedSql(facts: TableFacts, form: Form): string {
  const list = form === 'sides' ? sidesSql(facts) : [boxSql(facts)]
  const key = `feature.${quoteIdentifier(facts.primaryKey ?? '')}`
  const table = quoteTable(facts.schema, facts.name)
  return `copy (select ${[key, ...list].join(', ')} from ${table} as feature) to stdout (format binary)`
}
