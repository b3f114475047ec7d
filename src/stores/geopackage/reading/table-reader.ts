import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import { filterKey } from '../../../filters/filter.ts'
import {
  appendRow,
  type GeoPackageTable,
  iterateRows,
  parseDate,
  parseTimestamp,
  quoteName,
  type SqliteValue,
  selectList,
} from '../../../formats/geopackage/index.ts'
import { BatchBuilder, batchRows } from '../../../geo/batch.ts'
import type { Area } from '../../../geo/polygon-test.ts'
import type { Schema } from '../../../geo/schema.ts'
import { dateText, timestampText } from '../../../geo/time-text.ts'
import { unknownPosition } from '../../order.ts'
import type { FeaturePage, FeatureQuery, TimeBounds } from '../../store.ts'
import { hasRtree, rtreeName } from '../rtree-sql.ts'
import type { FeatureFilter } from './conditions.ts'
import { conditionOf, setListedIds } from './conditions.ts'
import type { IdSet } from './id-set.ts'
import type { SqlCondition } from './joined-conditions.ts'
import { orderedRows, positionId } from './order-sql.ts'
import { IdFinder } from './table-ids.ts'
import { TileRows } from './tile-rows.ts'

/** Maximum number of results whose ids are cached for the next page. */
const keptFilters = 8
/** Maximum size of a cached set; larger sets are computed for each query. */
const maxKeptBytes = 4 << 20
/** Maximum number of rows that SQLite steps over individually; beyond it all ids are collected first. */
const maxSteps = 10_000

/** `ids` is undefined if all match. */
interface Found {
  ids: IdSet | undefined
}

/** Row counts above this number need not be distinguished. */
const maxEstimated = 50_000

const maxStatements = 20
/** Maximum number of ids passed to a statement individually. */
const maxListed = 10_000

type Rows = Iterable<SqliteValue[]>

/** Reads one table of an open database. Its cached data are valid while nothing is written. */
export class GeoPackageTableReader {
  readonly #db: DatabaseSync
  readonly #table: GeoPackageTable
  readonly #finder: IdFinder | undefined
  readonly #found = new BoundedCache<string, Found>(keptFilters)
  readonly #counts = new BoundedCache<string, number>(64)
  #all: IdSet | undefined
  /** The most recent result; the only cached one if sets are large. */
  #prepared: { key: string; found: Found } | undefined
  readonly tiles: TileRows
  /** Idle prepared statements by their SQL. */
  readonly #statements = new Map<string, StatementSync[]>()

  constructor(db: DatabaseSync, table: GeoPackageTable) {
    this.#db = db
    this.#table = table
    this.tiles = new TileRows(db, table)
    const hasIds = table.kind === 'table' && table.idColumn !== undefined
    this.#finder = hasIds ? new IdFinder(db, table, table.idColumn as string) : undefined
  }

  /** Returns the exact number of matching features. */
  count(filter: FeatureFilter): number {
    const { bboxes, time, featureId, featureIds, idAttribute } = filter
    const key = JSON.stringify([bboxes, time, featureId, featureIds, idAttribute, filterKey(filter.filter)])
    return this.#counts.get(key, () => this.#count(filter))
  }

