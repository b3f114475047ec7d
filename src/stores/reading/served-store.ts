import type { ValueSummary } from '../../styles/worker.ts'
import type { TableEdits } from '../edits.ts'
import { getStoreDescription, openVectorStore } from '../registry.ts'
import { serverChangesWritten } from '../server-changes.ts'
import type {
  FeaturePage,
  FeatureQuery,
  StoreConnection,
  TableStates,
  TileReads,
  VectorStore,
} from '../store.ts'
import type { ColumnValues, ColumnValuesRequest } from './column-values.ts'
import type { FeaturePageRequest, PagePart } from './feature-page-request.ts'
import type { EstimatedBox } from './read-cost.ts'
import { demandOfCount, demandOfPage, demandOfQuery, demandOfTileRows, isHeavyTile } from './read-cost.ts'
import type { Readers, ReadTarget } from './readers.ts'
import { StoreReads } from './readers.ts'
import type { ValueSummaryRequest } from './summarize-values.ts'
import type { Tile, TileRequest, TileSource } from './tile-request.ts'
import type { ChangePageRequest } from './write-change-page.ts'

/** A store whose queries run in other threads or processes. */
export interface ServedStore extends VectorStore, TileReads {
  /** Yields a page of features as GeoJSON, rendered on demand. */
  writePage(request: FeaturePageRequest, signal: AbortSignal): AsyncIterable<PagePart>
  /** Yields the contents of a change file as text; for a GeoPackage created by `writeChanges`. */
  writeChangePage(request: ChangePageRequest, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Returns a vector tile of a table. */
  writeTile(source: TileSource, request: TileRequest, signal: AbortSignal): Promise<Tile>
  /** Returns statistics of a column. */
  summarize(request: ValueSummaryRequest, signal: AbortSignal): Promise<ValueSummary>
  /** Returns the values of columns. */
  columnValues(request: ColumnValuesRequest, signal: AbortSignal): Promise<ColumnValues[]>
  /**
   * Returns the estimated number of rows of a table, or of its rows in a box; 0 if there is no such table.
   */
  estimateRowsIn(table: string, box: EstimatedBox | undefined, signal: AbortSignal): Promise<number>
}

/**
 * `stage`, edits, and methods for retained states run in the calling thread, since loads have threads of
 * their own.
 */
export function createServedStore(connection: StoreConnection, readers: Readers): ServedStore {
  const local = openVectorStore(connection, { leavesWhole: true })
  const isFile = getStoreDescription(connection.type).file !== undefined
  const reads = new StoreReads(connection, readers)
  const ask: Ask = (query) => reads.ask(query)
  const { states, edits } = local
  const served = states && servedStates(states, connection, ask)
  const servedEdits: TableEdits | undefined = edits && {
    whyNot: (table) => ask(({ pool, limits }) => pool.call('whyNotEdited', { connection, table }, limits)),
    prepare: (request, decide, signal) => edits.prepare(request, decide, signal),
  }
  return {
    type: connection.type,
    edits: servedEdits,
    states: served,
    tableName: (requested, suffix) => local.tableName(requested, suffix),
    stage: (request, batches, hooks) => local.stage(request, batches, hooks),
    check: (signal) => ask(({ pool, limits }) => pool.call('check', { connection }, { ...limits, signal })),
    listTables: () => ask(({ pool, limits }) => pool.call('listTables', { connection }, limits)),
    findTable: (table, options) =>
      reads.ask(({ pool, limits }) => pool.call('findTable', { connection, table, options }, limits), {
        table,
        // Counting must not delay light reads.
        isHeavy: options?.readMs !== undefined,
      }),
    summarizeTables:
      local.summarizeTables &&
      (() => ask(({ pool, limits }) => pool.call('summarizeTables', { connection }, limits))),
    outcome: (token) => ask(({ pool, limits }) => pool.call('outcome', { connection, token }, limits)),
    sweep: (loadId) => ask(({ pool, limits }) => pool.call('sweep', { connection, loadId }, limits)),
    dropTable: (table) =>
      written(ask(({ pool, limits }) => pool.call('dropTable', { connection, table }, limits))),
    ...servedReads(connection, reads),
    state: (table, signal) =>
      isFile
        ? local.state(table, signal)
        : ask(({ pool, limits }) => pool.call('state', { connection, table }, { ...limits, signal })),
    close: () => local.close(),
  }
}

/** The reads of a `ServedStore` whose cost depends on the number of rows. */
type Reads = Pick<
  ServedStore,
  | 'columnValues'
  | 'count'
  | 'estimateRowsIn'
  | 'readEnvelopes'
  | 'readFeatures'
  | 'readTile'
  | 'summarize'
  | 'timeBounds'
  | 'writeChangePage'
  | 'writePage'
  | 'writeTile'
>

function servedReads(connection: StoreConnection, reads: StoreReads): Reads {
  return {
    count: (query, signal) =>
      reads.ask(
        ({ pool, limits }) => pool.call('count', { connection, query }, { ...limits, signal }),
        reads.kindOf(query.table, demandOfCount(query), signal),
      ),
    timeBounds: (table, attribute, signal) =>
      reads.ask(
        ({ pool, limits }) =>
          pool.call('timeBounds', { connection, table, attribute }, { ...limits, signal }),
        reads.kindOfScan(table, signal),
      ),
    estimateRowsIn: (table, box, signal) => reads.estimateRows(table, signal)(box),
    readFeatures: (query: FeatureQuery, signal): AsyncIterable<FeaturePage> =>
      reads.take(
        ({ pool, limits }) => pool.stream('read', { connection, query }, { ...limits, signal }),
        reads.kindOf(query.table, demandOfQuery(query), signal),
      ),
    writePage: (request, signal) =>
      reads.take(
        ({ pool, limits }) => pool.stream('page', { connection, request }, { ...limits, signal }),
        reads.kindOf(request.query.table, demandOfPage(request), signal),
      ),
    writeChangePage: (request, signal) =>
      reads.take(({ pool, limits }) =>
        pool.stream('changes', { connection, request }, { ...limits, signal }),
      ),
    writeTile: (source, request, signal) =>
      reads.ask(({ limits, tiles }) => tiles.make({ connection, source, request }, limits, signal), {
        table: source.table,
        isHeavy: isHeavyTile(source),
      }),
    summarize: (request, signal) =>
      reads.ask(
        ({ pool, limits }) => pool.call('summary', { connection, request }, { ...limits, signal }),
        reads.kindOfScan(request.table, signal),
      ),
    columnValues: (request, signal) =>
      reads.ask(
        ({ pool, limits }) => pool.call('values', { connection, request }, { ...limits, signal }),
        reads.kindOfScan(request.table, signal),
      ),
    readTile: (query, signal) =>
      reads.take(
        ({ pool, limits }) => pool.stream('tileRows', { connection, query }, { ...limits, signal }),
        reads.kindOf(query.table, demandOfTileRows(query), signal),
      ),
    readEnvelopes: (query, signal) =>
      reads.take(
        ({ pool, limits }) => pool.stream('envelopes', { connection, query }, { ...limits, signal }),
        reads.kindOf(query.table, demandOfTileRows(query), signal),
      ),
  }
}

/** Runs a query in a worker that may read the store. */
type Ask = <T>(query: (target: ReadTarget) => Promise<T>) => Promise<T>

/**
 * The same for writes: they return when a later crash of the server does not make them look like foreign
 * changes.
 */
const written = async <Result>(writing: Promise<Result>): Promise<Result> => {
  const result = await writing
  await serverChangesWritten()
  return result
}

function servedStates(states: TableStates, connection: StoreConnection, ask: Ask): TableStates {
  return {
    stageRestore: (request, hooks) => states.stageRestore(request, hooks),
    read: (table, path, signal) => states.read(table, path, signal),
    putAside: (table, keepAs) =>
      written(ask(({ pool, limits }) => pool.call('putAside', { connection, table, keepAs }, limits))),
    isUnchanged:
      states.isUnchanged === undefined
        ? undefined
        : (table, mark) =>
            ask(({ pool, limits }) => pool.call('isUnchanged', { connection, table, mark }, limits)),
    drop: ({ id }) => written(ask(({ pool, limits }) => pool.call('dropKept', { connection, id }, limits))),
    list: () => ask(({ pool, limits }) => pool.call('listKept', { connection }, limits)),
  }
}
