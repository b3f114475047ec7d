import type { PoolClient } from 'pg'
import type { Schema } from '../../geo/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { isConnectionLost } from '../../lib/postgres/errors.ts'
import { quoteText } from '../../lib/postgres/quote.ts'
import type { TableFacts } from './table-facts.ts'
import { findTableFacts } from './table-facts.ts'
import { schemaOf } from './table-schema.ts'

/** What statements that read a table are made of, and the mark by which they see that it still holds. */
export interface ReadLayout {
  facts: TableFacts
  schema: Schema
  mark: string
  /** An expression that gives the present mark of the table, null where there is no table of that name. */
  markSql: string
}

/** For what no mark shows, as the definition of a CRS. */
const longestKeptMs = 10_000
const mostKept = 200

interface Kept {
  layout: ReadLayout
  until: number
}

/** Layouts of the tables of a schema that were read last. */
export class KeptLayouts {
  readonly #schema: string
  readonly #kept = new Map<string, Kept>()

  constructor(schema: string) {
    this.#schema = schema
  }

  /** Throws `Failure` (`notFound`) where there is no such table. */
  async get(client: PoolClient, table: string): Promise<{ layout: ReadLayout; isKept: boolean }> {
    const kept = this.#kept.get(table)
    if (kept !== undefined && performance.now() < kept.until) return { layout: kept.layout, isKept: true }
    this.#kept.delete(table)
    const layout = await findLayout(client, this.#schema, table)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(table, { layout, until: performance.now() + longestKeptMs })
    return { layout, isKept: false }
  }

  forget(layout: ReadLayout): void {
    const { name } = layout.facts
    if (this.#kept.get(name)?.layout === layout) this.#kept.delete(name)
  }
}

/** The mark comes first: where the table changes in between, it does not fit, which the next statement sees. */
async function findLayout(client: PoolClient, schema: string, table: string): Promise<ReadLayout> {
  const markSql = markOf(quoteText(schema), quoteText(table))
  const mark = await readMark(client, { markSql })
  const facts = await findTableFacts(client, schema, table)
  if (facts === undefined || mark === null) {
    throw notFound('unknown-table', `There is no table "${table}" in schema "${schema}"`)
  }
  return { facts, mark, markSql, ...(await schemaOf(client, facts)) }
}

export async function readMark(
  client: PoolClient,
  { markSql }: Pick<ReadLayout, 'markSql'>,
): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(`select ${markSql} as mark`)
  return rows[0]?.mark ?? null
}

/**
 * Of a schema and table as SQL has them: the transactions that wrote last what the catalogue says of the table, its columns and keys (PostgreSQL, "System
 * Columns"). A statement sees its tables locked before it sees the catalogue: what it tells holds for its own rows.
 */
export function markOf(schema: string, table: string): string {
  return `(select md5(concat_ws(' ', c.oid, c.xmin,
    (select string_agg(concat_ws(',', a.attnum, a.xmin), ' ' order by a.attnum) from pg_catalog.pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0),
    (select string_agg(concat_ws(',', i.indexrelid, i.xmin), ' ' order by i.indexrelid) from pg_catalog.pg_index i
     where i.indrelid = c.oid)))
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table})`
}

/** Whether a statement may have failed since the table is not what it was made for; not for want of time or room. */
export function mayBeOutdated(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return !isConnectionLost(error) && !/^(?:5[37]|store-|table-locked)/.test(code)
}

/** Whether a statement failed since the table has changed: also after a look at it, while the statement waited for others. */
export async function isOutdated(
  client: PoolClient,
  { layout, isKept }: { layout: ReadLayout; isKept: boolean },
  error: unknown,
): Promise<boolean> {
  if (!mayBeOutdated(error)) return false
  return isKept || (await readMark(client, layout).catch(() => layout.mark)) !== layout.mark
}
