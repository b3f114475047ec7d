import type { PoolClient } from 'pg'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { readCopyRows } from '../../geo/postgres-copy/copy-rows.ts'
import type { Schema } from '../../geo/schema.ts'
import { statementFailure } from '../../lib/postgres/errors.ts'
import { quoteTable } from '../../lib/postgres/quote.ts'
import { readCopy } from '../../lib/postgres/read-copy.ts'
import { inTurns } from '../in-turns.ts'
import type { EnvelopePage, FeaturePage, TileQuery, TileReading, TileReads } from '../store.ts'
import { tableChanging } from '../tile-reading.ts'
import type { KeptLayouts, ReadLayout } from './kept-layouts.ts'
import { mayBeOutdated, readMark } from './kept-layouts.ts'
import type { ReadPool } from './read-pool.ts'
import type { TileStatement } from './tile-sql.ts'
import { envelopesSql, tileSql } from './tile-sql.ts'

/** Rows of a page: most tiles have few. */
const rowsEach = 256
/** Attempts until a table counts as one that never stands still. */
const mostAttempts = 5
const sides: Schema = {
  attributes: [
    { name: 'id', type: 'text' },
    ...['minX', 'minY', 'maxX', 'maxY'].map((name) => ({ name, type: 'float64' as const })),
  ],
  geometry: undefined,
}

/** Rows for tiles by COPY in binary form, which takes half the time of rows as text. */
export class TilesOfTables implements TileReading {
  readonly #pool: ReadPool
  readonly #layouts: KeptLayouts

  constructor(pool: ReadPool, layouts: KeptLayouts) {
    this.#pool = pool
    this.#layouts = layouts
  }

  readTile(query: TileQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    return this.#leased(signal, (client) => tilePages(client, this.#layouts, query, signal))
  }

  readEnvelopes(
    query: Pick<TileQuery, 'table' | 'boxes'>,
    signal: AbortSignal,
  ): AsyncGenerator<EnvelopePage> {
    return this.#leased(signal, (client) => envelopePages(client, this.#layouts, query, signal))
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
          readTile: (query, own) => tilePages(client, this.#layouts, query, own),
          readEnvelopes: (query, own) => envelopePages(client, this.#layouts, query, own),
        })
      } finally {
        await client.query('rollback').catch(() => {})
      }
    }, signal)
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
 * Begins a transaction in which the table stays what its layout says. The lock comes before the view of the rows is taken:
 * none can be exchanged or emptied in between.
 */
async function beginAtOneState(client: PoolClient, layouts: KeptLayouts, table: string): Promise<void> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
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
  client: PoolClient,
  layouts: KeptLayouts,
  query: TileQuery,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const read = (layout: ReadLayout): AsyncIterable<FeaturePage> => readRows(client, tileSql(layout, query))
  return inTurns(readByLayout({ client, layouts, table: query.table }, read), signal)
}

function envelopePages(
  client: PoolClient,
  layouts: KeptLayouts,
  query: Pick<TileQuery, 'table' | 'boxes'>,
  signal: AbortSignal,
): AsyncGenerator<EnvelopePage> {
  const read = (layout: ReadLayout): AsyncIterable<EnvelopePage> =>
    readSides(client, envelopesSql(layout, query))
  return inTurns(readByLayout({ client, layouts, table: query.table }, read), signal)
}

/**
 * A statement gives no rows where the table is no longer what it was made for: where none came, that is asked, and the
 * statement made anew.
 */
async function* readByLayout<Page>(
  { client, layouts, table }: { client: PoolClient; layouts: KeptLayouts; table: string },
  read: (layout: ReadLayout) => AsyncIterable<Page>,
): AsyncGenerator<Page> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { layout, isKept } = await layouts.get(client, table)
    if (layout.facts.geometry === undefined) return
    let isBegun = false
    try {
      for await (const page of read(layout)) {
        isBegun = true
        yield page
      }
      if (isBegun || (await readMark(client, layout)) === layout.mark) return
    } catch (error) {
      if (isBegun || !isKept || !mayBeOutdated(error)) throw statementFailure(error, `reading "${table}"`)
    }
    layouts.forget(layout)
  }
  throw tableChanging(table)
}

async function* readRows(
  client: PoolClient,
  { sql, schema, attributes }: TileStatement,
): AsyncGenerator<FeaturePage> {
  const sent = attributes.map((one) => (one.type === 'decimal' ? { ...one, type: 'text' as const } : one))
  const form = {
    rowsEach,
    schema: { ...schema, attributes: [{ name: 'id', type: 'text' as const }, ...sent] },
  }
  for await (const batch of readCopyRows(readCopy(client, sql), form)) {
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