  /** Returns the largest id, or with boxes the number of entries of the index there, counted up to `maxEstimated`. */
  estimateRows(boxes: readonly Area[] | undefined): number {
    const { name, kind, idColumn, schema } = this.#table
    if (kind !== 'table' || idColumn === undefined) return Number.MAX_SAFE_INTEGER
    const sql = `SELECT max(${quoteName(idColumn)}) AS n FROM ${quoteName(name)}`
    const largest = Number(this.#db.prepare(sql).get()?.['n'] ?? 0)
    const rows = largest <= maxEstimated ? largest : this.#countSome(largest)
    const geometry = schema.geometry?.name
    if (boxes === undefined || geometry === undefined || rows <= maxEstimated) return rows
    if (!hasRtree(this.#db, { table: name, geometry })) return rows
    const rtree = quoteName(rtreeName({ table: name, geometry }))
    const count = this.#db.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${rtree}
       WHERE minx <= ? AND maxx >= ? AND miny <= ? AND maxy >= ? LIMIT ${maxEstimated})`,
    )
    return boxes.reduce(
      (sum, { minX, minY, maxX, maxY }) => sum + Number(count.get(maxX, minX, maxY, minY)?.['n'] ?? 0),
      0,
    )
  }

  /**
   * Returns the number of rows if it is below `maxEstimated`, otherwise `largest`: ids from a source have
   * gaps.
   */
  #countSome(largest: number): number {
    const some = `SELECT 1 FROM ${quoteName(this.#table.name)} LIMIT ${maxEstimated}`
    const count = Number(this.#db.prepare(`SELECT count(*) AS n FROM (${some})`).get()?.['n'] ?? 0)
    return count < maxEstimated ? count : largest
  }

  /** Yields a page of features; ids are row numbers if the table has no ids. */
  *pages(query: FeatureQuery): Generator<FeaturePage> {
    const capacity = Math.max(1, Math.min(batchRows, query.limit))
    const schema = this.#schemaFor(query)
    const isKeyed = this.#table.kind === 'table' && this.#table.idColumn !== undefined
    let builder = new BatchBuilder(schema, capacity)
    let ids: string[] = []
    let row = query.offset
    for (const values of this.#rows(query, schema)) {
      row += 1
      if (appendRow(builder, values, row)) ids.push(String(values[0] ?? row))
      if (!builder.isFull) continue
      yield { batch: builder.finish(), ids, isKeyed }
      builder = new BatchBuilder(schema, capacity)
      ids = []
    }
    if (!builder.isEmpty) yield { batch: builder.finish(), ids, isKeyed }
  }

  /** Returns the schema of the requested columns. */
  #schemaFor({ attributes: names, withGeometry = false }: FeatureQuery): Schema {
    const { schema } = this.#table
    if (names === undefined) return schema
    const attributes = schema.attributes.filter(({ name }) => names.includes(name))
    return { attributes, geometry: withGeometry ? schema.geometry : undefined }
  }

  /** Dates and times are stored as texts that sort by time (OGC 12-128r18, table 1). */
  timeBounds(attribute: string): TimeBounds | undefined {
    const name = quoteName(attribute)
    const row = this.#db
      .prepare(
        `SELECT min(${name}) AS first, max(${name}) AS last FROM ${quoteName(this.#table.name)}
         WHERE typeof(${name}) = 'text'`,
      )
      .get()
    const [from, to] = [row?.['first'], row?.['last']].map((text) =>
      typeof text === 'string' ? plainTime(text) : undefined,
    )
    return from === undefined || to === undefined ? undefined : { from, to }
  }

  #count(filter: FeatureFilter): number {
    const finder = this.#finder
    if (finder !== undefined && !isById(filter) && finder.isFit) {
      return this.#find(finder, filter)?.size ?? finder.ids.count
    }
    const { sql, bound } = conditionOf(this.#table, filter)
    const statement = this.#db.prepare(
      `SELECT count(*) AS n FROM ${quoteName(this.#table.name)} WHERE ${sql}`,
    )
    return Number(statement.get(...bound)?.['n'])
  }

  /** Finds the matching rows piece by piece, for a following `count` or `pages` with the same filter. */
  *prepare(query: FeatureFilter): Generator<void> {
    const { table, bboxes, time, filter } = query
    const finder = this.#finder
    const isRequested = time !== undefined || filter !== undefined
    if (!isRequested || isById(query) || finder?.isFit !== true) return
    const key = keyOf({ table, bboxes, time, filter })
    if (this.#prepared?.key === key || this.#found.has(key)) return
    const ids = yield* finder.find({ table, bboxes, time, filter })
    this.#prepared = { key, found: { ids } }
  }

  #find(finder: IdFinder, { table, bboxes, time, filter }: FeatureFilter): IdSet | undefined {
    if (bboxes === undefined && time === undefined && filter === undefined) return undefined
    const requested = { table, bboxes, time, filter }
    const key = keyOf(requested)
    const find = (): Found =>
      this.#prepared?.key === key ? this.#prepared.found : { ids: atOnce(finder.find(requested)) }
    const isKept = finder.setBytes <= maxKeptBytes
    return isKept ? this.#found.get(key, find).ids : find().ids
  }

  #rows(query: FeatureQuery, schema: Schema): Rows {
    const finder = this.#finder
    const list = selectList({ ...this.#table, schema })
    if (isById(query)) return this.#rowsByCondition(query, list)
    if (query.from !== undefined && finder === undefined) throw unknownPosition()
    if (finder === undefined) return this.#rowsByCondition(query, list)
    if (query.sort !== undefined && query.sort.length > 0)
      return this.#rowsOfIds(this.#sortedIds(query), list)
    if (query.from !== undefined) return this.#rowsNear(finder, query, list)
    if (!finder.isFit) return this.#rowsByCondition(query, list)
    const { offset, limit } = query
    const ids = this.#find(finder, query)
    if (ids !== undefined) return this.#rowsOfIds(ids.slice(offset, limit), list)
    if (offset === 0 || finder.ids.isDense) return this.#rowsFrom(finder.ids.first + offset, limit, list)
    if (offset <= maxSteps) return this.#rowsByCondition(query, list)
    this.#all ??= atOnce(finder.all())
    return this.#rowsOfIds(this.#all.slice(offset, limit), list)
  }

  #rowsFrom(first: number, limit: number, list: string): Rows {
    return this.#iterate(list, `WHERE ${this.#id} >= ? ORDER BY ${this.#id} LIMIT ?`, [first, limit])
  }

  /** Reads rows in the order of their ids, from the ids that the finder returns. */
  #rowsNear(finder: IdFinder, query: FeatureQuery, list: string): Rows {
    const { from, limit } = query
    const isBackward = from?.isBackward === true
    const id = positionId(from?.row.id ?? '')
    const ids = finder.isFit ? this.#find(finder, query) : undefined
    if (ids !== undefined) return this.#rowsOfIds(ids.near(Number(id), limit, isBackward), list)
    const { sql, bound } = conditionOf(this.#table, query)
    const behind = isBackward ? `< ? ORDER BY ${this.#id} DESC` : `> ? ORDER BY ${this.#id}`
    return this.#iterate(list, `WHERE ${sql} AND ${this.#id} ${behind} LIMIT ?`, [...bound, id, limit])
  }

  /** Yields the ids of a page, part by part. */
  *#sortedIds(query: FeatureQuery): Generator<bigint> {
    const among = this.#among(query)
    let left = query.limit
    for (const part of orderedRows(this.#table, query)) {
      const bound = [...among.bound]
      const behind = part.condition((value) => {
        bound.push(value)
        return '?'
      })
      const where = behind === undefined ? among.sql : `${among.sql} AND ${behind}`
      const offset = query.from === undefined ? query.offset : 0
      const statement = this.#db.prepare(
        `SELECT ${this.#id} FROM ${quoteName(this.#table.name)} WHERE ${where} ORDER BY ${part.order} LIMIT ? OFFSET ?`,
      )
      const ids = Array.from(iterateRows(statement, ...bound, left, offset), ([id]) => id as bigint)
      yield* ids
      left -= ids.length
      if (left <= 0) return
    }
  }

  /** Returns the rows of a query: by their ids if known. */
  #among(query: FeatureQuery): SqlCondition {
    const finder = this.#finder
    if (finder?.isFit !== true) return conditionOf(this.#table, query)
    const ids = this.#find(finder, query)
    if (ids === undefined) return conditionOf(this.#table, { table: query.table })
    if (ids.size <= maxListed)
      return { sql: `${this.#id} IN (${ids.slice(0, maxListed).join(', ')})`, bound: [] }
    setListedIds(this.#db, ids)
    return { sql: `terrane_listed(${this.#id})`, bound: [] }
  }

  *#rowsOfIds(ids: Iterable<number | bigint>, list: string): Rows {
    const statement = this.#select(list, `WHERE ${this.#id} = ?`)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    for (const id of ids) {
      const row = statement.get(id) as unknown as SqliteValue[] | undefined
      if (row !== undefined) yield row
    }
  }

  /** Reads tables without ids, or with widely spaced ids. */
  #rowsByCondition(query: FeatureQuery, list: string): Rows {
    const { sql, bound } = conditionOf(this.#table, query)
    const order = orderedRows(this.#table, { offset: 1, sort: query.sort })[0]?.order ?? ''
    const ordered = order === '' ? '' : `ORDER BY ${order}`
    return this.#iterate(list, `WHERE ${sql} ${ordered} LIMIT ? OFFSET ?`, [
      ...bound,
      query.limit,
      query.offset,
    ])
  }

  *#iterate(list: string, rest: string, bound: SqliteValue[]): Rows {
    const text = `${list} ${rest}`
    const statement = this.#statements.get(text)?.pop() ?? this.#select(list, rest)
    try {
      yield* iterateRows(statement, ...bound)
    } finally {
      const idle = this.#statements.get(text) ?? []
      if (this.#statements.size >= maxStatements) this.#statements.clear()
      this.#statements.set(text, [...idle, statement])
    }
  }

  get #id(): string {
    return quoteName(this.#table.idColumn ?? 'rowid')
  }

  #select(list: string, rest: string): StatementSync {
    return this.#db.prepare(`SELECT ${list} FROM ${quoteName(this.#table.name)} ${rest}`)
  }
}

function isById({ featureId, featureIds }: FeatureFilter): boolean {
  return featureId !== undefined || featureIds !== undefined
}

function keyOf({ bboxes, time, filter }: FeatureFilter): string {
  return JSON.stringify([bboxes, time, filterKey(filter)])
}

function atOnce<Result>(steps: Generator<void, Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Returns a stored date or time in normalized form; undefined if the text is neither. */
function plainTime(text: string): string | undefined {
  const date = parseDate(text)
  if (date !== undefined) return dateText(date)
  const time = parseTimestamp(text)
  return time === undefined ? undefined : timestampText(time)
}
