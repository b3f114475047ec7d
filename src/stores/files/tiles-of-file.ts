import type { Envelope } from '../../geo/envelope.ts'
import { areaTest } from '../../geo/polygon-test.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { EnvelopePage, FeaturePage, TileQuery, TileReading, TileReads } from '../store.ts'
import { tilePage } from '../tile-reading.ts'
import type { FileIndex } from './index/open-index.ts'
import { allPositions, IndexRowSet } from './index/row-set.ts'

const pageRows = 512
const envelopeRows = 8192

/** Functions of a file store for reading rows of tiles. `Opened` contains the index; `close` closes it. */
export interface TiledFile<Opened extends { index: FileIndex }> {
  open(): Promise<Opened>
  /** Throws `Failure` (`notFound`) if the file has no such layer. */
  requireLayer(opened: Opened, table: string): void
  /** Yields the rows at these positions. Throws if the file no longer matches the index. */
  rowsAt(
    opened: Opened,
    pieces: Iterable<Uint32Array>,
    signal: AbortSignal,
    options: { isGeometryOnly: boolean },
  ): AsyncIterable<FeaturePage>
}

/** Reads rows of a file for tiles, by its index. */
export class TilesOfFile<Opened extends { index: FileIndex }> implements TileReading {
  readonly #file: TiledFile<Opened>

  constructor(file: TiledFile<Opened>) {
    this.#file = file
  }

  readTile(query: TileQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    return this.#opened((opened) => this.#pages(opened, query, signal))
  }

  readEnvelopes(
    query: Pick<TileQuery, 'table' | 'boxes'>,
    signal: AbortSignal,
  ): AsyncGenerator<EnvelopePage> {
    return this.#opened((opened) => this.#envelopes(opened, query, signal))
  }

  /** Each row is checked against the index, which describes one state of the file. */
  async atOneState<Result>(
    table: string,
    work: (reads: TileReads) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted()
    const opened = await this.#file.open()
    try {
      this.#file.requireLayer(opened, table)
      return await work({
        readTile: (query, own) => this.#pages(opened, query, own),
        readEnvelopes: (query, own) => this.#envelopes(opened, query, own),
      })
    } finally {
      opened.index.close()
    }
  }

  async *#opened<Page>(read: (opened: Opened) => AsyncIterable<Page>): AsyncGenerator<Page> {
    const opened = await this.#file.open()
    try {
      yield* read(opened)
    } finally {
      opened.index.close()
    }
  }

  async *#pages(opened: Opened, query: TileQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    signal.throwIfAborted()
    this.#file.requireLayer(opened, query.table)
    const pieces = await piecesOf(opened.index, query, signal)
    const isGeometryOnly = query.attributes?.length === 0
    for await (const page of runInSlices(
      this.#file.rowsAt(opened, pieces, signal, { isGeometryOnly }),
      signal,
    )) {
      yield tilePage(page, query)
    }
    signal.throwIfAborted()
  }

  async *#envelopes(
    opened: Opened,
    { table, boxes }: Pick<TileQuery, 'table' | 'boxes'>,
    signal: AbortSignal,
  ): AsyncGenerator<EnvelopePage> {
    signal.throwIfAborted()
    this.#file.requireLayer(opened, table)
    const { index } = opened
    const { positions, sides } = await entriesOf(index, boxes, signal)
    for (let from = 0; from < positions.length; from += envelopeRows) {
      const some = positions.slice(from, from + envelopeRows)
      const ids = Array.from(index.placesOf(some).rows, String)
      yield { ids, envelopes: sides.slice(from * 4, (from + some.length) * 4) }
      signal.throwIfAborted()
    }
  }
}

/** Returns the positions of the requested rows, ascending. */
async function piecesOf(
  index: FileIndex,
  { boxes, ids }: TileQuery,
  signal: AbortSignal,
): Promise<Iterable<Uint32Array>> {
  const { rowCount } = index.header
  if (ids === undefined && boxes === undefined) return allPositions(rowCount, 0, rowCount, pageRows)
  const found = new IndexRowSet(rowCount)
  if (ids !== undefined) {
    for (const id of ids) {
      const position = /^[1-9]\d{0,9}$/.test(id) ? index.positionOf(Number(id)) : undefined
      if (position !== undefined) found.add(position)
    }
  } else {
    for await (const _turn of runInSlices(
      index.sortByAreas((boxes ?? []).map(areaTest), found, found),
      signal,
    ));
  }
  return found.positions(0, Number.POSITIVE_INFINITY, pageRows)
}

/** Envelopes by position, ascending. */
async function entriesOf(
  index: FileIndex,
  boxes: Envelope[] | undefined,
  signal: AbortSignal,
): Promise<{ positions: Uint32Array; sides: Float64Array }> {
  const found: number[] = []
  const sides: number[] = []
  const turns = index.entries(boxes?.map(areaTest), (position, minX, minY, maxX, maxY) => {
    found.push(position)
    sides.push(minX, minY, maxX, maxY)
  })
  for await (const _turn of runInSlices(turns, signal));
  const order = Uint32Array.from(found, (_, at) => at)
  order.sort((a, b) => (found[a] as number) - (found[b] as number))
  const sorted = new Float64Array(order.length * 4)
  for (let to = 0; to < order.length; to += 1) {
    const from = (order[to] as number) * 4
    for (let side = 0; side < 4; side += 1) sorted[to * 4 + side] = sides[from + side] as number
  }
  return { positions: Uint32Array.from(order, (at) => found[at] as number), sides: sorted }
}
