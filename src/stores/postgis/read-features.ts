import type { PoolClient } from 'pg'
import { batchRows } from '../../geo/batch.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import { invalid } from '../../lib/errors.ts'
import { ownValue } from '../../lib/own-value.ts'
import { statementFailure } from '../../lib/postgres/errors.ts'
import { quoteIdentifier, quoteTable } from '../../lib/postgres/quote.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'
import type { TextRow } from './read-rows.ts'
import { batchOfRows, selectList, textTypes } from './read-rows.ts'
import type { TableFacts } from './table-facts.ts'

type Filter = Omit<FeatureQuery, 'limit' | 'offset'>

/** What identifies a feature and gives the order: the primary key, else the row's place, else nothing (views). */
function identitySql(facts: TableFacts): string | undefined {
  if (facts.primaryKey !== undefined) return quoteIdentifier(facts.primaryKey)
  return facts.kind === 'table' ? 'ctid' : undefined
}

class Conditions {
  readonly values: unknown[] = []
  readonly #parts: string[] = []

  add(part: string): void {
    this.#parts.push(part)
  }

  bind(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  get sql(): string {
    return this.#parts.length === 0 ? '' : `where ${this.#parts.join(' and ')}`
  }
}

function conditionsOf(facts: TableFacts, query: Filter): Conditions {
  const conditions = new Conditions()
  if (query.bboxes !== undefined) addBoxes(conditions, facts, query.bboxes)
  if (query.time !== undefined) addTime(conditions, facts, query.time)
  if (query.featureId !== undefined) addFeatureId(conditions, facts, query.featureId)
  return conditions
}

/** What touches one of the boxes, and what has no geometry (OGC 17-069r4, /req/core/fc-bbox-response). */
function addBoxes(conditions: Conditions, facts: TableFacts, boxes: Envelope[]): void {
  const { geometry } = facts
  if (geometry === undefined) {
    return
  }
  const name = quoteIdentifier(geometry.name)
  const column = geometry.isGeography ? `${name}::geometry` : name
  const parts = boxes.map(({ minX, minY, maxX, maxY }) => {
    const [x0, y0, x1, y1] = [minX, minY, maxX, maxY].map((side) => `${conditions.bind(side)}::float8`)
    return `ST_Intersects(${column}, ST_MakeEnvelope(${x0}, ${y0}, ${x1}, ${y1}, ${geometry.srid}))`
  })
  conditions.add(`(${[`${name} is null`, ...parts].join(' or ')})`)
}

const dateOnly = /^\d{4,6}-\d\d-\d\d$/

/** A date alone as the end of an interval means the whole day. */
function addTime(conditions: Conditions, facts: TableFacts, time: NonNullable<Filter['time']>): void {
  const column = facts.columns.find(({ name }) => name === time.attribute)
  const type = column?.attribute?.type
  if (column === undefined || (type !== 'date' && type !== 'timestamp')) {
    throw invalid('invalid-time-attribute', `"${time.attribute}" is no date or timestamp of "${facts.name}"`)
  }
  const name = quoteIdentifier(column.name)
  const instant = column.sqlType.startsWith('timestamp without') ? `(${name} at time zone 'UTC')` : name
  if (time.from !== undefined) conditions.add(`${instant} >= ${conditions.bind(time.from)}::timestamptz`)
  if (time.to === undefined) return
  const to = conditions.bind(time.to)
  conditions.add(
    dateOnly.test(time.to)
      ? `${instant} < (${to}::date + 1)::timestamptz`
      : `${instant} <= ${to}::timestamptz`,
  )
}

function addFeatureId(conditions: Conditions, facts: TableFacts, id: string): void {
  const key = identitySql(facts)
  const column = facts.columns.find(({ name }) => name === facts.primaryKey)
  if (key === undefined || !canBeId(id, column?.attribute?.type ?? (key === 'ctid' ? 'ctid' : 'other'))) {
    conditions.add('false')
    return
  }
  const value = conditions.bind(id)
  conditions.add(
    column === undefined
      ? `ctid = ${value}::tid`
      : column.attribute === undefined
        ? `${key}::text = ${value}`
        : `${key} = ${value}::${column.sqlType}`,
  )
}

const integerLimits: Record<string, bigint> = { int16: 32_767n, int32: 2_147_483_647n, int64: 2n ** 63n - 1n }

/** Whether an id can be a value of the key's type at all, in the form in which ids are given out. */
function canBeId(id: string, type: string): boolean {
  if (id.includes('\0')) return false
  if (type === 'ctid') return /^\(\d{1,9},\d{1,4}\)$/.test(id)
  const limit = ownValue(integerLimits, type)
  if (limit !== undefined) {
    const isPlain = /^(0|-?[1-9]\d{0,18})$/.test(id)
    return isPlain && BigInt(id) <= limit && BigInt(id) >= -limit - 1n
  }
  return type === 'text' || type === 'other'
}

export async function countFeatures(client: PoolClient, facts: TableFacts, query: Filter): Promise<number> {
  const conditions = conditionsOf(facts, query)
  try {
    const { rows } = await client.query<{ count: string }>(
      `select count(*)::text as count from ${quoteTable(facts.schema, facts.name)} ${conditions.sql}`,
      conditions.values,
    )
    return Number(rows[0]?.count ?? 0)
  } catch (error) {
    throw statementFailure(error, `counting the features of "${facts.name}"`)
  }
}

/** Streams a query through a cursor in a transaction of its own; ends the transaction also when left early. */
export async function* streamFeatures(
  client: PoolClient,
  facts: TableFacts,
  schema: Schema,
  query: FeatureQuery,
): AsyncGenerator<FeaturePage> {
  const conditions = conditionsOf(facts, query)
  const identity = identitySql(facts)
  const list = [
    identity === undefined ? 'null' : `${identity}::text`,
    ...selectList(facts, schema.attributes),
  ]
  // Qualified, since a bare name would mean the text in the select list.
  const order = identity === undefined ? '' : `order by feature.${identity}`
  const limit = Number.isFinite(query.limit) ? `limit ${Math.max(0, Math.trunc(query.limit))}` : ''
  const offset = Math.max(0, Math.trunc(query.offset))
  let seen = offset
  try {
    await client.query('begin read only')
    await client.query(
      `declare terrane_features no scroll cursor for select ${list.join(', ')}
       from ${quoteTable(facts.schema, facts.name)} as feature ${conditions.sql} ${order} ${limit} offset ${offset}`,
      conditions.values,
    )
    while (true) {
      const { rows } = await client.query<TextRow>({
        text: `fetch ${batchRows} from terrane_features`,
        rowMode: 'array',
        types: textTypes,
      })
      if (rows.length === 0) break
      const start = seen
      seen += rows.length
      const batch = batchOfRows(schema, rows, 1, (_row, index) => start + index + 1)
      yield { batch, ids: rows.map((row, index) => row[0] ?? String(start + index + 1)) }
    }
  } catch (error) {
    throw statementFailure(error, `reading "${facts.name}"`)
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
