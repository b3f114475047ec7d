import type { Envelope } from '../../geo/envelope.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import { defined } from '../../lib/defined.ts'
import type { TileEncoder } from '../../tiles/encode-tile.ts'
import { createTileEncoder } from '../../tiles/encode-tile.ts'
import { mostDrawn } from '../../tiles/generalize/select-rows.ts'
import { areaCellOf } from '../../tiles/generalize/tile-cells.ts'
import { bufferedEnvelope, tableBoxes } from '../../tiles/table-boxes.ts'
import { getTileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import type { FeaturePage, TileNote, TileReading, VectorStore } from '../store.ts'
import { mostTilesAtOnce } from '../store.ts'
import { tileReadingOf } from '../tile-reading.ts'
import { compressTile } from './compress-tile.ts'
import { batchBytes, mostReadBytes } from './read-within.ts'
import { findReprojector } from './reprojectors.ts'
import { readColumns, shownPage } from './shown-columns.ts'
import type { EncodedTile, TableTileRequest, TableTilesRequest } from './table-tile-request.ts'
import { nothing, writeTile } from './write-tile.ts'

/**
 * Renders tiles in the order of the request, with the same bytes as `writeTile`. Rows shown by several tiles
 * are read once, and those tiles come from one state of the table; tiles with generalization, or transformed
 * by a program, are rendered individually.
 */
export async function writeTiles(
  store: VectorStore,
  { tiles, ...rest }: TableTilesRequest,
  signal: AbortSignal,
  mostBytes = mostReadBytes,
): Promise<EncodedTile[]> {
  const wishes = tiles.map((tile) => ({ ...rest, tile }))
  // A row file stores nearby rows close to each other.
  const isTogether = rest.rowFile === undefined
  const together = isTogether
    ? await writeTogether(tileReadingOf(store), { tiles, ...rest }, { mostBytes, signal })
    : []
  const made: EncodedTile[] = []
  for (const [at, wish] of wishes.entries())
    made.push(together[at] ?? (await writeTile(store, wish, signal, mostBytes)))
  return made
}

interface Within {
  /** Maximum bytes to read for one tile. */
  mostBytes: number
  signal: AbortSignal
}

/** Returns undefined for tiles that must be rendered individually. */
async function writeTogether(
  reading: TileReading,
  wish: TableTilesRequest,
  within: Within,
): Promise<(EncodedTile | undefined)[]> {
  const { crs, thinning, tiles, extent, filter } = wish
  const isFew = tiles.length > 1 && tiles.length <= mostTilesAtOnce
  if (reading.readTiles === undefined || !isFew) return []
  if (thinning?.cell !== undefined || filter !== undefined) return []
  const set = getTileMatrixSet(wish.set)
  const toTable = await findReprojector(set.srs, crs)
  const there = await findReprojector(crs, set.srs)
  try {
    if (!there.isIdentity && there.transformPlace === undefined) return []
    const boxesOf = await Promise.all(
      tiles.map((tile) => tableBoxes({ set, box: bufferedEnvelope(set, tile), crs, toTable, extent })),
    )
    return await drawTogether(reading.readTiles.bind(reading), { wish, boxesOf, there }, within)
  } finally {
    await Promise.all([toTable.close(), there.close()])
  }
}

async function drawTogether(
  readTiles: NonNullable<TileReading['readTiles']>,
  { wish, boxesOf, there }: { wish: TableTilesRequest; boxesOf: Envelope[][]; there: Reprojector },
  { mostBytes, signal }: Within,
): Promise<(EncodedTile | undefined)[]> {
  const { tiles, table, columns, thinning, ...rest } = wish
  const most = thinning === undefined ? Number.POSITIVE_INFINITY : mostDrawn
  const drawings = tiles.map(
    (tile, at) =>
      new SharedDrawing(
        { ...rest, ...defined({ thinning }), table, tile },
        { there, boxes: boxesOf[at] ?? [] },
        most,
      ),
  )
  const note: TileNote = {}
  let bytesRead = 0
  for await (const page of readTiles({ table, boxesOf, ...readColumns(wish) }, signal, note)) {
    bytesRead += batchBytes(page.batch)
    // One tile may exceed its own limit: rendering them individually finds out.
    if (bytesRead > mostBytes) return []
    const shown = columns === undefined ? page : shownPage(page, columns)
    for (const [at, drawing] of drawings.entries())
      await drawing.add(shown, page.rowsOf[at] ?? new Uint32Array(0))
  }
  signal.throwIfAborted()
  return drawings.map((drawing) => drawing.finish(note))
}

/** One of the tiles for which rows are read together. */
class SharedDrawing {
  readonly #wish: TableTileRequest
  readonly #way: { there: Reprojector; boxes: Envelope[] }
  readonly #most: number
  #encoder: TileEncoder | undefined
  #count = 0

  constructor(wish: TableTileRequest, way: { there: Reprojector; boxes: Envelope[] }, most: number) {
    this.#wish = wish
    this.#way = way
    this.#most = most
  }

  async add(page: FeaturePage, rows: Uint32Array): Promise<void> {
    this.#count += rows.length
    if (rows.length === 0 || this.#isOver) return
    this.#encoder ??= this.#begin(page)
    await this.#encoder.add(page, rows)
  }

  /** Returns undefined if it has more rows than it may draw, which must be selected. */
  finish(note: TileNote): EncodedTile | undefined {
    if (this.#isOver) return undefined
    if (this.#encoder === undefined) return { ...nothing(), ...note }
    const { bytes, counts } = this.#encoder.finish()
    return { bytes: compressTile(bytes), counts, ...note }
  }

  get #isOver(): boolean {
    return this.#count > this.#most
  }

  #begin({ batch: { schema } }: FeaturePage): TileEncoder {
    const { name, set, tile, crs, thinning } = this.#wish
    return createTileEncoder({
      name,
      schema,
      set: getTileMatrixSet(set),
      tile,
      crs,
      reprojector: this.#way.there,
      boxes: this.#way.boxes,
      areaCell: areaCellOf(thinning, set, tile.z),
    })
  }
}
