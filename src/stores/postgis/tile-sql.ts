import { quoteIdentifier, quoteTable, quoteText } from '../../core/postgres/quote.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { TileQuery, TilesQuery } from '../store.ts'
import { readAttributes } from '../tile-reading.ts'
import type { ReadLayout } from './cached-layouts.ts'
import { identitySql } from './read-conditions.ts'
import type { TableFacts } from './table-facts.ts'

const alias = 'feature'
/** Types without curves. */
const straightTypes = new Set([
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
])

/** A COPY of rows, and its fields: the id as text before the attributes. */
export interface TileStatement {
  sql: string
  schema: Schema
  attributes: Attribute[]
}

/**
 * `check` precedes the statement and fails if the table has changed since the statement was prepared; without
 * `check` the statement then returns no rows.
 */
export function tileSql(layout: ReadLayout, query: TileQuery, check?: string): TileStatement {
  const { facts, schema } = layout
  const attributes = readAttributes(schema, query)
  const list = [...attributes.map((attribute) => attributeSql(facts, attribute)), wkbSql(facts)]
  return { sql: copySql(layout, query, list, check), schema, attributes }
}

/**
 * Last attribute of a row that is read for several tiles: one bit per tile, the lowest bit for the first
 * tile.
 */
const tilesColumn = { name: 'tiles', type: 'int16' } as const

/** The same for several tiles, with `tilesColumn` after the attributes. */
export function tilesSql(layout: ReadLayout, query: TilesQuery, check?: string): TileStatement {
  const { facts, schema } = layout
  const attributes = readAttributes(schema, query)
  const bits = query.boxesOf.map(
    (boxes, tile) => `case when ${placeSql(facts, boxes)} then ${1 << tile} else 0 end`,
  )
  const list = [
    ...attributes.map((attribute) => attributeSql(facts, attribute)),
    `(${bits.join(' + ')})::int2`,
    wkbSql(facts),
  ]
  const { table, boxesOf } = query
  const sql = copySql(layout, { table, boxes: boxesOf.flat() }, list, check)
  return { sql, schema, attributes: [...attributes, tilesColumn] }
}

/** Returns a statement for the four sides of each envelope as numbers. */
export function envelopesSql(
  layout: ReadLayout,
  query: Pick<TileQuery, 'table' | 'boxes'>,
  check?: string,
): string {
  return copySql(layout, query, sidesSql(layout.facts), check)
}

/** Returns the sides of the envelope, possibly rounded outwards. */
export function sidesSql(facts: TableFacts): string[] {
  const box = `Box2D(${plainGeometry(facts)})`
  return ['ST_XMin', 'ST_YMin', 'ST_XMax', 'ST_YMax'].map((side) => `${side}(${box})`)
}

/** Returns the envelope as PostgreSQL's `box`, or the point of a column of points as `point`; never rounded. */
export function exactSql(facts: TableFacts, type: 'box' | 'point'): string {
  return `${plainGeometry(facts)}::${type}`
}

function copySql(
  { facts, mark, markSql }: ReadLayout,
  query: TileQuery,
  list: string[],
  check: string | undefined,
): string {
  const key = keySql(facts)
  const conditions = [placeSql(facts, query.boxes)]
  if (check === undefined) conditions.push(`${markSql} = ${quoteText(mark)}`)
  if (query.ids !== undefined) conditions.push(idsSql(facts, query.ids))
  return `${check ?? ''}copy (select ${[`${key}::text`, ...list].join(', ')} from ${quoteTable(facts.schema, facts.name)} as ${alias}
    where ${conditions.map((condition) => `(${condition})`).join(' and ')} order by ${key}) to stdout (format binary)`
}

/** Rows without a unique key are identified by their whole content: equal rows count as the same row. */
function keySql(facts: TableFacts): string {
  const identity = identitySql(facts)
  return identity === undefined ? `md5(${alias}::text)` : `${alias}.${identity}`
}

function plainGeometry({ geometry }: TableFacts): string {
  const column = `${alias}.${quoteIdentifier(geometry?.name ?? '')}`
  return geometry?.isGeography === true ? `${column}::geometry` : column
}

/** Uses the index: envelopes as 32-bit floats, rounded outwards. */
function placeSql(facts: TableFacts, boxes: Envelope[] | undefined): string {
  const column = plainGeometry(facts)
  if (boxes === undefined) return `${column} is not null and not ST_IsEmpty(${column})`
  const srid = facts.geometry?.srid ?? 0
  const parts = boxes.map(({ minX, minY, maxX, maxY }) => {
    const sides = [minX, minY, maxX, maxY].map((side) => `${quoteText(String(side))}::float8`)
    return `${column} && ST_MakeEnvelope(${sides.join(', ')}, ${srid})`
  })
  return parts.length === 0 ? 'false' : parts.join(' or ')
}

function idsSql(facts: TableFacts, ids: readonly string[]): string {
  const elements = ids.map((id) => `"${id.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return `${keySql(facts)} = any(${quoteText(`{${elements.join(',')}}`)}::${keyType(facts)}[])`
}

function keyType(facts: TableFacts): string {
  const identity = identitySql(facts)
  if (identity === undefined) return 'text'
  if (facts.primaryKey === undefined) return 'tid'
  return facts.columns.find(({ name }) => name === facts.primaryKey)?.sqlType ?? 'text'
}

/**
 * Returns the value in the binary format of a COPY for its attribute; decimals as text, which also represents
 * non-numbers.
 */
function attributeSql(facts: TableFacts, { name, type }: Attribute): string {
  const column = `${alias}.${quoteIdentifier(name)}`
  const known = facts.columns.find((one) => one.name === name)
  if (known?.attribute === undefined || type === 'text' || type === 'decimal') return `${column}::text`
  if (type !== 'date' && type !== 'timestamp') return column
  const isLocal = known.sqlType.startsWith('timestamp without')
  const instant = isLocal ? `${column} at time zone 'UTC'` : column
  return `case when isfinite(${column}) then ${instant} end`
}

function wkbSql(facts: TableFacts): string {
  const column = plainGeometry(facts)
  const isStraight = straightTypes.has(facts.geometry?.rules.type ?? '')
  const straight = isStraight
    ? column
    : `case when ST_HasArc(${column}) then ST_CurveToLine(${column}) else ${column} end`
  return `ST_AsBinary(${straight}, 'NDR')`
}
