import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { TileEncoder } from '../../tiles/encode-tile.ts'
import { createTileEncoder, noTileCounts } from '../../tiles/encode-tile.ts'
import { maxDrawn } from '../../tiles/generalize/select-rows.ts'
import { areaCellOf } from '../../tiles/generalize/tile-cells.ts'
import { bufferedEnvelope, tableBoxes } from '../../tiles/table-boxes.ts'
import { getTileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { FeaturePage, TileNote, TileQuery, TileReading, TileReads, VectorStore } from '../store.ts'
import { maxTilesAtOnce } from '../store.ts'
import { tileReadingByFeatures, tileReadingOf } from '../tile-reading.ts'
import { withRowFile } from './cached-row-files.ts'
import type { ChosenRows, TileBoxes } from './choose-rows.ts'
import { chooseAmong, chooseByOverview } from './choose-rows.ts'
import { compressTile } from './compress-tile.ts'
import { filterIn } from './filter-in-crs.ts'
import { chooseWithin, maxReadBytes, pageBytes } from './read-within.ts'
import { findReprojector } from './reprojectors.ts'
import type { RowFile } from './row-file.ts'
import { readColumns, shownPage } from './shown-columns.ts'
import type { Tile, TileRequest, TileSource } from './tile-request.ts'

/** Number of rows after which other work may run. */
const rowsEach = 256

/** Reads, transforms and encodes the rows of a tile, all from one state of the table. */
export async function writeTile(
  store: VectorStore,
  source: TileSource,
  request: TileRequest,
  signal: AbortSignal,
  mostBytes = maxReadBytes,
): Promise<Tile> {
  const { crs, extent } = source
  const set = getTileMatrixSet(request.set)
  const back = await findReprojector(set.srs, crs)
  const there = await findReprojector(crs, set.srs)
  try {
    const toTable = (box: Envelope): Promise<Envelope[]> =>
      tableBoxes({ set, box, crs, toTable: back, extent })
    const wide = bufferedEnvelope(set, request.tile)
    const place = { wide, boxes: await toTable(wide), toTable }
    if (place.boxes.length === 0) return emptyTile()
    const areaCell = areaCellOf(source.thinning, request.set, request.tile.z)
    const work = { source, request, place, there, mostBytes, areaCell }
    const near = await writeNear(work, signal)
    if (near !== undefined) return near
    return await writeWithin(await readingOf(store, crs, request.filter), work, signal)
  } finally {
    await Promise.all([back.close(), there.close()])
  }
}

/** Filters apply to features: the tile-specific queries of a store do not support them. */
async function readingOf(
  store: VectorStore,
  crs: TileSource['crs'],
  filter: TileRequest['filter'],
): Promise<TileReading> {
  if (filter === undefined) return tileReadingOf(store)
  return tileReadingByFeatures(store, await filterIn(filter, crs))
}

/** Inputs of the encoder of a tile. */
interface EncoderWork {
  source: TileSource
  request: TileRequest
  place: Pick<TileBoxes, 'boxes'>
  there: Reprojector
  /** Cell size for sampling polygons. */
  areaCell: number | undefined
}

interface Work extends EncoderWork {
  place: TileBoxes
  /** Maximum bytes to read of the drawn rows; further rows are omitted. */
  mostBytes: number
}

/** A selection of rows of a table. */
type Rows = Pick<TileQuery, 'boxes' | 'ids'>

/**
 * Renders a tile from a row file if it shows all rows; undefined if there is no row file, or if rows must be
 * selected, which needs the table. Such a file returns far fewer bytes per tile than the limit.
 */
async function writeNear(work: Work, signal: AbortSignal): Promise<Tile | undefined> {
  const { rowFile, thinning } = work.source
  if (rowFile === undefined || work.request.filter !== undefined || thinning?.cell !== undefined)
    return undefined
  const { isIdentity, transformPlace } = work.there
  if (!isIdentity && transformPlace === undefined) return undefined
  return withRowFile(rowFile, async (file) => file && (await encodeNear(file, work, signal)))
}

async function encodeNear(file: RowFile, work: Work, signal: AbortSignal): Promise<Tile | undefined> {
  const found = file.find(work.place.boxes, work.request.attributes)
  if (found === undefined) return undefined
  const { rows, shown } = found
  try {
    if (rows.count === 0) return { ...emptyTile(), isOfVersion: true }
    if (work.source.thinning !== undefined && rows.count > maxDrawn) return undefined
    const encoder = encoderOf(work, shown.schema)
    const add = (from: number): void =>
      encoder.addNear(rows, from, Math.min(rows.count, from + rowsEach), shown)
    if (rows.count <= rowsEach) add(0)
    else for await (const from of runInSlices(stepsTo(rows.count), signal)) add(from)
    signal.throwIfAborted()
    const { bytes, counts } = encoder.finish()
    return { bytes: compressTile(bytes), counts, isOfVersion: true }
  } catch (error) {
    // The file is damaged: reads the rows from the table instead.
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
async function writeWithin(reading: TileReading, work: Work, signal: AbortSignal): Promise<Tile> {
  const { source, request, there } = work
  const first = await writeAtOnce(reading, work, signal)
  if (typeof first === 'object') return first
  if (request.filter !== undefined && !there.isIdentity && there.transformPlace === undefined) throw tooWide()
  const atOneState = <Made>(write: (reads: TileReads) => Promise<Made>): Promise<Made> =>
    reading.atOneState(source.table, write, signal)
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
async function writeAtOnce(reading: TileReading, work: Work, signal: AbortSignal): Promise<Tile | Excess> {
  const { place } = work
  const { thinning } = work.source
  const isFiltered = work.request.filter !== undefined
  // An overview contains the rows of the whole table.
  const known = isFiltered ? undefined : await chooseByOverview(work)
  if (known !== undefined) return withThinned(await encode(reading, work, known, signal), known)
  if (thinning === undefined) return encode(reading, work, { boxes: place.boxes }, signal)
  // A filter may leave so few rows that none must be omitted, whatever the cell.
  if (thinning.cell !== undefined && !isFiltered) return 'many'
  const all = isFiltered ? { ...work, areaCell: undefined } : work
  return encode(reading, all, { boxes: place.boxes }, signal, maxDrawn)
}

/** Features are selected by location, which for such a CRS only a copy provides. */
function tooWide(): Failure {
  return invalid(
    'filter-too-wide',
    `The filter leaves more than ${maxDrawn} features in this tile, or shapes that are too large to be read at once, and the CRS of the layer does not let the server choose among them: filter more, or look closer`,
  )
}

/** Measures the largest of the selected rows, and draws as many as the limit allows. */
async function writeLargest(
  reads: TileReads,
  work: Work,
  chosen: ChosenRows,
  signal: AbortSignal,
): Promise<Tile> {
  const { source, request, mostBytes } = work
  const query = { table: source.table, ...readColumns(request.attributes, source.columns) }
  const ids = await chooseWithin(reads, query, chosen, { mostBytes, signal })
  const all = { ...work, mostBytes: Number.POSITIVE_INFINITY }
  const made = withThinned(await encode(reads, all, { ...chosen, ids }, signal), chosen)
  if (typeof made !== 'object') throw new Error(`A tile of ${ids.length} rows has no end`)
  const overLimit = made.counts.overLimit + chosen.ids.length - ids.length
  return { ...made, counts: { ...made.counts, overLimit } }
}

function withThinned<Made extends Tile | Excess>(made: Made, { thinned }: ChosenRows): Made {
  if (typeof made !== 'object') return made
  return { ...made, counts: { ...made.counts, thinned: made.counts.thinned + thinned } }
}

/** Stops at more rows than `most`, or more bytes than the limit. */
async function encode(
  reads: TileReads,
  work: Work,
  { ids, boxes }: Rows,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<Tile | Excess> {
  const { source, request, mostBytes } = work
  const { table, columns } = source
  const query = { table, ids, boxes, ...readColumns(request.attributes, columns) }
  const note: TileNote = {}
  let encoder: TileEncoder | undefined
  let [count, bytesRead] = [0, 0]
  for await (const page of reads.readTile(query, signal, note)) {
    count += page.batch.rowCount
    bytesRead += pageBytes(page.batch)
    if (bytesRead > mostBytes) return 'heavy'
    if (count > most) return 'many'
    const { batch, ids } = columns === undefined ? page : shownPage(page, columns)
    encoder ??= encoderOf(work, batch.schema)
    await encoder.add({ batch, ids })
  }
  signal.throwIfAborted()
  if (encoder === undefined) return { ...emptyTile(), ...note }
  const { bytes, counts } = encoder.finish()
  return { bytes: compressTile(bytes), counts, ...note }
}

/**
 * Renders tiles in the order of the request, with the same bytes as `writeTile`. Rows shown by several tiles
 * are read once, and those tiles come from one state of the table; tiles with generalization, or transformed
 * by a program, are rendered individually.
 */
export async function writeTiles(
  store: VectorStore,
  source: TileSource,
  requests: readonly TileRequest[],
  signal: AbortSignal,
  mostBytes = maxReadBytes,
): Promise<Tile[]> {
  // A row file stores nearby rows close to each other.
  const isTogether = source.rowFile === undefined
  const together = isTogether
    ? await writeTogether(tileReadingOf(store), source, requests, { mostBytes, signal })
    : []
  const made: Tile[] = []
  for (const [at, request] of requests.entries())
    made.push(together[at] ?? (await writeTile(store, source, request, signal, mostBytes)))
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
  source: TileSource,
  requests: readonly TileRequest[],
  within: Within,
): Promise<(Tile | undefined)[]> {
  const [first] = requests
  const isFew = requests.length > 1 && requests.length <= maxTilesAtOnce
  if (first === undefined || reading.readTiles === undefined || !isFew) return []
  if (source.thinning?.cell !== undefined || first.filter !== undefined) return []
  const { crs, extent } = source
  const set = getTileMatrixSet(first.set)
  const toTable = await findReprojector(set.srs, crs)
  const there = await findReprojector(crs, set.srs)
  try {
    if (!there.isIdentity && there.transformPlace === undefined) return []
    const works = requests.map(async (request) => {
      const boxes = await tableBoxes({ set, box: bufferedEnvelope(set, request.tile), crs, toTable, extent })
      const areaCell = areaCellOf(source.thinning, request.set, request.tile.z)
      return { source, request, place: { boxes }, there, areaCell }
    })
    return await drawTogether(reading.readTiles.bind(reading), source, await Promise.all(works), within)
  } finally {
    await Promise.all([toTable.close(), there.close()])
  }
}

async function drawTogether(
  readTiles: NonNullable<TileReading['readTiles']>,
  { table, columns, thinning }: TileSource,
  works: readonly EncoderWork[],
  { mostBytes, signal }: Within,
): Promise<(Tile | undefined)[]> {
  const most = thinning === undefined ? Number.POSITIVE_INFINITY : maxDrawn
  const drawings = works.map((work) => new SharedDrawing(work, most))
  const boxesOf = works.map(({ place }) => place.boxes)
  const query = { table, boxesOf, ...readColumns(works[0]?.request.attributes, columns) }
  const note: TileNote = {}
  let bytesRead = 0
  for await (const page of readTiles(query, signal, note)) {
    bytesRead += pageBytes(page.batch)
    // One of the tiles may exceed its own limit, which rendering them individually finds out.
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
  readonly #work: EncoderWork
  readonly #most: number
  #encoder: TileEncoder | undefined
  #count = 0

  constructor(work: EncoderWork, most: number) {
    this.#work = work
    this.#most = most
  }

  async add(page: FeaturePage, rows: Uint32Array): Promise<void> {
    this.#count += rows.length
    if (rows.length === 0 || this.#isOver) return
    this.#encoder ??= encoderOf(this.#work, page.batch.schema)
    await this.#encoder.add(page, rows)
  }

  /** Returns undefined if it has more rows than it may draw, which must be selected. */
  finish(note: TileNote): Tile | undefined {
    if (this.#isOver) return undefined
    if (this.#encoder === undefined) return { ...emptyTile(), ...note }
    const { bytes, counts } = this.#encoder.finish()
    return { bytes: compressTile(bytes), counts, ...note }
  }

  get #isOver(): boolean {
    return this.#count > this.#most
  }
}

/** Begins a tile with the features of a schema. */
function encoderOf({ source, request, place, there, areaCell }: EncoderWork, schema: Schema): TileEncoder {
  return createTileEncoder({
    name: source.name,
    schema,
    set: getTileMatrixSet(request.set),
    tile: request.tile,
    crs: source.crs,
    reprojector: there,
    boxes: place.boxes,
    areaCell,
  })
}

/** Returns an empty tile. */
function emptyTile(): Tile {
  return { bytes: new Uint8Array(0), counts: noTileCounts() }
}
