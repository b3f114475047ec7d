import type { PoolClient, QueryArrayConfig } from 'pg'
import { statementFailure } from '../../core/postgres/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import { batchRows } from '../../geo/batch.ts'
import { collectionsNotRelated } from '../../geo/relations/relation-failures.ts'
import { unknownPosition } from '../order.ts'
import type { OrderedPart } from '../ordered-sql.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'
import { tableChanging } from '../tile-reading.ts'
import type { CachedLayouts, ReadLayout } from './cached-layouts.ts'
import { isOutdated, readMark } from './cached-layouts.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { FeatureFilter } from './read-conditions.ts'
import { conditionsOf, identitySql } from './read-conditions.ts'
import { orderedRows } from './read-order.ts'
import type { TextRow } from './read-rows.ts'
import { batchOfRows, selectList, textTypes } from './read-rows.ts'
import type { TableFacts } from './table-facts.ts'

/** Cached data of a store between queries. */
export interface ReadMemory {
  layouts: CachedLayouts
  statements: PreparedStatements
}

/** Maximum number of attempts before a table counts as constantly changing. */
const maxAttempts = 5
/** The id and the mark of the table precede the attributes. */
const markAt = 1
const firstAttributeAt = 2

export async function countFeatures(
  client: PoolClient,
  { layouts }: ReadMemory,
  query: FeatureFilter & Pick<FeatureQuery, 'table'>,
): Promise<number> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { layout, isKept } = await layouts.get(client, query.table)
    try {
      const { count, mark } = await countBy(client, layout, query)
      if (mark === layout.mark) return count
    } catch (error) {
      if (!(await isOutdated(client, { layout, isKept }, error)))
        throw readingFailure(error, `counting the features of "${query.table}"`)
    }
    layouts.forget(layout)
  }
  throw tableChanging(query.table)
}

async function countBy(
  client: PoolClient,
  { facts, markSql }: ReadLayout,
  query: FeatureFilter,
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
 * Streams matching features. Each row contains a mark that shows whether the table still is the one that the
 * statement was prepared for; if not, the rows are dropped and the statement is prepared again.
 */
export async function* streamFeatures(
  client: PoolClient,
  memory: ReadMemory,
  query: FeatureQuery,
): AsyncGenerator<FeaturePage> {
  let seen = Math.max(0, Math.trunc(query.offset))
  let isBegun = false
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { layout: whole, isKept } = await memory.layouts.get(client, query.table)
    const layout = onlyOf(whole, query)
    const { schema } = layout
    try {
      for await (const rows of readRows(client, layout, query, memory.statements)) {
        if (!isBegun && rows[0]?.[markAt] !== layout.mark) break
        isBegun = true
        const start = seen
        seen += rows.length
        const batch = batchOfRows(schema, rows, firstAttributeAt, (_row, index) => start + index + 1)
        const ids = rows.map((row, index) => row[0] ?? String(start + index + 1))
        yield { batch, ids, isKeyed: identitySql(layout.facts) !== undefined }
      }
      if (isBegun || (await readMark(client, layout)) === layout.mark) return
    } catch (error) {
      if (isBegun || !(await isOutdated(client, { layout, isKept }, error)))
        throw isUnreadable(error, query)
          ? unknownPosition(error)
          : readingFailure(error, `reading "${query.table}"`)
    }
    memory.layouts.forget(whole)
  }
  throw tableChanging(query.table)
}

function readingFailure(error: unknown, doing: string): Error {
  const isOfCollection = error instanceof Error && /LWGEOMCOLLECTION|GeometryCollection/i.test(error.message)
  return isOfCollection ? collectionsNotRelated(error) : statementFailure(error, doing)
}

/** True if a value of a position does not match the type of its column. */
function isUnreadable(error: unknown, { from }: FeatureQuery): boolean {
  return from !== undefined && error instanceof Error && 'code' in error && /^22/.test(String(error.code))
}

