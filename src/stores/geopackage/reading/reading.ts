import { basename } from 'node:path'
import { notFound } from '../../../core/errors/errors.ts'
import { readyFor } from '../../../filters/row-filter.ts'
import type { Area } from '../../../geo/polygon-test.ts'
import { runInSlices } from '../../run-in-slices.ts'
import type {
  EnvelopePage,
  FeaturePage,
  FeatureQuery,
  TileNote,
  TileQuery,
  TileReading,
  TileReads,
  TilesPage,
  TilesQuery,
  TimeBounds,
} from '../../store.ts'
import { fingerprintDatabaseNow } from '../database-fingerprint.ts'
import { storeFailure } from '../errors.ts'
import type { GeoPackageStoreSettings } from '../file-access.ts'
import { hasFile } from '../file-access.ts'
import type { FeatureFilter } from './conditions.ts'
import type { ReadConnection } from './connections.ts'
import { ReadConnections } from './connections.ts'
import type { GeoPackageTableReader } from './table-reader.ts'
import type { TileRows } from './tile-rows.ts'

type EnvelopeQuery = Parameters<TileReading['readEnvelopes']>[0]

export function unknownTable(path: string, table: string): Error {
  return notFound('unknown-table', `"${basename(path)}" has no table "${table}"`)
}

/** Queries on the tables of one file, with connections that are retained for `keepMs`. */
export class GeoPackageReading implements TileReading {
  readonly #path: string
  readonly #connections: ReadConnections

  constructor(settings: GeoPackageStoreSettings, keepMs: number) {
    this.#path = settings.path
    this.#connections = new ReadConnections(settings, keepMs)
  }

  async count(filter: FeatureFilter, signal: AbortSignal): Promise<number> {
    return this.#prepared(filter.table, filter, signal, (table) => table.count(filter))
  }

  /** Runs work on a table after the matching rows are found; yields to other work meanwhile. */
  async #prepared<Result>(
    name: string,
    filter: FeatureFilter,
    signal: AbortSignal,
    work: (table: GeoPackageTableReader) => Result,
  ): Promise<Result> {
    const connection = this.#take(name)
    try {
      const table = this.#getTable(connection, name)
      for await (const _piece of runInSlices(table.prepare(filter), signal)) signal.throwIfAborted()
      return work(table)
    } catch (error) {
      throw storeFailure(error, this.#path)
    } finally {
      this.#connections.giveBack(connection)
    }
  }

  timeBounds(table: string, attribute: string): TimeBounds | undefined {
    return this.use(
      (connection) => this.#getTable(connection, table).timeBounds(attribute),
      () => undefined,
    )
  }

  /** Returns 0 if there is no such table. */
  estimateRows(table: string, boxes: readonly Area[] | undefined): number {
    return this.use(
      (connection) => connection.findTable(table)?.estimateRows(boxes) ?? 0,
      () => 0,
    )
  }

  /** Runs one query; returns `absent()` if the file does not exist yet. */
  use<Result>(work: (connection: ReadConnection) => Result, absent: () => Result): Result {
    if (!hasFile(this.#path)) return absent()
    try {
      const connection = this.#connections.take()
      try {
        return work(connection)
      } finally {
        this.#connections.giveBack(connection)
      }
    } catch (error) {
      throw storeFailure(error, this.#path)
    }
  }

  async *read(query: FeatureQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    await readyFor(query.filter)
    signal.throwIfAborted()
    const connection = this.#take(query.table)
    try {
      const table = this.#getTable(connection, query.table)
      for await (const _piece of runInSlices(table.prepare(query), signal)) signal.throwIfAborted()
      for (const page of table.pages(query)) {
        yield page
        signal.throwIfAborted()
      }
    } catch (error) {
      throw storeFailure(error, this.#path)
    } finally {
      this.#connections.giveBack(connection)
    }
  }

  async *readTile(query: TileQuery, signal: AbortSignal, note: TileNote = {}): AsyncGenerator<FeaturePage> {
    signal.throwIfAborted()
    yield* runInSlices(
      this.#pages(query.table, ({ tiles }) => tiles.pages(query)),
      signal,
    )
    note.seen = fingerprintDatabaseNow(this.#path).text
  }

  async *readTiles(query: TilesQuery, signal: AbortSignal, note: TileNote = {}): AsyncGenerator<TilesPage> {
    signal.throwIfAborted()
    yield* runInSlices(
      this.#pages(query.table, ({ tiles }) => tiles.sharedPages(query)),
      signal,
    )
    note.seen = fingerprintDatabaseNow(this.#path).text
  }

  async *readEnvelopes(query: EnvelopeQuery, signal: AbortSignal): AsyncGenerator<EnvelopePage> {
    signal.throwIfAborted()
    yield* runInSlices(
      this.#pages(query.table, ({ tiles }) => tiles.envelopes(query)),
      signal,
    )
  }

  /** Runs in one transaction. */
  async atOneState<Result>(
    table: string,
    work: (reads: TileReads) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted()
    const connection = this.#take(table)
    const tiles = (name: string): TileRows => this.#getTable(connection, name).tiles
    try {
      return await work({
        readTile: (query, own) => runInSlices(tiles(query.table).pages(query), own),
        readEnvelopes: (query, own) => runInSlices(tiles(query.table).envelopes(query), own),
        readNumbered: async (name, own) => {
          const pages = tiles(name).numbered()
          return pages && runInSlices(pages, own)
        },
      })
    } catch (error) {
      throw storeFailure(error, this.#path)
    } finally {
      this.#connections.giveBack(connection)
    }
  }

  /** Yields pages from one transaction, whatever the file contains. */
  async *stream<Page>(
    pagesOf: (connection: ReadConnection) => Iterable<Page>,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    signal.throwIfAborted()
    const connection = this.#connections.take()
    try {
      for (const page of pagesOf(connection)) {
        yield page
        signal.throwIfAborted()
      }
    } catch (error) {
      throw storeFailure(error, this.#path)
    } finally {
      this.#connections.giveBack(connection)
    }
  }

  close(): void {
    this.#connections.close()
  }

  *#pages<Page>(table: string, pagesOf: (table: GeoPackageTableReader) => Iterable<Page>): Generator<Page> {
    const connection = this.#take(table)
    try {
      yield* pagesOf(this.#getTable(connection, table))
    } catch (error) {
      throw storeFailure(error, this.#path)
    } finally {
      this.#connections.giveBack(connection)
    }
  }

  #take(table: string): ReadConnection {
    if (!hasFile(this.#path)) throw unknownTable(this.#path, table)
    try {
      return this.#connections.take()
    } catch (error) {
      throw storeFailure(error, this.#path)
    }
  }

  #getTable(connection: ReadConnection, name: string): GeoPackageTableReader {
    const table = connection.findTable(name)
    if (table === undefined) throw unknownTable(this.#path, name)
    return table
  }
}
