import type { PoolClient } from 'pg'
import { notFound } from '../../core/errors/errors.ts'
import { isConnectionLost } from '../../core/postgres/errors.ts'
import { quoteText } from '../../core/postgres/quote.ts'
import type { Schema } from '../../geo/schema.ts'
import { parseRelationName } from './relation-name.ts'
import { withStoredSrid } from './stored-srid.ts'
import type { TableFacts } from './table-facts.ts'
import { findTableFacts } from './table-facts.ts'
import { schemaOf } from './table-schema.ts'

/** Parts of statements that read a table, and the mark that shows whether they are still valid. */
export interface ReadLayout {
  /** Name by which the layout was requested. */
  relation: string
  facts: TableFacts
  schema: Schema
  mark: string
  /** SQL expression for the present mark of the table; null if there is no table of that name. */
  markSql: string
}

/** Maximum age of a cached layout: a mark does not show all changes, such as a changed CRS definition. */
const longestKeptMs = 10_000
const maxKept = 200

interface CachedLayout {
  layout: ReadLayout
  until: number
}

/** Cached layouts of the recently read tables of a schema. */
export class CachedLayouts {
  readonly #schema: string
  readonly #kept = new Map<string, CachedLayout>()

  constructor(schema: string) {
    this.#schema = schema
  }

  /** Throws `Failure` (`notFound`) if there is no such table. */
  async get(client: PoolClient, table: string): Promise<{ layout: ReadLayout; isKept: boolean }> {
    const kept = this.#kept.get(table)
    if (kept !== undefined && performance.now() < kept.until) return { layout: kept.layout, isKept: true }
    this.#kept.delete(table)
    const layout = await findLayout(client, this.#schema, table)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= maxKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(table, { layout, until: performance.now() + longestKeptMs })
    return { layout, isKept: false }
  }

  forget(layout: ReadLayout): void {
    const { relation } = layout
    if (this.#kept.get(relation)?.layout === layout) this.#kept.delete(relation)
  }
}

/**
 * Reads the mark first: if the table changes in between, the mark is outdated, which the next statement
 * detects.
 */
async function findLayout(client: PoolClient, schema: string, relation: string): Promise<ReadLayout> {
  const { table } = await parseRelationName(client, schema, relation)
  const markSql = markOf(quoteText(schema), quoteText(table))
  const mark = await readMark(client, { markSql })
  const found = await findTableFacts(client, schema, relation)
  if (found === undefined || mark === null) {
    throw notFound('unknown-table', `There is no table "${relation}" in schema "${schema}"`)
  }
  const facts = await withStoredSrid(client, found)
  return { relation, facts, mark, markSql, ...(await schemaOf(client, facts)) }
}

export async function readMark(
  client: PoolClient,
  { markSql }: Pick<ReadLayout, 'markSql'>,
): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(`select ${markSql} as mark`)
  return rows[0]?.mark ?? null
}

/**
 * Returns SQL for the mark of a table: the transactions that last wrote its catalogue rows, columns and keys
 * (PostgreSQL, "System Columns"). A statement locks its tables before it reads the catalogue, so the mark is
 * valid for its own rows. Schema and table are SQL expressions.
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

/**
 * True if a statement may have failed because the table has changed since it was prepared; false for timeouts
 * and lack of resources.
 */
export function mayBeOutdated(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return !isConnectionLost(error) && !/^(?:5[37]|store-|table-locked)/.test(code)
}

/**
 * True if a statement failed because the table has changed, including while the statement waited for a lock.
 */
export async function isOutdated(
  client: PoolClient,
  { layout, isKept }: { layout: ReadLayout; isKept: boolean },
  error: unknown,
): Promise<boolean> {
  if (!mayBeOutdated(error)) return false
  return isKept || (await readMark(client, layout).catch(() => layout.mark)) !== layout.mark
}
