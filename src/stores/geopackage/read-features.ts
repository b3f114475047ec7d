import type { DatabaseSync } from 'node:sqlite'
import { wkbStart } from '../../formats/geopackage/geometry-blob.ts'
import { quoteName } from '../../formats/geopackage/sql-names.ts'
import { appendRow, iterateRows, selectList } from '../../formats/geopackage/sql-rows.ts'
import type { GeoPackageTable } from '../../formats/geopackage/tables.ts'
import { parseDate, parseTimestamp } from '../../formats/geopackage/temporal.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { BoxTest } from '../../geo/wkb-touches.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'
import { hasRtree, rtreeName } from './rtree-sql.ts'

type Filter = Omit<FeatureQuery, 'limit' | 'offset'>
type Bound = string | number | bigint

/** A condition and what is bound in it. */
interface Condition {
  sql: string
  bound: Bound[]
}

/** How much further than a 32-bit float its outward rounding may reach, as a part of the value. */
const floatStep = 2 ** -21

/** Number of features that match, exact. */
export function countFeatures(db: DatabaseSync, table: GeoPackageTable, filter: Filter): number {
  const where = whereClause(db, table, filter)
  const statement = db.prepare(`SELECT count(*) AS n FROM ${quoteName(table.name)} AS t ${where.sql}`)
  return Number(statement.get(...where.bound)?.['n'])
}

/** A page of features in the order of their ids; ids are row numbers where the table has none. */
export async function* readPages(
  db: DatabaseSync,
  table: GeoPackageTable,
  query: FeatureQuery,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const where = whereClause(db, table, query)
  const order = table.idColumn === undefined ? '' : `ORDER BY t.${quoteName(table.idColumn)}`
  const statement = db.prepare(
    `SELECT ${selectList(table)} FROM ${quoteName(table.name)} AS t ${where.sql} ${order} LIMIT ? OFFSET ?`,
  )
  let builder = new BatchBuilder(table.schema)
  let ids: string[] = []
  let row = query.offset
  for (const values of iterateRows(statement, ...where.bound, query.limit, query.offset)) {
    row += 1
    if (appendRow(builder, values, row)) ids.push(String(values[0] ?? row))
    if (!builder.isFull) continue
    yield { batch: builder.finish(), ids }
    signal.throwIfAborted()
    builder = new BatchBuilder(table.schema)
    ids = []
  }
  if (!builder.isEmpty) yield { batch: builder.finish(), ids }
}

function whereClause(db: DatabaseSync, table: GeoPackageTable, filter: Filter): Condition {
  const conditions: Condition[] = []
  if (filter.featureId !== undefined) conditions.push(idCondition(table, filter.featureId))
  if (filter.time !== undefined) conditions.push(timeCondition(db, table, filter.time))
  if (filter.bboxes !== undefined) conditions.push(boxCondition(db, table, filter.bboxes))
  if (conditions.length === 0) return { sql: '', bound: [] }
  return {
    sql: `WHERE ${conditions.map(({ sql }) => `(${sql})`).join(' AND ')}`,
    bound: conditions.flatMap(({ bound }) => bound),
  }
}

const nothing: Condition = { sql: 'FALSE', bound: [] }

function idCondition(table: GeoPackageTable, featureId: string): Condition {
  if (table.idColumn === undefined || !/^(0|-?[1-9]\d{0,18})$/.test(featureId)) return nothing
  const id = BigInt(featureId)
  if (BigInt.asIntN(64, id) !== id) return nothing
  return { sql: `t.${quoteName(table.idColumn)} = ?`, bound: [id] }
}

/**
 * Features that touch one of the boxes, and those without geometry (OGC 17-069r4, /req/core/fc-bbox-response). The
 * R*Tree holds envelopes as 32-bit floats rounded outwards: what lies within a box clear of that rounding is certain, only the others
 * are looked at themselves.
 */
