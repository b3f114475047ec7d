import type { CallContext } from '../../core/workers/handlers.ts'
import { Transfer } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type {
  FeaturePage,
  FeatureQuery,
  NotRetained,
  StoreConnection,
  TableDescription,
  TableSnapshot,
  TableState,
  TableStates,
  TileQuery,
  TimeBounds,
  VectorStore,
} from '../store.ts'
import type { FindTableOptions, TableSummary } from '../table-summary.ts'
import { tileReadingOf } from '../tile-reading.ts'
import { areasIn } from './boxes-in-crs.ts'
import { CachedStores } from './cached-stores.ts'
import type { ColumnValuesRequest } from './column-values.ts'
import { valuesOfColumns } from './column-values.ts'
import type { FeaturePageRequest, PagePart } from './feature-page-request.ts'
import type { EstimatedBox } from './read-cost.ts'
import type { ValueSummaryRequest } from './summarize-values.ts'
import { summarizeValues } from './summarize-values.ts'
import type { TilesOfTable } from './tile-batches.ts'
import type { Tile } from './tile-request.ts'
import type { ChangePageRequest } from './write-change-page.ts'
import { writeChangePage } from './write-change-page.ts'
import { writePage } from './write-page.ts'
import { writeTiles } from './write-tile.ts'

/** Settings passed to the thread or process at its start. */
export interface ReadWorkData {
  /** True for a process, which can be terminated: it may read files that block indefinitely. */
  isProcess: boolean
}

interface StoreRequest {
  connection: StoreConnection
}

interface TableRequest extends StoreRequest {
  table: string
}

/** Minimum size to transfer a buffer; copying smaller ones to the main thread is faster. */
const minHandedOver = 8192

type EnvelopeQuery = Pick<TileQuery, 'table' | 'boxes'>
type Context = CallContext

/** Handlers that read the catalogue of a store. */
function tableHandlers(stores: CachedStores) {
  return {
    check: ({ connection }: StoreRequest, { signal }: Context): Promise<void> =>
      stores.use(connection, (store) => store.check(signal)),
    listTables: ({ connection }: StoreRequest): Promise<string[]> =>
      stores.use(connection, (store) => store.listTables()),
    findTable: ({
      connection,
      table,
      options,
    }: TableRequest & { options?: FindTableOptions | undefined }): Promise<TableDescription | undefined> =>
      stores.use(connection, (store) => store.findTable(table, options)),
    summarizeTables: ({ connection }: StoreRequest): Promise<TableSummary[]> =>
      stores.use(connection, async (store) => (await store.summarizeTables?.()) ?? []),
  }
}

