import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { orderOfNumbers } from '../../../core/values/order-of-numbers.ts'
import {
  appendRow,
  type GeoPackageTable,
  iterateRows,
  quoteName,
  type SqliteValue,
  selectList,
  wkbStart,
} from '../../../formats/geopackage/index.ts'
import { BatchBuilder } from '../../../geo/batch.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { Schema } from '../../../geo/schema.ts'
import { GeometryError, WkbScanner } from '../../../geo/wkb.ts'
import type {
  EnvelopePage,
  FeaturePage,
  NumberedEnvelopes,
  TileQuery,
  TilesPage,
  TilesQuery,
} from '../../store.ts'
import { readAttributes } from '../../tile-reading.ts'
import { openBoxIndex } from './box-index.ts'
import { IdRun, joinedIds } from './id-run.ts'
import type { RtreeWalk } from './walk-rtree.ts'
import { leafRows, readLeaf } from './walk-rtree.ts'

/** Rows per page; between two pages the reader yields to other work. */
const pageRows = 512
const envelopeRows = 8192
/** Rows per page of `numbered`. Must exceed the number of entries of an R*Tree node. */
const numberedRows = 16_384
/** Maximum number of rows scanned per page, even if none matches. */
const lookedRows = 4096
const maxStatements = 20
const idText = /^-?\d{1,16}$/

/** Envelopes of rows in order of ids. */
interface Entries {
  ids: Float64Array
  envelopes: Float64Array
}

/** Some attributes of a table, and their select list. */
interface ShownColumns {
  schema: Schema
  list: string
}

/** Reads rows of one table for tiles. Its cached data are valid while nothing is written. */
export class TileRows {
  readonly #db: DatabaseSync
  readonly #table: GeoPackageTable
  #index: RtreeWalk | null | undefined
  #all: ShownColumns | undefined
  /** Idle prepared statements by their SQL. */
  readonly #statements = new Map<string, StatementSync[]>()

  constructor(db: DatabaseSync, table: GeoPackageTable) {
    this.#db = db
    this.#table = table
  }

