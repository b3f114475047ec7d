import type { ValueSummary } from '../../cartography/classify/summary.ts'
import { Failure } from '../../lib/errors.ts'
import { WorkerEnded } from '../../lib/workers/worker-handle.ts'
import { ownChangesWritten } from '../own-changes.ts'
import { getStoreDescription, openVectorStore } from '../registry.ts'
import type {
  FeaturePage,
  FeatureQuery,
  StoreConnection,
  TableEdits,
  TableStates,
  TileReads,
  VectorStore,
} from '../store.ts'
import type { ColumnsWish, ColumnValues } from './column-values.ts'
import type { PagePart, PageWish } from './page-wish.ts'
import type { Readers, ReadPlace } from './readers.ts'
import type { SummaryWish } from './summarize-values.ts'
import type { MadeTile, TileWish } from './tile-wish.ts'
import type { ChangeWish } from './write-change-page.ts'

/** A store whose questions are answered by other threads or processes. */
export interface ServedStore extends VectorStore, TileReads {
  /** A page of features as GeoJSON, made as it is taken. */
  writePage(wish: PageWish, signal: AbortSignal): AsyncIterable<PagePart>
  /** What a change file lists, as text; of a GeoPackage that `writeChanges` made. */
  writeChangePage(wish: ChangeWish, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** A vector tile of a table. */
  writeTile(wish: TileWish, signal: AbortSignal): Promise<MadeTile>
  /** What a column holds. */
  summarize(wish: SummaryWish, signal: AbortSignal): Promise<ValueSummary>
  /** What values columns have. */
  columnValues(wish: ColumnsWish, signal: AbortSignal): Promise<ColumnValues[]>
}

/** `stage`, edits and what stages or reads earlier states work in this thread: loads have threads of their own. */
export function createServedStore(connection: StoreConnection, readers: Readers): ServedStore {
  const local = openVectorStore(connection, { leavesWhole: true })
  const isFile = getStoreDescription(connection.type).file !== undefined

  /** Asks where the store may be read, and elsewhere where that turns out to be wrong. */
  async function ask<T>(question: (place: ReadPlace) => Promise<T>): Promise<T> {
    try {
      return await question(readers.placeOf(connection))
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      readers.distrust(connection)
      return question(readers.placeOf(connection))
    }
  }

  async function* take<T>(question: (place: ReadPlace) => AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* question(readers.placeOf(connection))
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      readers.distrust(connection)
      yield* question(readers.placeOf(connection))
    }
  }

  const { states, edits } = local
  const served = states && servedStates(states, connection, ask)
  const servedEdits: TableEdits | undefined = edits && {
    whyNot: (table) => ask(({ pool, limits }) => pool.call('whyNotEdited', { connection, table }, limits)),
    prepare: (request, decide, signal) => edits.prepare(request, decide, signal),
  }
  return {
    type: connection.type,
    ...(servedEdits === undefined ? {} : { edits: servedEdits }),
    ...(served === undefined ? {} : { states: served }),
    tableName: (wanted, suffix) => local.tableName(wanted, suffix),
    stage: (request, batches, hooks) => local.stage(request, batches, hooks),
    check: (signal) => ask(({ pool, limits }) => pool.call('check', { connection }, { ...limits, signal })),
    listTables: () => ask(({ pool, limits }) => pool.call('listTables', { connection }, limits)),
    findTable: (table) => ask(({ pool, limits }) => pool.call('findTable', { connection, table }, limits)),
    outcome: (token) => ask(({ pool, limits }) => pool.call('outcome', { connection, token }, limits)),
    sweep: (loadId) => ask(({ pool, limits }) => pool.call('sweep', { connection, loadId }, limits)),
    dropTable: (table) =>
      written(ask(({ pool, limits }) => pool.call('dropTable', { connection, table }, limits))),
    count: (query, signal) =>
      ask(({ pool, limits }) => pool.call('count', { connection, query }, { ...limits, signal })),
    timeBounds: (table, attribute, signal) =>
      ask(({ pool, limits }) =>
        pool.call('timeBounds', { connection, table, attribute }, { ...limits, signal }),
      ),
    state: (table, signal) =>
      isFile
        ? local.state(table, signal)
        : ask(({ pool, limits }) => pool.call('state', { connection, table }, { ...limits, signal })),
    readFeatures: (query: FeatureQuery, signal): AsyncIterable<FeaturePage> =>
      take(({ pool, limits }) => pool.stream('read', { connection, query }, { ...limits, signal })),
    writePage: (wish, signal) =>
      take(({ pool, limits }) => pool.stream('page', { connection, wish }, { ...limits, signal })),
    writeChangePage: (wish, signal) =>
      take(({ pool, limits }) => pool.stream('changes', { connection, wish }, { ...limits, signal })),
    writeTile: (wish, signal) =>
      ask(({ pool, limits, tiles }) =>
        tiles.run(
          limits.key,
          wish,
          (several, own) => pool.call('tiles', { connection, wish: several }, { ...limits, signal: own }),
          signal,
        ),
      ),
    summarize: (wish, signal) =>
      ask(({ pool, limits }) => pool.call('summary', { connection, wish }, { ...limits, signal })),
    columnValues: (wish, signal) =>
      ask(({ pool, limits }) => pool.call('values', { connection, wish }, { ...limits, signal })),
    readTile: (query, signal) =>
      take(({ pool, limits }) => pool.stream('tileRows', { connection, query }, { ...limits, signal })),
    readEnvelopes: (query, signal) =>
      take(({ pool, limits }) => pool.stream('envelopes', { connection, query }, { ...limits, signal })),
    close: () => local.close(),
  }
}

/** Asks a store where it may be read. */
type Ask = <T>(question: (place: ReadPlace) => Promise<T>) => Promise<T>

/** The same for what writes: it is done when a server that dies then is no change by others. */
const written = async <Result>(writing: Promise<Result>): Promise<Result> => {
  const result = await writing
  await ownChangesWritten()
  return result
}

function servedStates(states: TableStates, connection: StoreConnection, ask: Ask): TableStates {
  return {
    stageRestore: (request, hooks) => states.stageRestore(request, hooks),
    read: (table, path, signal) => states.read(table, path, signal),
    putAside: (table, keepAs) =>
      written(ask(({ pool, limits }) => pool.call('putAside', { connection, table, keepAs }, limits))),
    ...(states.isUnchanged === undefined
      ? {}
      : {
          isUnchanged: (table, mark) =>
            ask(({ pool, limits }) => pool.call('isUnchanged', { connection, table, mark }, limits)),
        }),
    drop: ({ id }) => written(ask(({ pool, limits }) => pool.call('dropKept', { connection, id }, limits))),
    list: () => ask(({ pool, limits }) => pool.call('listKept', { connection }, limits)),
  }
}

/** A reader that died of its question, mostly for want of memory, is no fault of the server. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof WorkerEnded)) return error
  return new Failure('unavailable', 'reader-ended', 'The question took more than a reader has', {
    cause: error,
  })
}

function isForProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === 'needs-process'
}
