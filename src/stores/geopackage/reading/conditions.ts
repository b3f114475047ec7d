import type { DatabaseSync } from 'node:sqlite'
import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import {
  type GeoPackageTable,
  parseDate,
  parseTimestamp,
  quoteName,
  wkbStart,
} from '../../../formats/geopackage/index.ts'
import type { AreaTest } from '../../../geo/area-test.ts'
import type { Area } from '../../../geo/polygon-test.ts'
import { areaTest } from '../../../geo/polygon-test.ts'
import { GeometryError } from '../../../geo/wkb.ts'
import type { FeatureQuery } from '../../store.ts'
import { defineFilterFunctions } from './filter-functions.ts'
import { filterCondition } from './filter-sql.ts'
import type { IdSet } from './id-set.ts'
import type { SqlCondition } from './joined-conditions.ts'

export type FeatureFilter = Omit<FeatureQuery, 'limit' | 'offset'>
/** Maximum number of prepared areas per connection: those of one filter. */
const maxAreas = 100
const nothing: SqlCondition = { sql: 'FALSE', bound: [] }
const everything: SqlCondition = { sql: 'TRUE', bound: [] }

const listedIds = new WeakMap<DatabaseSync, IdSet>()

/** Sets the ids for which `terrane_listed` returns true. */
export function setListedIds(db: DatabaseSync, ids: IdSet): void {
  listedIds.set(db, ids)
}

/** Registers the functions of conditions on a connection. */
export function defineFunctions(db: DatabaseSync): void {
  defineFilterFunctions(db)
  db.function('terrane_listed', (id) => (listedIds.get(db)?.has(Number(id)) === true ? 1 : 0))
  const tests = new BoundedCache<string, AreaTest>(maxAreas)
  db.function('terrane_touches', { deterministic: true }, (blob, area) =>
    touches(blob, tests.get(String(area), areaTestOf)) ? 1 : 0,
  )
  db.function(
    'terrane_within',
    { deterministic: true, useBigIntArguments: true },
    (text, isDate, from, to) => (isWithin(text, isDate === 1n, from, to) ? 1 : 0),
  )
}

function areaText({ minX, minY, maxX, maxY, outline = [] }: Area): string {
  return [minX, minY, maxX, maxY, ...outline].join(' ')
}

function areaTestOf(text: string): AreaTest {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0, ...outline] = text.split(' ').map(Number)
  return areaTest({ minX, minY, maxX, maxY, outline: outline.length > 0 ? outline : undefined })
}

/** True if the geometry of a blob touches the area; false for an unreadable blob. */
export function touches(blob: unknown, area: AreaTest): boolean {
  if (!(blob instanceof Uint8Array)) return false
  try {
    return area.touches(blob, wkbStart(blob, 0, blob.length))
  } catch (error) {
    if (error instanceof GeometryError) return false
    throw error
  }
}

/** Returns the condition of a filter, evaluated row by row. */
export function conditionOf(table: GeoPackageTable, filter: FeatureFilter): SqlCondition {
  const conditions: SqlCondition[] = []
  if (filter.featureId !== undefined)
    conditions.push(idCondition(table, filter.featureId, filter.idAttribute))
  if (filter.featureIds !== undefined) conditions.push(idsCondition(table, filter.featureIds))
  if (filter.time !== undefined) conditions.push(timeCondition(table, filter.time))
  if (filter.bboxes !== undefined) conditions.push(areaCondition(table, filter.bboxes))
  if (filter.filter !== undefined) conditions.push(filterCondition(filter.filter, table, false))
  if (conditions.length === 0) return everything
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    bound: conditions.flatMap(({ bound }) => bound),
  }
}

function idCondition(
  table: GeoPackageTable,
  featureId: string,
  idAttribute: string | undefined,
): SqlCondition {
  if (idAttribute !== undefined) return { sql: `${quoteName(idAttribute)} = ?`, bound: [featureId] }
  const id = parseFeatureId(featureId)
  if (table.idColumn === undefined || id === undefined) return nothing
  return { sql: `${quoteName(table.idColumn)} = ?`, bound: [id] }
}

function idsCondition(table: GeoPackageTable, featureIds: readonly string[]): SqlCondition {
  const ids = featureIds.map(parseFeatureId).filter((id) => id !== undefined)
  if (table.idColumn === undefined || ids.length === 0) return nothing
  return { sql: `${quoteName(table.idColumn)} IN (${ids.map(() => '?').join(', ')})`, bound: ids }
}

/**
 * Matches features that touch one of the boxes, and features without geometry (OGC 17-069r4,
 * /req/core/fc-bbox-response).
 */
function areaCondition(table: GeoPackageTable, areas: Area[]): SqlCondition {
  const geometry = table.schema.geometry?.name
  if (geometry === undefined) return everything
  const column = quoteName(geometry)
  return {
    sql: [`${column} IS NULL`, ...areas.map(() => `terrane_touches(${column}, ?)`)].join(' OR '),
    bound: areas.map(areaText),
  }
}

const microsPerDay = 86_400_000_000n

function dayText(micros: bigint, days: number): string {
  return new Date(Number(micros / 1000n) + days * 86_400_000).toISOString().slice(0, 10)
}

/**
 * Matches rows within an interval, both ends included; a date counts as its whole day. The text of a time
 * starts with its day, up to the time zone, so comparing texts finds nearly all matches, with an index if
 * there is one.
 */
export function timeCondition(table: GeoPackageTable, time: NonNullable<FeatureQuery['time']>): SqlCondition {
  const attribute = table.schema.attributes.find(({ name }) => name === time.attribute)
  if (attribute?.type !== 'date' && attribute?.type !== 'timestamp') return nothing
  const from = time.from === undefined ? undefined : parseTimestamp(time.from)
  const to = time.to === undefined ? undefined : parseTimestamp(time.to)
  const column = quoteName(attribute.name)
  const near: SqlCondition[] = []
  if (from !== undefined) near.push({ sql: `${column} >= ?`, bound: [dayText(from, -2)] })
  if (to !== undefined) near.push({ sql: `${column} < ?`, bound: [dayText(to, 3)] })
  const isDate = attribute.type === 'date' ? 1 : 0
  near.push({ sql: `terrane_within(${column}, ?, ?, ?)`, bound: [isDate, from ?? null, to ?? null] })
  return { sql: near.map(({ sql }) => sql).join(' AND '), bound: near.flatMap(({ bound }) => bound) }
}

function isWithin(text: unknown, isDate: boolean, from: unknown, to: unknown): boolean {
  const value = typeof text === 'string' ? startOf(text, isDate) : undefined
  if (value === undefined) return false
  const last = isDate ? value + microsPerDay - 1n : value
  return (typeof from !== 'bigint' || last >= from) && (typeof to !== 'bigint' || value <= to)
}

function startOf(text: string, isDate: boolean): bigint | undefined {
  if (!isDate) return parseTimestamp(text)
  const days = parseDate(text)
  return days === undefined ? undefined : BigInt(days) * microsPerDay
}

/** Parses an id; undefined if it is invalid. */
export function parseFeatureId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return BigInt.asIntN(64, id) === id ? id : undefined
}
