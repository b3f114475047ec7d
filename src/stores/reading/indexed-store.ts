import { Failure } from '../../core/errors/errors.ts'
import { waitLimit } from '../../core/time/wait-limit.ts'
import type { IndexMaker } from '../files/index/index-maker.ts'
import { indexMissing, notIndexed } from '../files/index/stamp.ts'
import type {
  FeaturePage,
  FeatureQuery,
  StoreConnection,
  TableDescription,
  TimeBounds,
  VectorStore,
} from '../store.ts'
import type { FeaturePageRequest, PagePart } from './feature-page-request.ts'
import type { ServedStore } from './served-store.ts'

/**
 * Maximum wait of a query for an index that is being built, in milliseconds; later queries find the index.
 */
const patienceMs = 1500

function isMissing(error: unknown): boolean {
  return error instanceof Failure && error.code === indexMissing
}

/** A store over a file whose index is built when it is missing or outdated. */
export class IndexedStore implements ServedStore {
  readonly #store: ServedStore
  readonly #connection: StoreConnection
  readonly #maker: IndexMaker

  constructor(store: ServedStore, connection: StoreConnection, maker: IndexMaker) {
    this.#store = store
    this.#connection = connection
    this.#maker = maker
  }

  get type(): VectorStore['type'] {
    return this.#store.type
  }

  check: VectorStore['check'] = (signal) => this.#store.check(signal)
  tableName: VectorStore['tableName'] = (requested, suffix) => this.#store.tableName(requested, suffix)
  stage: VectorStore['stage'] = (...parameters) => this.#store.stage(...parameters)
  outcome: VectorStore['outcome'] = (token) => this.#store.outcome(token)
  sweep: VectorStore['sweep'] = (loadId) => this.#store.sweep(loadId)
  dropTable: VectorStore['dropTable'] = (table) => this.#store.dropTable(table)
  state: VectorStore['state'] = (table, signal) => this.#store.state(table, signal)
  writeChangePage: ServedStore['writeChangePage'] = (...parameters) =>
    this.#store.writeChangePage(...parameters)
  close: VectorStore['close'] = () => this.#store.close()

  listTables(): Promise<string[]> {
    return this.#ask(() => this.#store.listTables())
  }

  findTable(table: string): Promise<TableDescription | undefined> {
    return this.#ask(() => this.#store.findTable(table))
  }

  count(query: Omit<FeatureQuery, 'limit' | 'offset'>, signal: AbortSignal): Promise<number> {
    return this.#ask(() => this.#store.count(query, signal), signal)
  }

  timeBounds(table: string, attribute: string, signal: AbortSignal): Promise<TimeBounds | undefined> {
    return this.#ask(() => this.#store.timeBounds(table, attribute, signal), signal)
  }

  readFeatures(query: FeatureQuery, signal: AbortSignal): AsyncIterable<FeaturePage> {
    return this.#take(() => this.#store.readFeatures(query, signal), signal)
  }

  writePage(request: FeaturePageRequest, signal: AbortSignal): AsyncIterable<PagePart> {
    return this.#take(() => this.#store.writePage(request, signal), signal)
  }

  writeTile: ServedStore['writeTile'] = (source, request, signal) =>
    this.#ask(() => this.#store.writeTile(source, request, signal), signal)
  estimateRowsIn: ServedStore['estimateRowsIn'] = (table, box, signal) =>
    this.#ask(() => this.#store.estimateRowsIn(table, box, signal), signal)
  summarize: ServedStore['summarize'] = (request, signal) =>
    this.#ask(() => this.#store.summarize(request, signal), signal)
  columnValues: ServedStore['columnValues'] = (request, signal) =>
    this.#ask(() => this.#store.columnValues(request, signal), signal)
  readTile: ServedStore['readTile'] = (query, signal) =>
    this.#take(() => this.#store.readTile(query, signal), signal)
  readEnvelopes: ServedStore['readEnvelopes'] = (query, signal) =>
    this.#take(() => this.#store.readEnvelopes(query, signal), signal)

  /** Repeats the query as long as no part has arrived. */
  async *#take<Part>(query: () => AsyncIterable<Part>, signal: AbortSignal): AsyncGenerator<Part> {
    const parts = await this.#ask(async () => {
      const reading = query()[Symbol.asyncIterator]()
      return { first: await reading.next(), reading }
    }, signal)
    const { reading } = parts
    try {
      for (let part = parts.first; part.done !== true; part = await reading.next()) yield part.value
    } finally {
      await reading.return?.()
    }
  }

  async #ask<Result>(query: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await query()
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#remake(signal)
      return await query()
    }
  }

  async #remake(signal: AbortSignal | undefined): Promise<void> {
    const patience = waitLimit(patienceMs)
    const either = signal === undefined ? patience : AbortSignal.any([patience, signal])
    try {
      await this.#maker.remake(this.#connection, either)
    } catch (error) {
      signal?.throwIfAborted()
      if (patience.aborted) throw notIndexed()
      throw new Failure('unavailable', 'store-file', `The ${this.type} file cannot be read`, {
        retryAfterSeconds: 30,
        cause: error,
      })
    }
  }
}