/** Returns the layout with only the requested columns; unchanged if none are named. */
function onlyOf(layout: ReadLayout, { attributes: names, withGeometry = false }: FeatureQuery): ReadLayout {
  if (names === undefined) return layout
  const attributes = layout.schema.attributes.filter(({ name }) => names.includes(name))
  return { ...layout, schema: { attributes, geometry: withGeometry ? layout.schema.geometry : undefined } }
}

/**
 * Reads a page of a table with one statement; reads longer results, and views, with a cursor in a read-only
 * transaction.
 */
async function* readRows(
  client: PoolClient,
  layout: ReadLayout,
  query: FeatureQuery,
  statements: PreparedStatements,
): AsyncGenerator<TextRow[]> {
  const parts = orderedRows(layout.facts, query)
  const [only] = parts
  const isPage = query.limit <= batchRows && layout.facts.kind !== 'view'
  if (isPage && parts.length === 1 && only !== undefined) {
    yield* readAtOnce(client, featuresSql(layout, query, only), statements)
    return
  }
  let left = query.limit
  try {
    await client.query('begin isolation level repeatable read read only')
    for (const part of parts) {
      const statement = featuresSql(layout, { ...query, limit: left }, part)
      const pages = isPage ? readAtOnce(client, statement, statements) : readByCursor(client, statement)
      for await (const rows of pages) {
        left -= rows.length
        yield rows
      }
      if (left <= 0) break
    }
  } finally {
    // Also if the consumer stops early.
    await client.query('rollback').catch(() => {})
  }
}

interface FeaturesStatement {
  text: string
  values: unknown[]
  /** True if the same SQL is likely to be used again. */
  isUsual: boolean
}

function featuresSql(
  { facts, schema, markSql }: ReadLayout,
  query: FeatureQuery,
  part: OrderedPart<unknown>,
): FeaturesStatement {
  const conditions = conditionsOf(facts, query)
  const behind = part.condition((value) => conditions.bind(value))
  if (behind !== undefined) conditions.add(behind)
  const identity = identitySql(facts)
  const id = identity === undefined ? 'null::text' : `${identity}::text`
  const read = schema.geometry === undefined ? { ...facts, geometry: undefined } : facts
  const list = [id, markSql, ...selectList(read, schema.attributes, { isExact: query.isExact === true })]
  const order = part.order === '' ? '' : `order by ${part.order}`
  const limit = Number.isFinite(query.limit) ? `limit ${Math.max(0, Math.trunc(query.limit))}` : ''
  const offset = query.from === undefined ? Math.max(0, Math.trunc(query.offset)) : 0
  const from = `from ${quoteTable(facts.schema, facts.name)} as feature`
  const beginning = offset === 0 ? undefined : beginningOf(facts, query)
  const rows = `${from} ${conditions.sql} ${order}`
  if (beginning === 'id')
    conditions.add(`feature.${identity} >= (select feature.${identity} ${rows} limit 1 offset ${offset})`)
  if (beginning === 'places')
    conditions.add(`feature.ctid = any(array(select feature.ctid ${rows} ${limit} offset ${offset}))`)
  return {
    text: `select ${list.join(', ')} ${from} ${conditions.sql} ${order} ${limit} offset ${beginning === undefined ? offset : 0}`,
    values: conditions.values,
    // Others are planned for their values: a plan for any box is good for none.
    isUsual: offset === 0 && isOfIdsAlone(query),
  }
}

/**
 * Returns how rows after an offset are found without converting skipped rows to text, which takes most of the
 * time: from the id of the first one, or by their locations in the table. Undefined if neither is possible.
 */
function beginningOf(facts: TableFacts, { sort = [], limit }: FeatureQuery): 'id' | 'places' | undefined {
  if (sort.length === 0) return identitySql(facts) === undefined ? undefined : 'id'
  return facts.kind === 'table' && limit <= batchRows ? 'places' : undefined
}

function isOfIdsAlone({ bboxes, time, filter, sort = [] }: FeatureQuery): boolean {
  return bboxes === undefined && time === undefined && filter === undefined && sort.length === 0
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

/** Must run within a transaction. */
async function* readByCursor(
  client: PoolClient,
  { text, values }: FeaturesStatement,
): AsyncGenerator<TextRow[]> {
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
  await client.query('close terrane_features')
}
