import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type GeoPackageTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { Area } from '../../../geo/polygon-test.ts'
import { areaTest } from '../../../geo/polygon-test.ts'
import { hasRtree, rtreeName } from '../rtree-sql.ts'
import type { FeatureFilter } from './conditions.ts'
import { conditionOf, timeCondition, touches } from './conditions.ts'
import { limitRelations } from './filter-functions.ts'
import { filterCondition } from './filter-sql.ts'
import { fitsIdSet, IdSet } from './id-set.ts'
import type { Bound, SqlCondition } from './joined-conditions.ts'
import { RtreeWalk } from './walk-rtree.ts'

/** Number of ids processed before yielding. */
const pieceIds = 4096
/** Cost factor: finding a row by id costs as much as scanning several rows. */
const fewParts = 8

/** Cached data about the ids of a table, valid while nothing is written to it. */
export interface TableIds {
  count: number
  first: number
  last: number
  /** True if no id between the first and the last is missing. */
  isDense: boolean
}

/** Rows missing in the R*Tree: those without geometry always match, the others are tested. */
interface Unindexed {
  without: number[]
  others: number[]
}

/** Finds ids of one table that match filters; valid while nothing is written. */
export class IdFinder {
  readonly #db: DatabaseSync
  readonly #table: GeoPackageTable
  readonly #id: string
  readonly #geometry: string | undefined
  #ids: TableIds | undefined
  #index: { walk: RtreeWalk; unindexed: Unindexed } | null | undefined

  /** `idColumn` is that of the table. */
  constructor(db: DatabaseSync, table: GeoPackageTable, idColumn: string) {
    this.#db = db
    this.#table = table
    this.#id = quoteName(idColumn)
    this.#geometry = table.schema.geometry?.name
  }

  get ids(): TableIds {
    this.#ids ??= this.#readIds()
    return this.#ids
  }

  /** True if the ids of this table can be stored as a set. */
  get isFit(): boolean {
    const { first, last, count } = this.ids
    return fitsIdSet(first, last, count)
  }

  /** Size of a set of ids. */
  get setBytes(): number {
    return (this.ids.last - this.ids.first + 1) / 8
  }