function createHandlers(stores: CachedStores) {
  return {
    ...tableHandlers(stores),
    count: (
      { connection, query }: StoreRequest & { query: Omit<FeatureQuery, 'limit' | 'offset'> },
      { signal }: Context,
    ): Promise<number> => stores.use(connection, (store) => store.count(query, signal)),
    estimateRows: (
      { connection, table, box }: TableRequest & { box?: EstimatedBox | undefined },
      { signal }: Context,
    ): Promise<number> =>
      stores.use(connection, async (store) => {
        const areas = box === undefined ? undefined : await areasIn(box, box.crs)
        return (await store.estimateRows?.(table, areas, signal)) ?? Number.MAX_SAFE_INTEGER
      }),
    read: ({ connection, query }: StoreRequest & { query: FeatureQuery }, { signal }: Context) =>
      stores.stream(connection, (store): AsyncIterable<FeaturePage> => store.readFeatures(query, signal)),
    page: ({ connection, request }: StoreRequest & { request: FeaturePageRequest }, { signal }: Context) =>
      pageParts(stores.stream(connection, (store) => writePage(store, request, signal))),
    changes: ({ connection, request }: StoreRequest & { request: ChangePageRequest }, { signal }: Context) =>
      changeParts(stores.stream(connection, (store) => writeChangePage(store, request, signal))),
    tiles: async (
      { connection, source, requests }: TilesOfTable,
      { signal }: Context,
    ): Promise<Transfer<Tile[]>> => {
      const tiles = await stores.use(connection, async (store) =>
        withState(store, await writeTiles(store, source, requests, signal)),
      )
      return new Transfer(
        tiles,
        tiles.flatMap(({ bytes }) => (bytes.length < minHandedOver ? [] : [bytes.buffer as ArrayBuffer])),
      )
    },
    summary: (
      { connection, request }: StoreRequest & { request: ValueSummaryRequest },
      { signal }: Context,
    ) => stores.use(connection, (store) => summarizeValues(store, request, signal)),
    values: ({ connection, request }: StoreRequest & { request: ColumnValuesRequest }, { signal }: Context) =>
      stores.use(connection, (store) => valuesOfColumns(store, request, signal)),
    tileRows: ({ connection, query }: StoreRequest & { query: TileQuery }, { signal }: Context) =>
      stores.stream(connection, (store) => tileReadingOf(store).readTile(query, signal)),
    envelopes: ({ connection, query }: StoreRequest & { query: EnvelopeQuery }, { signal }: Context) =>
      stores.stream(connection, (store) => tileReadingOf(store).readEnvelopes(query, signal)),
    outcome: ({ connection, token }: StoreRequest & { token: string }): Promise<'committed' | 'absent'> =>
      stores.use(connection, (store) => store.outcome(token)),
    sweep: ({ connection, loadId }: StoreRequest & { loadId: string }): Promise<void> =>
      stores.use(connection, (store) => store.sweep(loadId)),
    dropTable: ({ connection, table }: TableRequest): Promise<void> =>
      stores.use(connection, (store) => store.dropTable(table)),
    putAside: ({
      connection,
      table,
      keepAs,
    }: TableRequest & { keepAs: string }): Promise<TableSnapshot | NotRetained> =>
      stores.use(connection, (store) => statesOf(store).putAside(table, keepAs)),
    isUnchanged: async ({ connection, table, mark }: TableRequest & { mark: string }): Promise<boolean> =>
      stores.use(connection, async (store) => (await statesOf(store).isUnchanged?.(table, mark)) === true),
    dropKept: ({ connection, id }: StoreRequest & { id: string }): Promise<void> =>
      stores.use(connection, (store) => statesOf(store).drop({ id })),
    listKept: ({ connection }: StoreRequest): Promise<string[]> =>
      stores.use(connection, (store) => statesOf(store).list()),
    whyNotEdited: ({ connection, table }: TableRequest): Promise<string | undefined> =>
      stores.use(connection, async (store) => store.edits?.whyNot(table)),
    timeBounds: (
      { connection, table, attribute }: TableRequest & { attribute: string },
      { signal }: Context,
    ): Promise<TimeBounds | undefined> =>
      stores.use(connection, (store) => store.timeBounds(table, attribute, signal)),
    state: ({ connection, table }: TableRequest, { signal }: Context): Promise<TableState | undefined> =>
      stores.use(connection, (store) => store.state(table, signal)),
    forget: ({ connection }: StoreRequest): Promise<void> => stores.forget(connection),
  }
}

/** Adds the present state of the table to tiles, if it can be read without a query. */
function withState({ stateNow }: VectorStore, tiles: Tile[]): Tile[] {
  const seen = stateNow?.()
  return seen === undefined ? tiles : tiles.map((tile) => ({ ...tile, seen: tile.seen ?? seen }))
}

function statesOf({ type, states }: VectorStore): TableStates {
  if (states === undefined) throw new Error(`A ${type} store keeps no states of its tables`)
  return states
}

async function* pageParts(parts: AsyncIterable<PagePart>): AsyncGenerator<Transfer<PagePart>> {
  for await (const part of parts) yield new Transfer(part, [part.bytes.buffer as ArrayBuffer])
}

async function* changeParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Transfer<Uint8Array>> {
  for await (const part of parts) yield new Transfer(part, [part.buffer as ArrayBuffer])
}

export type StoreReadHandlers = ReturnType<typeof createHandlers>

serveWork((data: ReadWorkData, _tell, allowReset): StoreReadHandlers => {
  const stores = new CachedStores(data)
  allowReset(() => stores.close())
  return createHandlers(stores)
})