function boxCondition(db: DatabaseSync, table: GeoPackageTable, boxes: Envelope[]): Condition {
  const geometry = table.schema.geometry?.name
  if (geometry === undefined) return { sql: 'TRUE', bound: [] }
  const tests = boxes.map((box) => new BoxTest(box))
  db.function('terrane_touches', { deterministic: true }, (blob, box) =>
    touches(blob, tests[Number(box)]) ? 1 : 0,
  )
  const column = `t.${quoteName(geometry)}`
  if (table.idColumn === undefined || !hasRtree(db, { table: table.name, geometry })) {
    const some = boxes.map((_, box) => `terrane_touches(${column}, ${box})`)
    return { sql: [`${column} IS NULL`, ...some].join(' OR '), bound: [] }
  }
  const id = quoteName(table.idColumn)
  const rtree = quoteName(rtreeName({ table: table.name, geometry }))
  const exact = (box: number) => `(SELECT terrane_touches(s.${quoteName(geometry)}, ${box})
    FROM ${quoteName(table.name)} AS s WHERE s.${id} = r.id)`
  const select = (_: Envelope, box: number) => `SELECT r.id FROM ${rtree} AS r
    WHERE r.maxx >= ? AND r.minx <= ? AND r.maxy >= ? AND r.miny <= ?
    AND ((r.minx >= ? AND r.maxx <= ? AND r.miny >= ? AND r.maxy <= ?) OR ${exact(box)})`
  return {
    sql: `${column} IS NULL OR t.${id} IN (${boxes.map(select).join(' UNION ')})`,
    bound: boxes.flatMap(boundsOf),
  }
}

function boundsOf({ minX, minY, maxX, maxY }: Envelope): number[] {
  const above = (value: number): number => value + Math.abs(value) * floatStep + 1e-37
  const below = (value: number): number => value - Math.abs(value) * floatStep - 1e-37
  return [
    ...[below(minX), above(maxX), below(minY), above(maxY)],
    ...[above(minX), below(maxX), above(minY), below(maxY)],
  ]
}

function touches(blob: unknown, box: BoxTest | undefined): boolean {
  if (!(blob instanceof Uint8Array) || box === undefined) return false
  try {
    return box.touches(blob, wkbStart(blob, 0, blob.length))
  } catch (error) {
    if (error instanceof GeometryError) return false
    throw error
  }
}

const microsPerDay = 86_400_000_000n

function microsOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : parseTimestamp(text)
}

function dayText(micros: bigint, days: number): string {
  return new Date(Number(micros / 1000n) + days * 86_400_000).toISOString().slice(0, 10)
}

/**
 * Rows within an interval, its ends included; a date counts as its whole day. The text of a time begins with its day,
 * give or take the zone, so that comparing texts finds nearly all that match, through an index where there is one.
 */
function timeCondition(
  db: DatabaseSync,
  table: GeoPackageTable,
  time: NonNullable<FeatureQuery['time']>,
): Condition {
  const attribute = table.schema.attributes.find(({ name }) => name === time.attribute)
  if (attribute?.type !== 'date' && attribute?.type !== 'timestamp') return nothing
  const from = microsOf(time.from)
  const to = microsOf(time.to)
  const isDate = attribute.type === 'date'
  db.function('terrane_within', { deterministic: true }, (text) => {
    const value = typeof text === 'string' ? startOf(text, isDate) : undefined
    if (value === undefined) return 0
    const last = isDate ? value + microsPerDay - 1n : value
    return (from === undefined || last >= from) && (to === undefined || value <= to) ? 1 : 0
  })
  const column = `t.${quoteName(attribute.name)}`
  const near: Condition[] = []
  if (from !== undefined) near.push({ sql: `${column} >= ?`, bound: [dayText(from, -2)] })
  if (to !== undefined) near.push({ sql: `${column} < ?`, bound: [dayText(to, 3)] })
  near.push({ sql: `terrane_within(${column})`, bound: [] })
  return { sql: near.map(({ sql }) => sql).join(' AND '), bound: near.flatMap(({ bound }) => bound) }
}

function startOf(text: string, isDate: boolean): bigint | undefined {
  if (!isDate) return parseTimestamp(text)
  const days = parseDate(text)
  return days === undefined ? undefined : BigInt(days) * microsPerDay
}