  /** Reads rows with geometry: by the R*Tree if there is one, otherwise by scanning all rows. */
  *pages(query: TileQuery): Generator<FeaturePage> {
    const { boxes, ids } = query
    if (this.#table.schema.geometry === undefined) return
    const index = this.#openIndex()
    if (index === undefined || (ids === undefined && boxes === undefined)) yield* this.#scan(query)
    else yield* this.#rowsOf(query, ids?.filter((id) => idText.test(id)) ?? idsOf(index, boxes ?? []))
  }

  /** The same for several tiles; a row shown by several of them is read once. */
  *sharedPages({ boxesOf, ...shown }: TilesQuery): Generator<TilesPage> {
    if (this.#table.schema.geometry === undefined) return
    const index = this.#openIndex()
    if (index === undefined) {
      for (const page of this.#scan({ ...shown, boxes: boxesOf.flat() }))
        yield { ...page, rowsOf: boxesOf.map((boxes) => rowsTouching(page, boxes)) }
      return
    }
    const idRuns = boxesOf.map((boxes) => new IdRun(idsOf(index, boxes)))
    const all = joinedIds(idRuns.map(({ ids }) => ids))
    for (const page of this.#rowsOf(shown, all)) {
      const ids = page.ids.map(Number)
      yield { ...page, rowsOf: idRuns.map((run) => run.rowsAmong(ids)) }
    }
  }

  *envelopes({ boxes }: Pick<TileQuery, 'boxes'>): Generator<EnvelopePage> {
    const index = this.#openIndex()
    if (index === undefined) {
      yield* this.#scanEnvelopes(boxes)
      return
    }
    const { ids, envelopes } = entriesOf(index, boxes)
    for (let from = 0; from < ids.length; from += envelopeRows) {
      const to = Math.min(ids.length, from + envelopeRows)
      yield { ids: Array.from(ids.subarray(from, to), String), envelopes: envelopes.slice(from * 4, to * 4) }
    }
  }

  /** Yields all envelopes in the order of the R*Tree; undefined if there is none. */
  numbered(): Generator<NumberedEnvelopes> | undefined {
    const index = this.#openIndex()
    return index && numberedPages(index)
  }

  #openIndex(): RtreeWalk | undefined {
    if (this.#index === undefined) this.#index = openBoxIndex(this.#db, this.#table) ?? null
    return this.#index ?? undefined
  }

  *#rowsOf(query: TileQuery, ids: Float64Array | readonly string[]): Generator<FeaturePage> {
    const id = quoteName(this.#table.idColumn ?? 'rowid')
    const rest = `json_each(?) AS wanted CROSS JOIN ${quoteName(this.#table.name)} AS feature
      ON feature.${id} = wanted.value`
    for (let from = 0; from < ids.length; from += pageRows) {
      const some = ids.slice(from, from + pageRows)
      yield* this.#read(query, rest, [`[${some.join(',')}]`], some.length)
    }
  }

  *#scan(query: TileQuery): Generator<FeaturePage> {
    const { idColumn, name } = this.#table
    const order = idColumn === undefined ? '' : ` ORDER BY feature.${quoteName(idColumn)}`
    const rest = `${quoteName(name)} AS feature${order}`
    const ids = query.ids === undefined ? undefined : new Set(query.ids)
    const isSelected = (blob: SqliteValue | undefined, id: string): boolean =>
      ids === undefined ? overlapsAny(blob, query.boxes) : ids.has(id)
    yield* this.#read(query, rest, [], pageRows, isSelected)
  }

  *#scanEnvelopes(boxes: Envelope[] | undefined): Generator<EnvelopePage> {
    const query = { table: this.#table.name, attributes: [], boxes }
    for (const { batch, ids } of this.pages(query)) {
      yield { ids, envelopes: batch.geometry?.envelopes ?? new Float64Array(0) }
    }
  }

  /**
   * Yields rows with a non-empty geometry. A page is full at its maximum number of rows or bytes. A page may
   * be empty, so that the caller can stop.
   */
  *#read(
    query: TileQuery,
    rest: string,
    bound: SqliteValue[],
    capacity: number,
    isSelected?: (blob: SqliteValue | undefined, id: string) => boolean,
  ): Generator<FeaturePage> {
    const { schema: read, list } = this.#shown(query)
    let builder = new BatchBuilder(read, capacity)
    let ids: string[] = []
    let row = 0
    const sql = `SELECT ${list} FROM ${rest}`
    const statement = this.#statements.get(sql)?.pop() ?? this.#db.prepare(sql)
    try {
      for (const values of iterateRows(statement, ...bound)) {
        row += 1
        const id = String(values[0] ?? row)
        const isShown = values[1] !== null && isSelected?.(values[1], id) !== false
        if (isShown && appendRow(builder, values, row)) ids.push(id)
        if (!builder.isFull && row % lookedRows !== 0) continue
        yield { batch: builder.finish(), ids }
        builder = new BatchBuilder(read, capacity)
        ids = []
      }
    } finally {
      this.#giveBack(sql, statement)
    }
    if (!builder.isEmpty) yield { batch: builder.finish(), ids }
  }

  /** Returns the columns to read for the requested attributes. */
  #shown(query: TileQuery): ShownColumns {
    if (query.attributes === undefined && this.#all !== undefined) return this.#all
    const schema = { ...this.#table.schema, attributes: readAttributes(this.#table.schema, query) }
    const shown = { schema, list: selectList({ ...this.#table, schema }, 'feature') }
    if (query.attributes === undefined) this.#all = shown
    return shown
  }

  #giveBack(sql: string, statement: StatementSync): void {
    const idle = this.#statements.get(sql)
    if (idle !== undefined) {
      idle.push(statement)
      return
    }
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    this.#statements.set(sql, [statement])
  }
}

function* numberedPages(index: RtreeWalk): Generator<NumberedEnvelopes> {
  const ids = new Float64Array(numberedRows)
  const envelopes = new Float64Array(numberedRows * 4)
  let rows = 0
  for (const leaf of index.leaves()) {
    if (rows + leafRows(leaf) > numberedRows) {
      yield { ids: ids.subarray(0, rows), envelopes: envelopes.subarray(0, rows * 4) }
      rows = 0
    }
    rows += readLeaf(leaf, { ids, envelopes, from: rows })
  }
  if (rows > 0) yield { ids: ids.subarray(0, rows), envelopes: envelopes.subarray(0, rows * 4) }
}

/** Returns the ids that the R*Tree contains within the boxes, in ascending order without duplicates. */
function idsOf(index: RtreeWalk, boxes: Envelope[]): Float64Array {
  const found: number[] = []
  for (const box of boxes) index.ids(box, (id) => found.push(id))
  const ids = Float64Array.from(found).sort()
  return boxes.length > 1 ? ids.filter((id, at) => at === 0 || id !== ids[at - 1]) : ids
}

/** Returns the rows of a page whose envelope touches one of the boxes. */
function rowsTouching(
  { batch: { geometry, rowCount } }: FeaturePage,
  boxes: readonly Envelope[],
): Uint32Array {
  const rows: number[] = []
  for (let row = 0; row < rowCount; row += 1) {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = geometry?.envelopes.subarray(row * 4, row * 4 + 4) ?? []
    if (boxes.some((box) => minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY))
      rows.push(row)
  }
  return Uint32Array.from(rows)
}

/** Returns the entries of the R*Tree within the boxes, or all, in order of ids without duplicates. */
function entriesOf(index: RtreeWalk, boxes: Envelope[] | undefined): Entries {
  const ids: number[] = []
  const sides: number[] = []
  const seen = boxes !== undefined && boxes.length > 1 ? new Set<number>() : undefined
  for (const box of boxes ?? [undefined]) {
    index.entries(box, (id, minX, minY, maxX, maxY) => {
      if (seen?.has(id) === true) return
      seen?.add(id)
      ids.push(id)
      sides.push(minX, minY, maxX, maxY)
    })
  }
  return sorted(ids, sides)
}

function sorted(ids: number[], sides: number[]): Entries {
  const order = orderOfNumbers(ids)
  const envelopes = new Float64Array(order.length * 4)
  for (let to = 0; to < order.length; to += 1) {
    const from = (order[to] as number) * 4
    for (let side = 0; side < 4; side += 1) envelopes[to * 4 + side] = sides[from + side] as number
  }
  return { ids: Float64Array.from(order, (at) => ids[at] as number), envelopes }
}

const scanner = new WkbScanner()

/**
 * True if the envelope of a geometry overlaps one of the boxes, or if the geometry is unreadable, which the
 * reader reports.
 */
function overlapsAny(blob: SqliteValue | undefined, boxes: Envelope[] | undefined): boolean {
  if (!(blob instanceof Uint8Array)) return true
  try {
    scanner.scan(new DataView(blob.buffer, blob.byteOffset, blob.byteLength), wkbStart(blob, 0, blob.length))
  } catch (error) {
    if (error instanceof GeometryError) return true
    throw error
  }
  const { minX, minY, maxX, maxY } = scanner
  if (boxes === undefined) return minX <= maxX
  return boxes.some((box) => minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY)
}
