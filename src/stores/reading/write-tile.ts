import type { Envelope } from '../../geo/envelope.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import type { Failure } from '../../lib/errors.ts'
import { invalid } from '../../lib/errors.ts'
import type { TileEncoder } from '../../tiles/encode-tile.ts'
import { createTileEncoder, noTileCounts } from '../../tiles/encode-tile.ts'
import { bufferedEnvelope, tableBoxes } from '../../tiles/table-boxes.ts'
import { mostDrawn } from '../../tiles/thin/select-rows.ts'
import type { TileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { inTurns } from '../in-turns.ts'
import type { TileNote, TileQuery, TileReading, TileReads, VectorStore } from '../store.ts'
import { tileReadingByFeatures, tileReadingOf } from '../tile-reading.ts'
import type { ChosenRows, TileBoxes } from './choose-rows.ts'
import { chooseAmong, chooseByOverview } from './choose-rows.ts'
import { compressTile } from './compress-tile.ts'
import { filterIn } from './filter-in-crs.ts'
import { withRowFile } from './kept-row-files.ts'
import { findReprojector } from './reprojectors.ts'
import type { RowFile } from './row-file.ts'
import { readColumns, shownPage } from './shown-columns.ts'
import type { MadeTile, TileWish } from './tile-wish.ts'

/** Between so many rows others may have their turn. */
const rowsEach = 256

/** Reads the rows of a tile, transforms and encodes them; all of them are of one state of the table. */
export async function writeTile(store: VectorStore, wish: TileWish, signal: AbortSignal): Promise<MadeTile> {
  const set = getTileMatrixSet(wish.set)
  const back = await findReprojector(set.srs, wish.crs)
  const there = await findReprojector(wish.crs, set.srs)
  try {
    const toTable = (box: Envelope): Promise<Envelope[]> =>
      tableBoxes({ set, box, crs: wish.crs, toTable: back, extent: wish.extent })
    const wide = bufferedEnvelope(set, wish.tile)
    const place = { wide, boxes: await toTable(wide), toTable }
    if (place.boxes.length === 0) return nothing()
    const work = { wish, set, place, there }
    const near = await writeNear(work, signal)
    if (near !== undefined) return near
    const reading = await readingOf(store, wish)
    if (wish.thinning === undefined) return (await encode(reading, work, { boxes: place.boxes }, signal)).tile
    return await writeThinned(reading, work, signal)
  } finally {
    await Promise.all([back.close(), there.close()])
  }
}

/** A filter is asked of features: what a store has for tiles alone does not know it. */
async function readingOf(store: VectorStore, { filter, crs }: TileWish): Promise<TileReading> {
  if (filter === undefined) return tileReadingOf(store)
  return tileReadingByFeatures(store, await filterIn(filter, crs))
}

interface Work {
  wish: TileWish
  set: TileMatrixSet
  place: TileBoxes
  there: Reprojector
}

/** Some rows of a table. */
type Rows = Pick<TileQuery, 'boxes' | 'ids'>

/**
 * The tile of what lies near in the row file, where all of that is shown; undefined where there is none, or where rows have to be
 * chosen, of which the table decides.
 */
async function writeNear(work: Work, signal: AbortSignal): Promise<MadeTile | undefined> {
  const { rowFile, thinning, filter } = work.wish
  if (rowFile === undefined || filter !== undefined || thinning?.cell !== undefined) return undefined
  const { isIdentity, transformPlace } = work.there
  if (!isIdentity && transformPlace === undefined) return undefined
  return withRowFile(rowFile, async (file) => file && (await encodeNear(file, work, signal)))
}

async function encodeNear(
  file: RowFile,
  { wish, set, place, there }: Work,
  signal: AbortSignal,
): Promise<MadeTile | undefined> {
  const found = file.find(place.boxes, wish.attributes)
  if (found === undefined) return undefined
  try {
    if (wish.thinning !== undefined && found.count > mostDrawn) return undefined
    const { name, tile, crs } = wish
    const encoder = createTileEncoder({ name, schema: found.schema, set, tile, crs, reprojector: there })
    for await (const from of inTurns(stepsTo(found.count), signal))
      encoder.addMixed(found, from, Math.min(found.count, from + rowsEach))
    signal.throwIfAborted()
    const { bytes, counts } = encoder.finish()
    return { bytes: compressTile(bytes), counts, isOfRowFile: true }
  } finally {
    found.release()
  }
}

function* stepsTo(count: number): Generator<number> {
  for (let from = 0; from < count; from += rowsEach) yield from
}

/** Shows what the rules of thinning leave. One question is of one state by itself; two are asked so. */
async function writeThinned(reading: TileReading, work: Work, signal: AbortSignal): Promise<MadeTile> {
  const { wish, place } = work
  // An overview holds the rows of the whole table.
  const known = wish.filter === undefined ? await chooseByOverview(work) : undefined
  if (known !== undefined) return writeChosen(reading, work, known, signal)
  // Of the few that a filter may leave nothing has to be left out, whatever the cell.
  if (wish.thinning?.cell === undefined || wish.filter !== undefined) {
    const { tile, isWhole } = await encode(reading, work, { boxes: place.boxes }, signal, mostDrawn)
    if (isWhole) return tile
  }
  if (wish.filter !== undefined && !work.there.isIdentity && work.there.transformPlace === undefined)
    throw tooWide()
  const chooseAndWrite = async (reads: TileReads): Promise<MadeTile> =>
    writeChosen(reads, work, await chooseAmong(reads, work, signal), signal)
  return reading.atOneState(wish.table, chooseAndWrite, signal)
}

/** Features are chosen by their places, which of such a CRS only a copy tells. */
function tooWide(): Failure {
  return invalid(
    'filter-too-wide',
    `The filter leaves more than ${mostDrawn} features in this tile, and the CRS of the layer does not let the server choose among them: filter more, or look closer`,
  )
}

async function writeChosen(
  reads: TileReads,
  work: Work,
  { thinned, ...rows }: ChosenRows,
  signal: AbortSignal,
): Promise<MadeTile> {
  const { tile } = await encode(reads, work, rows, signal)
  return { ...tile, counts: { ...tile.counts, thinned } }
}

/** Stops where there are more rows than `most`. */
async function encode(
  reads: TileReads,
  { wish, set, there }: Work,
  rows: Rows,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<{ tile: MadeTile; isWhole: boolean }> {
  const { table, name, tile } = wish
  const query = { table, ...rows, ...readColumns(wish) }
  const note: TileNote = {}
  let encoder: TileEncoder | undefined
  let count = 0
  for await (const page of reads.readTile(query, signal, note)) {
    const { batch, ids } = wish.columns === undefined ? page : shownPage(page, wish.columns)
    count += batch.rowCount
    if (count > most) return { tile: nothing(), isWhole: false }
    encoder ??= createTileEncoder({
      name,
      schema: batch.schema,
      set,
      tile,
      crs: wish.crs,
      reprojector: there,
    })
    await encoder.add({ batch, ids })
  }
  signal.throwIfAborted()
  if (encoder === undefined) return { tile: { ...nothing(), ...note }, isWhole: true }
  const { bytes, counts } = encoder.finish()
  return { tile: { bytes: compressTile(bytes), counts, ...note }, isWhole: true }
}

/** A tile in which nothing is drawn. */
export function nothing(): MadeTile {
  return { bytes: new Uint8Array(0), counts: noTileCounts() }
}
