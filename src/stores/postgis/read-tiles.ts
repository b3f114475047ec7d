import type { PoolClient } from 'pg'
import { statementFailure } from '../../core/postgres/errors.ts'
import { quoteTable } from '../../core/postgres/quote.ts'
import type { CopyTail } from '../../core/postgres/read-copy.ts'
import { readCopy } from '../../core/postgres/read-copy.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { readCopyRows } from '../../geo/postgres-copy/copy-rows.ts'
import type { Schema } from '../../geo/schema.ts'
import { runInSlices } from '../run-in-slices.ts'
import type {
  EnvelopePage,
  FeaturePage,
  NumberedEnvelopes,
  TileNote,
  TileQuery,
  TileReading,
  TileReads,
  TilesPage,
  TilesQuery,
} from '../store.ts'
import { tableChanging } from '../tile-reading.ts'
import type { CachedLayouts, ReadLayout } from './cached-layouts.ts'
import { isOutdated, mayBeOutdated, readMark } from './cached-layouts.ts'
import { isTableChanged, markCheck } from './mark-check.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { findForm, readNumbered } from './read-numbered.ts'
import type { ReadPool } from './read-pool.ts'
import { stateFingerprint, stateOfRows } from './table-state.ts'
import type { TileStatement } from './tile-sql.ts'
import { envelopesSql, tileSql, tilesSql } from './tile-sql.ts'

/** Rows per page: most tiles have few. */
const rowsEach = 256
/** Maximum number of attempts before a table counts as constantly changing. */
const maxAttempts = 5
const sides: Schema = {
  attributes: [
    { name: 'id', type: 'text' },
    ...['minX', 'minY', 'maxX', 'maxY'].map((name) => ({ name, type: 'float64' as const })),
  ],
  geometry: undefined,
}

/** Location of a table. */
interface TablePlace {
  client: PoolClient
  layouts: CachedLayouts
  table: string
  /** Absent within a transaction in which the table cannot change: a failing check would end it. */
  statements?: PreparedStatements
}

/** Reads rows for tiles by binary COPY, which takes half the time of rows as text. */
export class TilesOfTables implements TileReading {
  readonly #pool: ReadPool
  readonly #layouts: CachedLayouts

  readonly #statements: PreparedStatements

  constructor(
    pool: ReadPool,
    { layouts, statements }: { layouts: CachedLayouts; statements: PreparedStatements },
  ) {
    this.#pool = pool
    this.#layouts = layouts
    this.#statements = statements
  }

  readTile(query: TileQuery, signal: AbortSignal, note?: TileNote): AsyncGenerator<FeaturePage> {
    return this.#leased(signal, (client) => tilePages(this.#place(client, query), query, signal, note))
  }

  readTiles(query: TilesQuery, signal: AbortSignal, note?: TileNote): AsyncGenerator<TilesPage> {
    return this.#leased(signal, (client) => sharedPages(this.#place(client, query), query, signal, note))
  }

  readEnvelopes(
    query: Pick<TileQuery, 'table' | 'boxes'>,
    signal: AbortSignal,
  ): AsyncGenerator<EnvelopePage> {
    return this.#leased(signal, (client) => envelopePages(this.#place(client, query), query, signal))
  }

