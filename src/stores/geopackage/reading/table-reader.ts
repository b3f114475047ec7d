import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { filterKey } from '../../../filters/filter.ts'
import type { SqlValue } from '../../../formats/geopackage/append-value.ts'
import { quoteName } from '../../../formats/geopackage/sql-names.ts'
import { appendRow, iterateRows, selectList } from '../../../formats/geopackage/sql-rows.ts'
import type { GeoPackageTable } from '../../../formats/geopackage/tables.ts'
import { parseDate, parseTimestamp } from '../../../formats/geopackage/temporal.ts'
import { BatchBuilder, batchRows } from '../../../geo/batch.ts'
import type { Schema } from '../../../geo/schema.ts'
import { dateText, timestampText } from '../../../geo/time-text.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { defined } from '../../../lib/defined.ts'
import type { FeaturePage, FeatureQuery, TimeBounds } from '../../store.ts'
import type { Filter } from './conditions.ts'
import { conditionOf } from './conditions.ts'
import type { IdSet } from './id-set.ts'
import { IdFinder } from './table-ids.ts'
import { TileRows } from './tile-rows.ts'

/** Answers whose ids are kept for the next page. */
const keptFilters = 8
/** Larger sets are made anew for each question. */
const maxKeptBytes = 4 << 20
/** Rows that SQLite steps over one by one at most, before all ids are gathered instead. */
const maxSteps = 10_000

/** `ids` is undefined where all match. */
interface Found {
  ids: IdSet | undefined
}

const mostStatements = 20

type Rows = Iterable<SqlValue[]>

/** Reads one table of an open database; what it keeps is good while nobody writes. */
export class TableReader {
  readonly #db: DatabaseSync
  readonly #table: GeoPackageTable
  readonly #schema: Schema
  readonly #finder: IdFinder | undefined
  readonly #found = new BoundedCache<string, Found>(keptFilters)
  readonly #counts = new BoundedCache<string, number>(64)
  #all: IdSet | undefined
  readonly tiles: TileRows
  /** Prepared statements that nobody uses now, by what they ask. */
  readonly #statements = new Map<string, StatementSync[]>()

  /** `schema`: what is read of each row. */
  constructor(db: DatabaseSync, table: GeoPackageTable, schema: Schema = table.schema) {
    this.#db = db
    this.#table = table
    this.#schema = schema
    this.tiles = new TileRows(db, table)
    const hasIds = table.kind === 'table' && table.idColumn !== undefined
    this.#finder = hasIds ? new IdFinder(db, table, table.idColumn as string) : undefined
  }

  /** A reader of these attributes alone, without geometry; this one where none are named. */
  only(names: readonly string[] | undefined): TableReader {
    if (names === undefined) return this
    const attributes = this.#table.schema.attributes.filter(({ name }) => names.includes(name))
    return new TableReader(this.#db, this.#table, { attributes, geometry: undefined })
  }

  /** Number of features that match, exact. */
  count(filter: Filter): number {
    const { bboxes, time, featureId, idAttribute } = filter
    const key = JSON.stringify([bboxes, time, featureId, idAttribute, filterKey(filter.filter)])
    return this.#counts.get(key, () => this.#count(filter))
  }

  /** A page of features in the order of their ids; ids are row numbers where the table has none. */
  *pages(query: FeatureQuery): Generator<FeaturePage> {
    const capacity = Math.max(1, Math.min(batchRows, query.limit))
    let builder = new BatchBuilder(this.#schema, capacity)
    let ids: string[] = []
    let row = query.offset
    for (const values of this.#rows(query)) {
      row += 1
      if (appendRow(builder, values, row)) ids.push(String(values[0] ?? row))
      if (!builder.isFull) continue
      yield { batch: builder.finish(), ids }
      builder = new BatchBuilder(this.#schema, capacity)
      ids = []
    }
    if (!builder.isEmpty) yield { batch: builder.finish(), ids }
  }

  /** Dates and times stand as texts that sort by time (OGC 12-128r18, table 1). */
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

  #count(filter: Filter): number {
    const finder = this.#finder
    if (finder !== undefined && filter.featureId === undefined && finder.isFit) {
      return this.#find(finder, filter)?.size ?? finder.ids.count
    }
    const { sql, bound } = conditionOf(this.#table, filter)
    const statement = this.#db.prepare(
      `SELECT count(*) AS n FROM ${quoteName(this.#table.name)} WHERE ${sql}`,
    )
    return Number(statement.get(...bound)?.['n'])
  }

  #find(finder: IdFinder, { table, bboxes, time, filter }: Filter): IdSet | undefined {
    if (bboxes === undefined && time === undefined && filter === undefined) return undefined
    const find = (): Found => ({ ids: finder.find({ table, ...defined({ bboxes, time, filter }) }) })
    const isKept = finder.setBytes <= maxKeptBytes
    return isKept ? this.#found.get(JSON.stringify([bboxes, time, filterKey(filter)]), find).ids : find().ids
  }

  #rows(query: FeatureQuery): Rows {
    const finder = this.#finder
    if (finder === undefined || !finder.isFit) return this.#rowsByCondition(query)
    if (query.featureId !== undefined) return this.#rowsByCondition(query)
    const { offset, limit } = query
    const ids = this.#find(finder, query)
    if (ids !== undefined) return this.#rowsOfIds(ids.slice(offset, limit))
    if (offset === 0 || finder.ids.isDense) return this.#rowsFrom(finder.ids.first + offset, limit)
    if (offset <= maxSteps) return this.#rowsByCondition(query)
    this.#all ??= finder.all()
    return this.#rowsOfIds(this.#all.slice(offset, limit))
  }

  #rowsFrom(first: number, limit: number): Rows {
    return this.#iterate(`WHERE ${this.#id} >= ? ORDER BY ${this.#id} LIMIT ?`, [first, limit])
  }

  *#rowsOfIds(ids: (number | bigint)[]): Rows {
    const statement = this.#select(`WHERE ${this.#id} = ?`)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    for (const id of ids) {
      const row = statement.get(id) as unknown as SqlValue[] | undefined
      if (row !== undefined) yield row
    }
  }

  /** What has no ids, or ids far apart. */
  #rowsByCondition(query: FeatureQuery): Rows {
    const { sql, bound } = conditionOf(this.#table, query)
    const order = this.#table.idColumn === undefined ? '' : `ORDER BY ${this.#id}`
    return this.#iterate(`WHERE ${sql} ${order} LIMIT ? OFFSET ?`, [...bound, query.limit, query.offset])
  }

  *#iterate(rest: string, bound: SqlValue[]): Rows {
    const statement = this.#statements.get(rest)?.pop() ?? this.#select(rest)
    try {
      yield* iterateRows(statement, ...bound)
    } finally {
      const idle = this.#statements.get(rest) ?? []
      if (this.#statements.size >= mostStatements) this.#statements.clear()
      this.#statements.set(rest, [...idle, statement])
    }
  }

  get #id(): string {
    return quoteName(this.#table.idColumn ?? 'rowid')
  }

  #select(rest: string): StatementSync {
    const list = selectList({ ...this.#table, schema: this.#schema })
    return this.#db.prepare(`SELECT ${list} FROM ${quoteName(this.#table.name)} ${rest}`)
  }
}

/** A date or time as it is stored, in the one form that is told; undefined for what is neither. */
function plainTime(text: string): string | undefined {
  const date = parseDate(text)
  if (date !== undefined) return dateText(date)
  const time = parseTimestamp(text)
  return time === undefined ? undefined : timestampText(time)
}
