import type { PoolClient } from 'pg'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import { readCopy } from '../../core/postgres/read-copy.ts'
import type { NumberedEnvelopes } from '../store.ts'
import type { ReadLayout } from './cached-layouts.ts'
import { EnvelopeRows } from './envelope-rows.ts'
import type { TableFacts } from './table-facts.ts'
import { exactSql, sidesSql } from './tile-sql.ts'

const integerTypes = new Set(['smallint', 'integer', 'bigint'])

/**
 * Transfer format of envelopes: as one value, which takes a third of the time, or as four values. Points take half
 * the time of boxes.
 */
type Form = 'box' | 'point' | 'sides'

/** `Box2D` gives the same result as `box` and `point` where it does not round. */
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
 * Returns how to query the envelopes of all rows by key; undefined if the keys are not safe integers of
 * JavaScript, according to the first and last one. Call within a transaction in which the table cannot
 * change.
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
  if (bounds?.is_exact !== true) return 'sides'
  return geometry.rules.type === 'Point' ? 'point' : 'box'
}

/** Yields the envelopes of all rows, like `readEnvelopes`, in table order. */
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

/** Without an order, which would cost more than the rest. All sides, or the value, are null for an empty geometry. */
function numberedSql(facts: TableFacts, form: Form): string {
  const list = form === 'sides' ? sidesSql(facts) : [exactSql(facts, form)]
  const key = `feature.${quoteIdentifier(facts.primaryKey ?? '')}`
  const table = quoteTable(facts.schema, facts.name)
  return `copy (select ${[key, ...list].join(', ')} from ${table} as feature) to stdout (format binary)`
}