  async atOneState<Result>(
    table: string,
    work: (reads: TileReads) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    return this.#pool.use(async (client) => {
      try {
        await beginAtOneState(client, this.#layouts, table)
        return await work({
          readTile: (query, own) => tilePages({ client, layouts: this.#layouts, table }, query, own),
          readEnvelopes: (query, own) => envelopePages({ client, layouts: this.#layouts, table }, query, own),
          readNumbered: (of, own) => numberedPages({ client, layouts: this.#layouts, table: of }, own),
        })
      } finally {
        await client.query('rollback').catch(() => {})
      }
    }, signal)
  }

  #place(client: PoolClient, { table }: Pick<TileQuery, 'table'>): TablePlace {
    return { client, layouts: this.#layouts, table, statements: this.#statements }
  }

  async *#leased<Page>(
    signal: AbortSignal,
    read: (client: PoolClient) => AsyncIterable<Page>,
  ): AsyncGenerator<Page> {
    const lease = await this.#pool.lease(signal)
    try {
      yield* read(lease.client)
      signal.throwIfAborted()
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      lease.release()
    }
  }
}

/**
 * Starts a transaction in which the table matches its layout. The lock comes before the snapshot, so that no
 * table is replaced or truncated in between.
 */
async function beginAtOneState(client: PoolClient, layouts: CachedLayouts, table: string): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { layout } = await layouts.get(client, table)
    const { facts } = layout
    await client.query('begin isolation level repeatable read read only')
    if (facts.canBeLocked) {
      await client.query(`lock table ${quoteTable(facts.schema, facts.name)} in access share mode`)
    }
    if ((await readMark(client, layout)) === layout.mark) return
    await client.query('rollback')
    layouts.forget(layout)
  }
  throw tableChanging(table)
}

function tilePages(
  target: TablePlace,
  query: TileQuery,
  signal: AbortSignal,
  note?: TileNote,
): AsyncGenerator<FeaturePage> {
  return pagesWithState(target, (layout, check) => tileSql(layout, query, check), signal, note)
}

async function* sharedPages(
  target: TablePlace,
  query: TilesQuery,
  signal: AbortSignal,
  note?: TileNote,
): AsyncGenerator<TilesPage> {
  const statement = (layout: ReadLayout, check: string | undefined): TileStatement =>
    tilesSql(layout, query, check)
  for await (const page of pagesWithState(target, statement, signal, note))
    yield tilesPage(page, query.boxesOf.length)
}

/** Removes the column that contains the tile number of a row. */
function tilesPage({ batch, ids }: FeaturePage, tiles: number): TilesPage {
  const { schema, columns, rowCount } = batch
  const bits = columns.at(-1)
  const rowsOf = Array.from({ length: tiles }, (_, tile) => {
    const rows: number[] = []
    for (let row = 0; row < rowCount; row += 1)
      if (bits?.kind === 'fixed' && ((bits.values[row] as number) >> tile) & 1) rows.push(row)
    return Uint32Array.from(rows)
  })
  const attributes = schema.attributes.slice(0, -1)
  const shown = { ...batch, schema: { ...schema, attributes }, columns: columns.slice(0, -1) }
  return { batch: shown, ids, rowsOf }
}

/** Yields pages of rows, and reads the state of the table after them. */
function pagesWithState(
  target: TablePlace,
  statement: (layout: ReadLayout, check: string | undefined) => TileStatement,
  signal: AbortSignal,
  note: TileNote = {},
): AsyncGenerator<FeaturePage> {
  const read = async function* (layout: ReadLayout, check: string | undefined) {
    const stateSql = await stateQueryOf(target, layout)
    const tail: CopyTail = { rows: [] }
    yield* readRows(target.client, { ...statement(layout, check), stateSql }, tail)
    target.statements?.hasLost(tail.error)
    const seen = stateOfRows(tail.rows)
    if (seen !== undefined) note.seen = seen
  }
  return runInSlices(readByLayout(target, read), signal)
}

/**
 * Returns a query for the state of the table after its rows, sent in the same message to save a round trip.
 */
async function stateQueryOf(
  { client, statements }: TablePlace,
  { facts }: ReadLayout,
): Promise<string | undefined> {
  if (statements === undefined) return undefined
  return stateFingerprint({ client, statements, schema: facts.schema, table: facts.name }).catch(
    () => undefined,
  )
}

function envelopePages(
  target: TablePlace,
  query: Pick<TileQuery, 'table' | 'boxes'>,
  signal: AbortSignal,
): AsyncGenerator<EnvelopePage> {
  const read = (layout: ReadLayout, check: string | undefined): AsyncIterable<EnvelopePage> =>
    readSides(target.client, envelopesSql(layout, query, check))
  return runInSlices(readByLayout(target, read), signal)
}

/** Must run within a transaction. */
async function numberedPages(
  { client, layouts, table }: TablePlace,
  signal: AbortSignal,
): Promise<AsyncIterable<NumberedEnvelopes> | undefined> {
  const { layout } = await layouts.get(client, table)
  const form = await findForm(client, layout)
  return form && runInSlices(readNumbered(client, layout, form), signal)
}

/**
 * A statement fails immediately if the table no longer matches, or, without a check, returns no rows, in
 * which case a query finds out. Then the statement is prepared again.
 */
async function* readByLayout<Page>(
  { client, layouts, table, statements }: TablePlace,
  read: (layout: ReadLayout, check: string | undefined) => AsyncIterable<Page>,
): AsyncGenerator<Page> {
  let checking = statements
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { layout, isKept } = await layouts.get(client, table)
    if (layout.facts.geometry === undefined) return
    const check = checking && (await markCheck(client, checking, layout))
    let isBegun = false
    try {
      for await (const page of read(layout, check)) {
        isBegun = true
        yield page
      }
      if (isBegun || check !== undefined || (await readMark(client, layout)) === layout.mark) return
    } catch (error) {
      if (isBegun || !mayBeOutdated(error)) throw statementFailure(error, `reading "${table}"`)
      const isChanged = check !== undefined && isTableChanged(error)
      // A pooler or missing privileges may prevent a check.
      if (check !== undefined && !isChanged) {
        statements?.hasLost(error)
        checking = undefined
      } else if (!isChanged && !(await isOutdated(client, { layout, isKept }, error)))
        throw statementFailure(error, `reading "${table}"`)
    }
    layouts.forget(layout)
  }
  throw tableChanging(table)
}

async function* readRows(
  client: PoolClient,
  { sql, schema, attributes, stateSql: look }: TileStatement & { stateSql: string | undefined },
  tail: CopyTail,
): AsyncGenerator<FeaturePage> {
  const sent = attributes.map((one) => (one.type === 'decimal' ? { ...one, type: 'text' as const } : one))
  const form = {
    rowsEach,
    schema: { ...schema, attributes: [{ name: 'id', type: 'text' as const }, ...sent] },
  }
  const text = look === undefined ? sql : `${sql}; ${look}`
  for await (const batch of readCopyRows(readCopy(client, text, tail), form)) {
    const ids = idsOf(batch)
    const columns = batch.columns.slice(1).map((column, index) => {
      const isDecimal = attributes[index]?.type === 'decimal' && column.kind === 'var'
      return isDecimal ? { ...column, type: 'decimal' as const } : column
    })
    yield { batch: { ...batch, schema: { ...schema, attributes }, columns }, ids }
  }
}

async function* readSides(client: PoolClient, sql: string): AsyncGenerator<EnvelopePage> {
  for await (const batch of readCopyRows(readCopy(client, sql), { schema: sides })) {
    const envelopes = new Float64Array(batch.rowCount * 4)
    batch.columns.slice(1).forEach((column, side) => {
      if (column.kind === 'var') return
      for (let row = 0; row < batch.rowCount; row += 1) envelopes[row * 4 + side] = Number(column.values[row])
    })
    yield { ids: idsOf(batch), envelopes }
  }
}

function idsOf({ columns: [column], rowCount }: FeatureBatch): string[] {
  if (column === undefined) return []
  return Array.from({ length: rowCount }, (_, row) => String(columnValue(column, row)))
}
