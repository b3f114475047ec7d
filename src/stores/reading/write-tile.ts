import type { Envelope } from '../../geo/envelope.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import { defined } from '../../lib/defined.ts'
import type { Failure } from '../../lib/errors.ts'
import { invalid } from '../../lib/errors.ts'
import type { TileEncoder } from '../../tiles/encode-tile.ts'
import { createTileEncoder, noTileCounts } from '../../tiles/encode-tile.ts'
import { mostDrawn } from '../../tiles/generalize/select-rows.ts'
import { areaCellOf } from '../../tiles/generalize/tile-cells.ts'
import { bufferedEnvelope, tableBoxes } from '../../tiles/table-boxes.ts'
import type { TileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { TileNote, TileQuery, TileReading, TileReads, VectorStore } from '../store.ts'
import { tileReadingByFeatures, tileReadingOf } from '../tile-reading.ts'
import { withRowFile } from './cached-row-files.ts'
import type { ChosenRows, TileBoxes } from './choose-rows.ts'
import { chooseAmong, chooseByOverview } from './choose-rows.ts'
import { compressTile } from './compress-tile.ts'
import { filterIn } from './filter-in-crs.ts'
import { batchBytes, chooseWithin, mostReadBytes } from './read-within.ts'
import { findReprojector } from './reprojectors.ts'
import type { RowFile } from './row-file.ts'
import { readColumns, shownPage } from './shown-columns.ts'
import type { EncodedTile, TableTileRequest } from './table-tile-request.ts'

/** Number of rows after which other work may run. */
const rowsEach = 256

/** Reads, transforms and encodes the rows of a tile, all from one state of the table. */
export async function writeTile(
  store: VectorStore,
  wish: TableTileRequest,
  signal: AbortSignal,
  mostBytes = mostReadBytes,
): Promise<EncodedTile> {
  const set = getTileMatrixSet(wish.set)
  const back = await findReprojector(set.srs, wish.crs)
  const there = await findReprojector(wish.crs, set.srs)
  try {
    const toTable = (box: Envelope): Promise<Envelope[]> =>
      tableBoxes({ set, box, crs: wish.crs, toTable: back, extent: wish.extent })
    const wide = bufferedEnvelope(set, wish.tile)
    const place = { wide, boxes: await toTable(wide), toTable }
    if (place.boxes.length === 0) return nothing()
    const areaCell = areaCellOf(wish.thinning, wish.set, wish.tile.z)
    const work = { wish, set, place, there, mostBytes, areaCell }
    const near = await writeNear(work, signal)
    if (near !== undefined) return near
    return await writeWithin(await readingOf(store, wish), work, signal)
  } finally {
    await Promise.all([back.close(), there.close()])
  }
}

/** Filters apply to features: the tile-specific queries of a store do not support them. */
async function readingOf(store: VectorStore, { filter, crs }: TableTileRequest): Promise<TileReading> {
  if (filter === undefined) return tileReadingOf(store)
  return tileReadingByFeatures(store, await filterIn(filter, crs))
}

interface Work {
  wish: TableTileRequest
  set: TileMatrixSet
  place: TileBoxes
  there: Reprojector
  /** Maximum bytes to read of the drawn rows; further rows are omitted. */
  mostBytes: number
  /** Cell size for sampling polygons. */
  areaCell: number | undefined
}

/** A selection of rows of a table. */
type Rows = Pick<TileQuery, 'boxes' | 'ids'>

/**
 * Renders a tile from a row file if it shows all rows; undefined if there is no row file, or if rows must be
 * selected, which needs the table. Such a file returns far fewer bytes per tile than the limit.
 */
async function writeNear(work: Work, signal: AbortSignal): Promise<EncodedTile | undefined> {
  const { rowFile, thinning, filter } = work.wish
  if (rowFile === undefined || filter !== undefined || thinning?.cell !== undefined) return undefined
  const { isIdentity, transformPlace } = work.there
  if (!isIdentity && transformPlace === undefined) return undefined
  return withRowFile(rowFile, async (file) => file && (await encodeNear(file, work, signal)))
}

async function encodeNear(
  file: RowFile,
  { wish, set, place, there, areaCell }: Work,
  signal: AbortSignal,
): Promise<EncodedTile | undefined> {
  const found = file.find(place.boxes, wish.attributes)
  if (found === undefined) return undefined
  const { rows, shown } = found
  try {
    if (rows.count === 0) return { ...nothing(), isOfRowFile: true }
    if (wish.thinning !== undefined && rows.count > mostDrawn) return undefined
    const { name, tile, crs } = wish
    const { schema } = shown
    const { boxes } = place
    const encoder = createTileEncoder({ name, schema, set, tile, crs, boxes, areaCell, reprojector: there })
    const add = (from: number): void =>
      encoder.addNear(rows, from, Math.min(rows.count, from + rowsEach), shown)
    if (rows.count <= rowsEach) add(0)
    else for await (const from of runInSlices(stepsTo(rows.count), signal)) add(from)
    signal.throwIfAborted()
    const { bytes, counts } = encoder.finish()
    return { bytes: compressTile(bytes), counts, isOfRowFile: true }
  } catch (error) {
    // The file contains something else than a row: read the table, which has them all.
    if (error instanceof RangeError) return undefined
    throw error
  } finally {
    found.release()
  }
}

function* stepsTo(count: number): Generator<number> {
  for (let from = 0; from < count; from += rowsEach) yield from
}

/** Why rows are not drawn as requested: too many rows, or more bytes than the limit. */
type Excess = 'many' | 'heavy'

/**
 * Shows the rows that generalization leaves. A single query sees one state; two queries run within
 * `atOneState`.
 */
async function writeWithin(reading: TileReading, work: Work, signal: AbortSignal): Promise<EncodedTile> {
  const { wish, there } = work
  const first = await writeAtOnce(reading, work, signal)
  if (typeof first === 'object') return first
  if (wish.filter !== undefined && !there.isIdentity && there.transformPlace === undefined) throw tooWide()
  const atOneState = <Made>(write: (reads: TileReads) => Promise<Made>): Promise<Made> =>
    reading.atOneState(wish.table, write, signal)
  if (first === 'many') {
    const made = await atOneState(async (reads) => {
      const chosen = await chooseAmong(reads, work, signal)
      return withThinned(await encode(reads, work, chosen, signal), chosen)
    })
    if (typeof made === 'object') return made
  }
  return atOneState(async (reads) =>
    writeLargest(reads, work, await chooseAmong(reads, work, signal), signal),
  )
}

/** Renders without reading envelopes, if they are not needed. */
async function writeAtOnce(
  reading: TileReading,
  work: Work,
  signal: AbortSignal,
): Promise<EncodedTile | Excess> {
  const { wish, place } = work
  // An overview contains the rows of the whole table.
  const known = wish.filter === undefined ? await chooseByOverview(work) : undefined
  if (known !== undefined) return withThinned(await encode(reading, work, known, signal), known)
  if (wish.thinning === undefined) return encode(reading, work, { boxes: place.boxes }, signal)
  // A filter may leave so few rows that none must be omitted, whatever the cell.
  if (wish.thinning.cell !== undefined && wish.filter === undefined) return 'many'
  const all = wish.filter === undefined ? work : { ...work, areaCell: undefined }
  return encode(reading, all, { boxes: place.boxes }, signal, mostDrawn)
}

/** Features are selected by location, which for such a CRS only a copy provides. */
function tooWide(): Failure {
  return invalid(
    'filter-too-wide',
    `The filter leaves more than ${mostDrawn} features in this tile, or shapes that are too large to be read at once, and the CRS of the layer does not let the server choose among them: filter more, or look closer`,
  )
}

/** Measures the largest of the selected rows, and draws as many as the limit allows. */
async function writeLargest(
  reads: TileReads,
  work: Work,
  chosen: ChosenRows,
  signal: AbortSignal,
): Promise<EncodedTile> {
  const { wish, mostBytes } = work
  const query = { table: wish.table, ...readColumns(wish) }
  const ids = await chooseWithin(reads, query, chosen, { mostBytes, signal })
  const all = { ...work, mostBytes: Number.POSITIVE_INFINITY }
  const made = withThinned(await encode(reads, all, { ...chosen, ids }, signal), chosen)
  if (typeof made !== 'object') throw new Error(`A tile of ${ids.length} rows has no end`)
  const overLimit = made.counts.overLimit + chosen.ids.length - ids.length
  return { ...made, counts: { ...made.counts, overLimit } }
}

function withThinned<Made extends EncodedTile | Excess>(made: Made, { thinned }: ChosenRows): Made {
  if (typeof made !== 'object') return made
  return { ...made, counts: { ...made.counts, thinned: made.counts.thinned + thinned } }
}

/** Stops at more rows than `most`, or more bytes than the limit. */
async function encode(
  reads: TileReads,
  { wish, set, place, there, mostBytes, areaCell }: Work,
  { ids, boxes }: Rows,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<EncodedTile | Excess> {
  const { table, name, tile } = wish
  const query = { table, ...defined({ ids, boxes }), ...readColumns(wish) }
  const note: TileNote = {}
  let encoder: TileEncoder | undefined
  let [count, bytesRead] = [0, 0]
  for await (const page of reads.readTile(query, signal, note)) {
    count += page.batch.rowCount
    bytesRead += batchBytes(page.batch)
    if (bytesRead > mostBytes) return 'heavy'
    if (count > most) return 'many'
    const { batch, ids } = wish.columns === undefined ? page : shownPage(page, wish.columns)
    encoder ??= createTileEncoder({
      name,
      schema: batch.schema,
      set,
      tile,
      crs: wish.crs,
      reprojector: there,
      boxes: place.boxes,
      areaCell,
    })
    await encoder.add({ batch, ids })
  }
  signal.throwIfAborted()
  if (encoder === undefined) return { ...nothing(), ...note }
  const { bytes, counts } = encoder.finish()
  return { bytes: compressTile(bytes), counts, ...note }
}

/** Returns an empty tile. */
export function nothing(): EncodedTile {
  return { bytes: new Uint8Array(0), counts: noTileCounts() }
}
