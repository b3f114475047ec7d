import type { PoolClient, QueryArrayConfig } from 'pg'
import { batchRows } from '../../geo/batch.ts'
import { statementFailure } from '../../lib/postgres/errors.ts'
import { quoteTable } from '../../lib/postgres/quote.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'
import { tableChanging } from '../tile-reading.ts'
import type { KeptLayouts, ReadLayout } from './kept-layouts.ts'
import { isOutdated, readMark } from './kept-layouts.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { Filter } from './read-conditions.ts'
import { conditionsOf, identitySql } from './read-conditions.ts'
import type { TextRow } from './read-rows.ts'
import { batchOfRows, selectList, textTypes } from './read-rows.ts'

/** What is kept between questions to a store. */
export interface ReadMemory {
  layouts: KeptLayouts
  statements: PreparedStatements
}

/** Attempts until a table counts as one that never stands still. */
const mostAttempts = 5
/** Before the attributes stand the id and the mark of the table. */
const markAt = 1
const firstAttributeAt = 2

export async function countFeatures(
  client: PoolClient,
  { layouts }: ReadMemory,
  query: Filter & Pick<FeatureQuery, 'table'>,
): Promise<number> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { layout, isKept } = await layouts.get(client, query.table)
    try {
      const { count, mark } = await countBy(client, layout, query)
      if (mark === layout.mark) return count
    } catch (error) {
      if (!(await isOutdated(client, { layout, isKept }, error)))
        throw statementFailure(error, `counting the features of "${query.table}"`)
    }
    layouts.forget(layout)
  }
  throw tableChanging(query.table)
}

async function countBy(
  client: PoolClient,
  { facts, markSql }: ReadLayout,
  query: Filter,
): Promise<{ count: number; mark: string | null }> {
  const conditions = conditionsOf(facts, query)
  const { rows } = await client.query<{ count: string; mark: string | null }>(
    `select count(*)::text as count, ${markSql} as mark
     from ${quoteTable(facts.schema, facts.name)} ${conditions.sql}`,
    conditions.values,
  )
  return { count: Number(rows[0]?.count ?? 0), mark: rows[0]?.mark ?? null }
}

/**
 * Streams what matches. Rows tell by a mark whether the table is still the one that the statement was made for: if not,
 * they are dropped, and the statement is made anew.
 */
export async function* streamFeatures(
  client: PoolClient,
  memory: ReadMemory,
  query: FeatureQuery,
): AsyncGenerator<FeaturePage> {
  let seen = Math.max(0, Math.trunc(query.offset))
  let isBegun = false
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { layout: whole, isKept } = await memory.layouts.get(client, query.table)
    const layout = onlyOf(whole, query.attributes)
    const { schema } = layout
    try {
      for await (const rows of readRows(client, layout, query, memory.statements)) {
        if (!isBegun && rows[0]?.[markAt] !== layout.mark) break
        isBegun = true
        const start = seen
        seen += rows.length
        const batch = batchOfRows(schema, rows, firstAttributeAt, (_row, index) => start + index + 1)
        yield { batch, ids: rows.map((row, index) => row[0] ?? String(start + index + 1)) }
      }
      if (isBegun || (await readMark(client, layout)) === layout.mark) return
    } catch (error) {
      if (isBegun || !(await isOutdated(client, { layout, isKept }, error)))
        throw statementFailure(error, `reading "${query.table}"`)
    }
    memory.layouts.forget(whole)
  }
  throw tableChanging(query.table)
}

/** The layout with these attributes alone and no geometry; as it is where none are named. */
function onlyOf(layout: ReadLayout, names: readonly string[] | undefined): ReadLayout {
  if (names === undefined) return layout
  const attributes = layout.schema.attributes.filter(({ name }) => names.includes(name))
  return { ...layout, schema: { attributes, geometry: undefined } }
}

/** A page of a table by one statement; what is longer, and what a view gives, by a cursor in a read-only transaction. */
function readRows(
  client: PoolClient,
  layout: ReadLayout,
  query: FeatureQuery,
  statements: PreparedStatements,
): AsyncIterable<TextRow[]> {
  const statement = featuresSql(layout, query)
  const isPage = query.limit <= batchRows && layout.facts.kind !== 'view'
  return isPage ? readAtOnce(client, statement, statements) : readByCursor(client, statement)
}

interface FeaturesStatement {
  text: string
  values: unknown[]
  /** It will be asked again to the letter. */
  isUsual: boolean
}

function featuresSql({ facts, schema, markSql }: ReadLayout, query: FeatureQuery): FeaturesStatement {
  const conditions = conditionsOf(facts, query)
  const identity = identitySql(facts)
  const id = identity === undefined ? 'null::text' : `${identity}::text`
  const read = schema.geometry === undefined ? { ...facts, geometry: undefined } : facts
  const list = [id, markSql, ...selectList(read, schema.attributes)]
  // Qualified, since a bare name would mean the text in the select list.
  const order = identity === undefined ? '' : `order by feature.${identity}`
  const limit = Number.isFinite(query.limit) ? `limit ${Math.max(0, Math.trunc(query.limit))}` : ''
  const offset = Math.max(0, Math.trunc(query.offset))
  return {
    text: `select ${list.join(', ')} from ${quoteTable(facts.schema, facts.name)} as feature
      ${conditions.sql} ${order} ${limit} offset ${offset}`,
    values: conditions.values,
    // Others are planned for their values: a plan that fits any box fits none well.
    isUsual:
      offset === 0 && query.bboxes === undefined && query.time === undefined && query.filter === undefined,
  }
}

async function* readAtOnce(
  client: PoolClient,
  { text, values, isUsual }: FeaturesStatement,
  statements: PreparedStatements,
): AsyncGenerator<TextRow[]> {
  const query: QueryArrayConfig = { text, values, rowMode: 'array', types: textTypes }
  const { rows } = isUsual
    ? await statements.query<TextRow>(client, query)
    : await client.query<TextRow>(query)
  if (rows.length > 0) yield rows
}

/** Ends the transaction also when left early. */
async function* readByCursor(
  client: PoolClient,
  { text, values }: FeaturesStatement,
): AsyncGenerator<TextRow[]> {
  try {
    await client.query('begin read only')
    await client.query(`declare terrane_features no scroll cursor for ${text}`, values)
    while (true) {
      const { rows } = await client.query<TextRow>({
        text: `fetch ${batchRows} from terrane_features`,
        rowMode: 'array',
        types: textTypes,
      })
      if (rows.length === 0) break
      yield rows
    }
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
