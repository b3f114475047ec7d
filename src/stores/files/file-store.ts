import { Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { filterKey } from '../../filters/filter.ts'
import type { DataFile, LayerDescription, PlacedRows, ReadContext } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { fileState } from '../file-state.ts'
import type { RowPosition, SortKey } from '../order.ts'
import { unknownPosition } from '../order.ts'
import type {
  FeaturePage,
  FeatureQuery,
  StoreType,
  TableDescription,
  TableState,
  TileReading,
  TimeBounds,
  VectorStore,
} from '../store.ts'
import { scanTimeBounds } from '../time-bounds.ts'
import type { FileSource } from './file-source.ts'
import type { FeatureFilter } from './index/match-rows.ts'
import { matchRows } from './index/match-rows.ts'
import type { FileIndex } from './index/open-index.ts'
import { openIndex } from './index/open-index.ts'
import type { IndexRowSet } from './index/row-set.ts'
import { allPositions } from './index/row-set.ts'
import { sortRows } from './index/sort-rows.ts'
import type { PartStamp } from './index/stamp.ts'
import { fitsStamp, isUntouched, notIndexed, readIndexHead, rowsChanged, stampedFile } from './index/stamp.ts'
import { walkRows } from './index/walk-rows.ts'
import { TilesOfFile } from './tiles-of-file.ts'
import { withSidecars } from './with-sidecars.ts'

const pieceRows = 2048
/**
 * Maximum number and size of cached search results. The count and each page of a query use the same result.
 */
const keptMatches = 4
const keptMatchBytes = 1 << 23
/** Maximum size of a cached sort order: four bytes per row. */
const keptOrderBytes = 1 << 25

/** An open file with a matching index. */
interface Indexed {
  index: FileIndex
  file: DataFile
}

/**
 * A file that is served directly, read-only: its layer is the only table, and feature ids are row numbers of
 * the file. An index, built separately by `buildIndex`, finds the rows. Without an index that matches the
 * file, queries fail with `layer-not-indexed`.
 */
export class FileStore implements VectorStore {
  readonly type: StoreType
  readonly tiles: TileReading
  readonly #source: FileSource
  /** Search results by filter, all from the same state of the file. */
  readonly #matches = new Map<string, IndexRowSet | undefined>()
  #matchedState = ''
  /** The most recent sort order. */
  #order: { key: string; positions: Uint32Array } | undefined

  constructor(source: FileSource) {
    this.type = source.type
    this.#source = source
    this.tiles = new TilesOfFile<Indexed>({
      open: () => this.#open(),
      requireLayer: (indexed, table) => this.#requireLayer(indexed, table),
      rowsAt: (...parameters) => this.#rowsAt(...parameters),
    })
  }

  async check(signal: AbortSignal): Promise<void> {
    const { format, path } = this.#source
    try {
      await format.describe(await withSidecars(path), this.#context(signal))
    } catch (error) {
      throw new Failure('unavailable', 'store-file', `${this.type} file cannot be read`, { cause: error })
    }
  }

  async listTables(): Promise<string[]> {
    return this.#using(async ({ index }) => [index.header.layer.name])
  }

  async findTable(table: string): Promise<TableDescription | undefined> {
    return this.#using(async ({ index }) => {
      const { layer } = index.header
      return layer.name === table ? toTable(layer) : undefined
    })
  }

  tableName(requested: string, suffix = ''): string {
    return requested + suffix
  }

  stage(): never {
    return this.#readOnly()
  }

  outcome(): Promise<'absent'> {
    return Promise.resolve('absent')
  }

  sweep(): Promise<void> {
    return Promise.resolve()
  }

  dropTable(): never {
    return this.#readOnly()
  }

  async state(): Promise<TableState> {
    const { path, sidecars } = await withSidecars(this.#source.path)
    return { text: await fileState([path, ...Object.values(sidecars).sort()]) }
  }

  async close(): Promise<void> {
    this.#matches.clear()
    this.#order = undefined
  }

  async count(
    { table, ...filter }: Omit<FeatureQuery, 'limit' | 'offset'>,
    signal: AbortSignal,
  ): Promise<number> {
    return this.#using(async (indexed) => {
      this.#requireLayer(indexed, table)
      const matches = await this.#match(indexed, filter, signal)
      return matches === undefined ? indexed.index.header.rowCount : matches.count()
    })
  }

  async estimateRows(): Promise<number> {
    return this.#using(async ({ index }) => index.header.rowCount)
  }

  timeBounds(table: string, attribute: string, signal: AbortSignal): Promise<TimeBounds | undefined> {
    const all = { table, limit: Number.POSITIVE_INFINITY, offset: 0 }
    return scanTimeBounds(this.readFeatures(all, signal), attribute)
  }

  async *readFeatures(query: FeatureQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    const { table } = query
    const indexed = await this.#open()
    try {
      this.#requireLayer(indexed, table)
      const pieces = await this.#positions(indexed, query, signal)
      yield* this.#rowsAt(indexed, pieces, signal)
    } finally {
      indexed.index.close()
    }
  }

  async #positions(
    indexed: Indexed,
    query: FeatureQuery,
    signal: AbortSignal,
  ): Promise<Iterable<Uint32Array> | AsyncIterable<Uint32Array>> {
    const { index } = indexed
    const { limit, offset, from, sort = [], bboxes, time, filter, featureId, featureIds } = query
    const matches = await this.#match(indexed, { bboxes, time, filter, featureId, featureIds }, signal)
    const { rowCount } = index.header
    if (from === undefined && sort.length === 0)
      return matches?.positions(offset, limit, pieceRows) ?? allPositions(rowCount, offset, limit, pieceRows)
    const order = sort.length === 0 ? undefined : await this.#sorted(indexed, sort, signal)
    const behind = from === undefined ? undefined : positionOfRow(index, from.row)
    const isBackward = from?.isBackward === true
    return walkRows({ rowCount, matches, order, behind, isBackward, offset, limit }, pieceRows, signal)
  }

  /** Returns all positions in an order, which every page uses. */
  async #sorted(indexed: Indexed, sort: readonly SortKey[], signal: AbortSignal): Promise<Uint32Array> {
    const { layer, rowCount, stamp } = indexed.index.header
    const key = JSON.stringify([stamp, sort])
    if (this.#order?.key === key) return this.#order.positions
    const all = allPositions(rowCount, 0, rowCount, pieceRows)
    const batches = batchesOf(this.#rowsAt(indexed, all, signal))
    const positions = await sortRows({ schema: layer.schema, rowCount }, batches, sort, signal)
    if (positions.byteLength <= keptOrderBytes) this.#order = { key, positions }
    return positions
  }

  async *#rowsAt(
    indexed: Indexed,
    pieces: Iterable<Uint32Array> | AsyncIterable<Uint32Array>,
    signal: AbortSignal,
    options: { isGeometryOnly?: boolean } = {},
  ): AsyncGenerator<FeaturePage> {
    let rows: PlacedRows | undefined
    try {
      for await (const positions of pieces) {
        rows ??= await this.#openRows(indexed, signal, options)
        let count = 0
        const batches = rows.read(indexed.index.placesOf(positions), signal)
        for await (const batch of this.#unchanged(indexed, rows, batches)) {
          count += batch.rowCount
          yield { batch, ids: Array.from(batch.rowNumbers, String), isKeyed: true }
        }
        if (count < positions.length) throw rowsChanged()
      }
    } finally {
      await rows?.close()
    }
  }

  #context(signal: AbortSignal): ReadContext {
    const { charset } = this.#source
    return charset === undefined ? { signal } : { signal, charset }
  }

  #readOnly(): never {
    throw invalid(
      'read-only-store',
      `A ${this.type} store is a file that is served as it is: nothing can be loaded into it`,
    )
  }

  #requireLayer({ index }: Indexed, table: string): void {
    if (index.header.layer.name === table) return
    throw notFound('unknown-table', `The ${this.type} file has no layer "${table}"`)
  }

  /** Opens the index if it matches the present file. */
  async #open(): Promise<Indexed> {
    const { path, indexPath, format } = this.#source
    const index = openIndex(indexPath)
    if (index === undefined) throw notIndexed()
    const { stamp } = index.header
    if (await fitsStamp(path, stamp, format.rowAccess?.sidecars ?? [])) {
      return { index, file: stampedFile(path, stamp) }
    }
    index.close()
    throw notIndexed()
  }

  async #using<Result>(action: (indexed: Indexed) => Promise<Result>): Promise<Result> {
    const indexed = await this.#open()
    try {
      return await action(indexed)
    } finally {
      indexed.index.close()
    }
  }

  /** Opens the files for reading rows; refuses those of another state. */
  async #openRows(
    { index, file }: Indexed,
    signal: AbortSignal,
    options: { isGeometryOnly?: boolean } = {},
  ): Promise<PlacedRows> {
    const { rowAccess, name } = this.#source.format
    if (rowAccess === undefined) throw new Error(`Rows of ${name} are not read one by one`)
    const { layer, heads } = index.header
    const rows = await rowAccess.open(file, layer, this.#context(signal), options).catch(() => {
      signal.throwIfAborted()
      throw notIndexed()
    })
    const isSame = [...rows.files].every(([extension, { fd }]) => readIndexHead(fd) === heads[extension])
    if (isSame && areUntouched(index, rows)) return rows
    await rows.close()
    throw notIndexed()
  }

  /** Yields batches while the files match the index. */
  async *#unchanged(
    { index }: Indexed,
    rows: PlacedRows,
    batches: AsyncIterable<FeatureBatch>,
  ): AsyncGenerator<FeatureBatch> {
    try {
      for await (const batch of batches) {
        if (batch.rejects.length > 0 || !areUntouched(index, rows)) throw rowsChanged()
        yield batch
      }
    } catch (error) {
      throw areUntouched(index, rows) ? error : rowsChanged()
    }
  }

  async #match(
    indexed: Indexed,
    filter: FeatureFilter,
    signal: AbortSignal,
  ): Promise<IndexRowSet | undefined> {
    const { index } = indexed
    const state = JSON.stringify(index.header.stamp)
    if (state !== this.#matchedState) this.#matches.clear()
    this.#matchedState = state
    const { filter: requested, ...plain } = filter
    const key = JSON.stringify([plain, filterKey(requested)])
    if (this.#matches.has(key)) return this.#matches.get(key)
    const open = async (isGeometryOnly: boolean): Promise<PlacedRows> => {
      const rows = await this.#openRows(indexed, signal, { isGeometryOnly })
      return {
        ...rows,
        read: (rowOffsets, own) => this.#unchanged(indexed, rows, rows.read(rowOffsets, own)),
      }
    }
    const ways = { openGeometries: () => open(true), openRows: () => open(false) }
    const found = await matchRows({ index, ...ways, signal }, filter)
    this.#keep(key, found, state)
    return found
  }

  #keep(key: string, found: IndexRowSet | undefined, state: string): void {
    if (state !== this.#matchedState || (found?.byteLength ?? 0) > keptMatchBytes / keptMatches) return
    const [oldest] = this.#matches.keys()
    if (this.#matches.size >= keptMatches && oldest !== undefined) this.#matches.delete(oldest)
    this.#matches.set(key, found)
  }
}

function areUntouched({ header }: FileIndex, { files }: PlacedRows): boolean {
  const partOf = (extension: string): PartStamp | undefined =>
    header.stamp.parts.find((part) => part.extension === extension)
  return [...files].every(([extension, { fd }]) => {
    const part = partOf(extension)
    return part !== undefined && isUntouched(fd, part)
  })
}

async function* batchesOf(pages: AsyncIterable<FeaturePage>): AsyncGenerator<FeatureBatch> {
  for await (const { batch } of pages) yield batch
}

function positionOfRow(index: FileIndex, { id }: RowPosition): number {
  const position = /^[1-9]\d{0,9}$/.test(id) ? index.positionOf(Number(id)) : undefined
  if (position === undefined) throw unknownPosition()
  return position
}

function toTable(layer: LayerDescription): TableDescription {
  const { name, schema, featureCount, envelope } = layer
  return { name, schema, featureCount, envelope }
}