  get #from(): string {
    return `FROM ${quoteName(this.#table.name)} WHERE`
  }

  /** Returns the matching ids; undefined if every row matches. Yields between pieces of work. */
  *find(filter: FeatureFilter): Generator<void, IdSet | undefined> {
    const near = filter.bboxes === undefined ? undefined : yield* this.#findNear(filter.bboxes)
    const conditions = this.#conditions(filter)
    limitRelations(this.#db)
    if (conditions.length === 0) return near
    const sql = conditions.map((one) => `(${one.sql})`).join(' AND ')
    const bound = conditions.flatMap((one) => one.bound)
    if (near !== undefined && this.#areFew(near, sql, bound))
      return yield* this.#selectAmong(near, sql, bound)
    const within = yield* this.#select(sql, bound)
    if (near !== undefined) within.keepOnly(near)
    return within
  }

  /** True if testing each of these rows costs less than scanning all, or than those that an index finds. */
  #areFew(near: IdSet, sql: string, bound: Bound[]): boolean {
    if (near.size <= pieceIds) return true
    return (
      near.size < this.ids.count / fewParts && this.#isScan(`SELECT ${this.#id} ${this.#from} ${sql}`, bound)
    )
  }

  /** Returns the rows that a condition accepts; each is found by its id, whatever indexes there are. */
  *#selectAmong(near: IdSet, sql: string, bound: Bound[]): Generator<void, IdSet> {
    const found = this.#emptySet()
    const statement = this.#db.prepare(
      `SELECT ${this.#id} FROM ${quoteName(this.#table.name)} NOT INDEXED
       WHERE ${this.#id} IN (SELECT value FROM json_each(?)) AND (${sql})`,
    )
    for (let last = near.first - 1; ; ) {
      const ids = near.near(last, pieceIds, false)
      if (ids.length === 0) return found
      yield* this.#take(statement, [JSON.stringify(ids), ...bound], found)
      yield
      last = ids.at(-1) ?? last
    }
  }

  /** Returns all ids of the table, for pages at large offsets if some ids are missing. */
  all(): Generator<void, IdSet> {
    return this.#select('TRUE', [])
  }

  #conditions({ time, filter }: FeatureFilter): SqlCondition[] {
    const found: SqlCondition[] = []
    if (time !== undefined) found.push(timeCondition(this.#table, time))
    if (filter !== undefined) found.push(filterCondition(filter, this.#table, this.#isIndexed))
    return found
  }

  /** True if the R*Tree contains every geometry. */
  get #isIndexed(): boolean {
    if (this.#geometry === undefined) return false
    this.#index ??= this.#openIndex(this.#geometry)
    return this.#index !== null && this.#index.unindexed.others.length === 0
  }

  *#findNear(areas: Area[]): Generator<void, IdSet | undefined> {
    if (this.#geometry === undefined) return undefined
    this.#index ??= this.#openIndex(this.#geometry)
    if (this.#index === null) {
      const { sql, bound } = conditionOf(this.#table, { table: this.#table.name, bboxes: areas })
      return yield* this.#select(sql, bound)
    }
    const { walk, unindexed } = this.#index
    if (unindexed.others.length === 0 && areas.some((area) => walk.isWithin(area))) return undefined
    const found = this.#emptySet()
    for (const id of unindexed.without) found.add(id)
    const geometryOf = this.#geometryOf(this.#geometry)
    for (const area of areas) {
      const test = areaTest(area)
      const edge = (id: number): void => {
        if (touches(geometryOf(id), test)) found.add(id)
      }
      walk.find(area, { inside: (id) => found.add(id), edge })
      unindexed.others.forEach(edge)
    }
    return found
  }

  #geometryOf(geometry: string): (id: number) => unknown {
    const statement = this.#db.prepare(
      `SELECT ${quoteName(geometry)} FROM ${quoteName(this.#table.name)} WHERE ${this.#id} = ?`,
    )
    statement.setReturnArrays(true)
    return (id) => (statement.get(id) as unknown as unknown[] | undefined)?.[0]
  }

  *#select(sql: string, bound: Bound[]): Generator<void, IdSet> {
    const found = this.#emptySet()
    const from = this.#from
    if (!this.#isScan(`SELECT ${this.#id} ${from} ${sql}`, bound)) {
      const statement = this.#db.prepare(`SELECT ${this.#id} ${from} ${sql}`)
      yield* this.#take(statement, bound, found)
      return found
    }
    // Without an index every row is tested, in pieces, yielding to other work in between.
    const statement = this.#db.prepare(`SELECT ${this.#id} ${from} ${this.#id} BETWEEN ? AND ? AND (${sql})`)
    for (let first = found.first; first <= found.last; first += pieceIds) {
      yield* this.#take(statement, [first, first + pieceIds - 1, ...bound], found)
      yield
    }
    return found
  }

  *#take(statement: StatementSync, bound: Bound[], found: IdSet): Generator<void> {
    statement.setReturnArrays(true)
    let taken = 0
    for (const row of statement.iterate(...bound)) {
      found.add((row as unknown as number[])[0] as number)
      taken += 1
      if (taken % pieceIds === 0) yield
    }
  }

  /**
   * True if SQLite scans the whole table; a search for near geometries would start again with each piece of
   * it.
   */
  #isScan(sql: string, bound: Bound[]): boolean {
    if (sql.includes('(SELECT ')) return false
    const plan = this.#db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bound)
    return plan.some(({ detail }) => String(detail).startsWith('SCAN '))
  }

  #emptySet(): IdSet {
    return new IdSet(this.ids.first, this.ids.last)
  }

  #readIds(): TableIds {
    const name = quoteName(this.#table.name)
    const one = (expression: string): unknown => {
      const statement = this.#db.prepare(`SELECT ${expression} AS n FROM ${name}`)
      statement.setReadBigInts(true)
      return statement.get()?.['n']
    }
    const count = Number(one('count(*)'))
    if (count === 0) return { count, first: 1, last: 0, isDense: true }
    const [first, last] = [Number(one(`min(${this.#id})`)), Number(one(`max(${this.#id})`))]
    return { count, first, last, isDense: last - first + 1 === count }
  }

  /** Returns the R*Tree; null if there is no reliable one. */
  #openIndex(geometry: string): { walk: RtreeWalk; unindexed: Unindexed } | null {
    const { name } = this.#table
    if (!hasRtree(this.#db, { table: name, geometry })) return null
    const rtree = rtreeName({ table: name, geometry })
    const columns = this.#db.prepare(`PRAGMA table_xinfo(${quoteName(rtree)})`).all()
    if (columns.length !== 5) return null
    const entries = quoteName(`${rtree}_rowid`)
    const indexed = Number(this.#db.prepare(`SELECT count(*) AS n FROM ${entries}`).get()?.['n'])
    if (indexed > this.ids.count) return null
    const walk = new RtreeWalk(this.#db, rtree)
    if (indexed === this.ids.count) return { walk, unindexed: { without: [], others: [] } }
    return { walk, unindexed: this.#readUnindexed(geometry, entries) }
  }

  #readUnindexed(geometry: string, entries: string): Unindexed {
    const statement = this.#db.prepare(
      `SELECT ${this.#id}, ${quoteName(geometry)} IS NULL FROM ${quoteName(this.#table.name)}
       WHERE ${this.#id} NOT IN (SELECT rowid FROM ${entries})`,
    )
    statement.setReturnArrays(true)
    const unindexed: Unindexed = { without: [], others: [] }
    for (const row of statement.iterate()) {
      const [id, isNull] = row as unknown as [number, number]
      if (isNull === 1) unindexed.without.push(id)
      else unindexed.others.push(id)
    }
    return unindexed
  }
}
