import { invalid } from '../../core/errors/errors.ts'
import { quoteIdentifier } from '../../core/postgres/quote.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { Area } from '../../geo/polygon-test.ts'
import type { FeatureQuery } from '../store.ts'
import { filterSql } from './filter-sql.ts'
import type { TableFacts } from './table-facts.ts'

export type FeatureFilter = Omit<FeatureQuery, 'limit' | 'offset'>

/**
 * Returns SQL for the feature id and the order: the primary key, else the row location (ctid), else undefined
 * (views).
 */
export function identitySql(facts: TableFacts): string | undefined {
  if (facts.primaryKey !== undefined) return quoteIdentifier(facts.primaryKey)
  return facts.kind === 'table' ? 'ctid' : undefined
}

export class Conditions {
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

export function conditionsOf(facts: TableFacts, query: FeatureFilter): Conditions {
  const conditions = new Conditions()
  if (query.bboxes !== undefined) addAreas(conditions, facts, query.bboxes)
  if (query.time !== undefined) addTime(conditions, facts, query.time)
  if (query.filter !== undefined)
    conditions.add(filterSql(query.filter, facts, (value) => conditions.bind(value)))
  if (query.featureId !== undefined) conditions.add(idSql(conditions, facts, query.featureId))
  if (query.featureIds !== undefined) {
    const ids = query.featureIds.map((id) => idSql(conditions, facts, id))
    conditions.add(ids.length === 0 ? 'false' : `(${ids.join(' or ')})`)
  }
  return conditions
}

/**
 * Matches features that touch one of the boxes, and features without geometry (OGC 17-069r4,
 * /req/core/fc-bbox-response).
 */
function addAreas(conditions: Conditions, facts: TableFacts, areas: Area[]): void {
  const { geometry } = facts
  if (geometry === undefined) {
    return
  }
  const name = quoteIdentifier(geometry.name)
  const column = geometry.isGeography ? `${name}::geometry` : name
  const parts = areas.map(({ minX, minY, maxX, maxY, outline }) => {
    if (outline !== undefined)
      return `ST_Intersects(${column}, ST_GeomFromText(${conditions.bind(polygonText(outline))}, ${geometry.srid}))`
    const [x0, y0, x1, y1] = [minX, minY, maxX, maxY].map((side) => `${conditions.bind(side)}::float8`)
    return `ST_Intersects(${column}, ST_MakeEnvelope(${x0}, ${y0}, ${x1}, ${y1}, ${geometry.srid}))`
  })
  // Finding rows without geometry scans a spatial index completely, so it is omitted if there can be none.
  const none = geometry.isNotNull && facts.kind === 'table' ? [] : [`${name} is null`]
  const all = [...none, ...parts]
  conditions.add(all.length === 0 ? 'false' : `(${all.join(' or ')})`)
}

/** Returns well-known text (OGC 06-103r4, section 7.2). */
function polygonText(outline: readonly number[]): string {
  const vertices: string[] = []
  for (let at = 0; at < outline.length; at += 2) vertices.push(`${outline[at]} ${outline[at + 1]}`)
  return `POLYGON((${vertices.join(',')}))`
}

const dateOnly = /^\d{4,6}-\d\d-\d\d$/

/** A date as the end of an interval means the whole day. */
function addTime(conditions: Conditions, facts: TableFacts, time: NonNullable<FeatureFilter['time']>): void {
  const column = facts.columns.find(({ name }) => name === time.attribute)
  const type = column?.attribute?.type
  if (column === undefined || (type !== 'date' && type !== 'timestamp')) {
    throw invalid(
      'invalid-time-attribute',
      `"${time.attribute}" is not a date or timestamp of "${facts.name}"`,
    )
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

/** True if the table can contain a feature with this id. */
export function canBeFeatureId(facts: TableFacts, id: string): boolean {
  const key = identitySql(facts)
  const column = facts.columns.find(({ name }) => name === facts.primaryKey)
  return key !== undefined && canBeId(id, column?.attribute?.type ?? (key === 'ctid' ? 'ctid' : 'other'))
}

function idSql(conditions: Conditions, facts: TableFacts, id: string): string {
  const key = identitySql(facts)
  const column = facts.columns.find(({ name }) => name === facts.primaryKey)
  if (!canBeFeatureId(facts, id)) return 'false'
  const value = conditions.bind(id)
  if (column === undefined) return `ctid = ${value}::tid`
  return column.attribute === undefined ? `${key}::text = ${value}` : `${key} = ${value}::${column.sqlType}`
}

const integerLimits: Record<string, bigint> = { int16: 32_767n, int32: 2_147_483_647n, int64: 2n ** 63n - 1n }

/** True if a text can be a value of the key's type, in the form in which ids are returned. */
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
