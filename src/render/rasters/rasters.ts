import { availableParallelism } from 'node:os'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { workOwner } from '../../core/concurrency/acting.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Tile } from '../../stores/index.ts'
import type { RasterSymbolizer } from '../../styles/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { CachedTile } from '../cache/cached-tile.ts'
import type { CachedTiles, TileMaker, UnversionedTileKey } from '../cache/cached-tiles.ts'
import type { MapFormat, PictureFormat } from '../pictures/encode-picture.ts'
import type { LayerSources, PlacedSource } from './layer-sources.ts'
import { atTimes, SourcesOfLayers, touching, within } from './layer-sources.ts'
import type { CopyLimits } from './make-copy.ts'
import { maxBands } from './make-copy.ts'
import type { Background, MapFrame } from './map-frame.ts'
import type { RasterFacts } from './raster-colors.ts'
import type { RasterCopy } from './raster-copies.ts'
import { beingMade, RasterCopies } from './raster-copies.ts'
import type { DrawnRasterSource } from './raster-source.ts'
import type { AlignedFacts, RasterHandlers } from './raster-work.ts'
import type { BandValue, RasterPosition } from './read-values.ts'
import { readValues } from './read-values.ts'
import type { BandSummary } from './spread-of-values.ts'
import { cellSize, mercatorHalf, tileCells } from './tiff/tiff-pyramid.ts'
import type { TimeSelection } from './time-selection.ts'
import { parseTime, timeSelectionText } from './time-selection.ts'

export { atTimes, type LayerSources, type PlacedSource } from './layer-sources.ts'
export type { BandValue, RasterPosition } from './read-values.ts'
export type { BandSummary } from './spread-of-values.ts'

/** Request for an image tile of a raster layer. */
export interface RasterTileRequest {
  tile: TileAddress
  /** 2: twice as many cells in both directions. */
  scale: 1 | 2
  /** Symbolizers of the style; the first is painted first. */
  symbols: RasterSymbolizer[]
  time: TimeSelection | undefined
  format: PictureFormat
}

/** Request for an image of a rectangle. */
export interface RasterMapRequest {
  frame: MapFrame
  symbols: RasterSymbolizer[]
  /** For a mosaic: time selections of granules; undefined: the newest granules. */
  times: readonly TimeSelection[] | undefined
  format: MapFormat
  background: Background
}

type Made = Tile<Record<string, never>>

const nothing: Made = { bytes: new Uint8Array(), counts: {} }

interface RastersDeps {
  catalog: Pick<Catalog, 'layers' | 'stores'>
  /** Creates the cache: see `Maps.keep`. */
  keepTiles<Counts>(maker: TileMaker<Counts>): CachedTiles<Counts>
  events: EventBus
  /** `<data>/maps`. */
  folder: string
  /** Folders whose files may be granules. */
  granuleFolders: readonly string[]
  limits: CopyLimits
  /** True if no other server uses the same folder. */
  isAlone: boolean
  /** Time that a request waits for the copy of a large raster; default 5 seconds. */
  patienceMs?: number
  onError(error: unknown): void
}

const file = new URL('./raster-work.ts', import.meta.url)
const maxHeapMb = 512
const drawMs = 20_000
const defaultPatienceMs = 5000
/** Copies of rasters with fewer cells take seconds: a request waits for them until its own deadline. */
const maxCellsWaitedFor = 50_000_000
/** Maximum number of rasters painted in one image: the topmost. */
const maxPainted = 500
/** Number of granules used to determine the spread of a mosaic's values. */
const spreadGranules = 9
const kept = 1000

/** Images of raster layers, read from files aligned to the cells of Web Mercator. */
export class Rasters {
  readonly #deps: RastersDeps
  readonly #copies: RasterCopies
  readonly #sources: SourcesOfLayers
  readonly #pool: WorkPool<RasterHandlers>
  readonly #inspections = new PromiseCache<string, AlignedFacts | undefined>({ limit: kept })
  readonly #facts = new PromiseCache<string, RasterFacts>({ limit: kept })
  readonly #values = new WorkQueue({ limit: 2, maxWaiting: { count: 200, refuse: tooBusy } })
  readonly #ending = new AbortController()
  readonly #tiles: CachedTiles<Made['counts']>
  readonly #stopListening: (() => void)[]

  constructor(deps: RastersDeps) {
    this.#deps = deps
    this.#copies = new RasterCopies(deps)
    this.#pool = new WorkPool<RasterHandlers>({
      start: (options) => startProcess<RasterHandlers>(file, { ...options, maxHeapMb }),
      limit: Math.min(3, Math.max(1, availableParallelism() - 1)),
      share: 2,
      surplusMs: 30_000,
      maxWaiting: { count: 500, refuse: tooBusy },
      onEnd: deps.onError,
    })
    this.#sources = new SourcesOfLayers({
      ...deps,
      boxes: (corners, crs, signal) =>
        this.#pool.call('boxes', { corners, crs }, { signal, deadlineMs: drawMs }),
      parts: (source, signal) => this.#pool.call('parts', { source }, { signal, deadlineMs: drawMs }),
    })
    this.#tiles = deps.keepTiles({
      formats: ['png', 'webp'],
      canMake: ({ details }) => details.kind === 'raster',
      make: (layer, key, signal) => this.#make(layer, key, signal),
      metadata: ({ name, details }) => ({ name, description: details.title, type: 'overlay' }),
    })
    this.#stopListening = [
      deps.events.onEveryServer('layer.removed', () => this.#tidy(() => this.#sweep())),
      deps.events.onEveryServer('layer.published', ({ workspace, layer }) =>
        this.#tidy(() => this.#prune(workspace, layer)),
      ),
    ]
  }

  /** Removes leftover files; call once at the start, without waiting. */
  start(): void {
    this.#tidy(() => this.#sweep())
  }

  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#ending.abort(new Error('The server stops'))
    await this.#copies.close()
    await this.#pool.close()
  }

  /**
   * Returns an image tile. Throws `Failure`: `no-tiles` with the reason, or `tiles-being-made` if the copy of
   * a large raster is not ready.
   */
  async tile(layer: LayerRecord, request: RasterTileRequest, signal: AbortSignal): Promise<CachedTile> {
    return this.#tiles.tile(layer, requestedOf(request), signal)
  }

  /** Draws a tile with the colours of an unsaved style; not cached. Empty if nothing is drawn. */
  async drawUnsaved(
    layer: LayerRecord,
    request: RasterTileRequest,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    return (await this.#make(layer, requestedOf(request), signal)).bytes
  }

  /** Returns an image of a rectangle, which is never empty. Throws like `tile`. */
  async map(layer: LayerRecord, request: RasterMapRequest, signal: AbortSignal): Promise<CachedTile> {
    const { frame, symbols, times, format, background } = request
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const sources = await this.#sources.of(layer, version, signal)
    const shown = within(sources, boxOfFrame(frame), times).slice(-maxPainted)
    const patience = this.#patience(signal, [...shown, ...sampleOf(sources.all)])
    const drawn = await this.#within(patience, signal, () => this.#drawn(layer, shown, patience))
    const facts = await this.#within(patience, signal, () => this.#factsOf(layer, sources, patience))
    const palette = facts.palette ?? drawn.palette
    const options = {
      files: drawn.files,
      symbols,
      isMixed: sources.isMixed,
      frame,
      format,
      background,
      facts: palette === undefined ? facts : { ...facts, palette },
    }
    const bytes = await this.#pool.call('map', options, { signal, deadlineMs: drawMs })
    const after = await this.#deps.catalog.layers.versionOf(layer)
    const isCurrent = version.isCurrent && after.isCurrent && after.version === version.version
    return { bytes, counts: {}, version: version.version, isCurrent }
  }

  async #make(layer: LayerRecord, key: UnversionedTileKey, signal: AbortSignal): Promise<Made> {
    const { tile, format } = key
    const { scale, symbols, time } = JSON.parse(key.variant) as Pick<
      RasterTileRequest,
      'scale' | 'symbols'
    > & { time?: string }
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const sources = await this.#sources.of(layer, version, signal)
    const size = tileCells * scale
    const square = { zoom: tile.z + scale - 1, column: tile.x * size, row: tile.y * size, size }
    const shown = touching(sources, tile, parseTime(time)).slice(-maxPainted)
    if (shown.length === 0) return nothing
    const patience = this.#patience(signal, [...shown, ...sampleOf(sources.all)])
    const drawn = await this.#within(patience, signal, () => this.#drawn(layer, shown, patience))
    const facts = await this.#within(patience, signal, () => this.#factsOf(layer, sources, patience))
    const palette = facts.palette ?? drawn.palette
    const request = {
      files: drawn.files,
      symbols,
      square,
      isMixed: sources.isMixed,
      format: format === 'webp' ? format : 'png',
      facts: palette === undefined ? facts : { ...facts, palette },
    } as const
    const bytes = await this.#pool.call('draw', request, { signal, deadlineMs: drawMs })
    return bytes === undefined ? nothing : { bytes, counts: {} }
  }

  /**
   * Returns the properties that determine the colours of a raster layer. Waits for copies no longer than a
   * tile request: then throws `Failure` (`tiles-being-made`).
   */
  async facts(layer: LayerRecord, signal: AbortSignal): Promise<RasterFacts> {
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const sources = await this.#sources.of(layer, version, signal)
    const patience = this.#patience(signal, sampleOf(sources.all))
    return this.#within(patience, signal, () => this.#factsOf(layer, sources, patience))
  }

  /**
   * Returns summaries of the bands of a layer, from a sample of their cells; undefined for a band without
   * data. Waits for copies no longer than a tile request: then throws `Failure` (`tiles-being-made`).
   */
  async summaries(layer: LayerRecord, signal: AbortSignal): Promise<(BandSummary | undefined)[]> {
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const sources = await this.#sources.of(layer, version, signal)
    const sample = sampleOf(sources.all)
    const patience = this.#patience(signal, sample)
    return this.#within(patience, signal, async () => {
      const { files } = await this.#drawn(layer, sample, patience)
      return this.#pool.call('summaries', { files }, { signal: patience, deadlineMs: drawMs })
    })
  }

  /**
   * Returns the values of the bands of a layer at a location, unchanged from its files; undefined without
   * data.
   */
  async values(
    layer: LayerRecord,
    position: RasterPosition,
    times: readonly TimeSelection[] | undefined,
    signal: AbortSignal,
  ): Promise<BandValue[] | undefined> {
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const sources = await this.#sources.of(layer, version, signal)
    return this.#values.run(() => readValues(atTimes(sources, times), position, signal), {
      signal,
      owner: workOwner(),
      resource: String(layer.id),
    })
  }

  /** Returns the rasters of a layer in its current version. */
  async sources(layer: LayerRecord, signal: AbortSignal): Promise<LayerSources> {
    const version = await this.#deps.catalog.layers.versionOf(layer)
    return this.#sources.of(layer, version, signal)
  }

  /** Returns the useful zoom levels of a raster layer. */
  async zooms(layer: LayerRecord, signal: AbortSignal): Promise<{ minzoom: number; maxzoom: number }> {
    const version = await this.#deps.catalog.layers.versionOf(layer)
    return (await this.#sources.of(layer, version, signal)).zooms
  }

  /** Returns a signal that ends the wait for copies of these rasters. */
  #patience(signal: AbortSignal, sources: readonly DrawnRasterSource[]): AbortSignal {
    const cells = [...new Set(sources)].reduce((sum, { width, height }) => sum + width * height, 0)
    if (cells <= maxCellsWaitedFor) return signal
    return AbortSignal.any([signal, AbortSignal.timeout(this.#deps.patienceMs ?? defaultPatienceMs)])
  }

  /** Waits until `patience` aborts; copies in progress continue. */
  async #within<T>(patience: AbortSignal, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (patience.aborted && error === patience.reason) throw beingMade()
      throw error
    }
  }

  async #drawn(
    layer: LayerRecord,
    sources: readonly DrawnRasterSource[],
    signal: AbortSignal,
  ): Promise<RasterCopy> {
    const all = await Promise.all(sources.map((source) => this.#aligned(layer, source, signal)))
    const palette = all.find((one) => one.palette !== undefined)?.palette
    return { files: all.flatMap(({ files }) => files), palette }
  }

  /** Returns the file itself if it is aligned to the cells of Web Mercator, otherwise its copy. */
  async #aligned(layer: LayerRecord, source: DrawnRasterSource, signal: AbortSignal): Promise<RasterCopy> {
    const facts = source.isPlacedByClient === true ? undefined : await this.#inspect(source, signal)
    if (facts !== undefined) return { files: [source.file], palette: facts.palette }
    const { files, palette } = await this.#copies.get(layer.id, source, signal)
    return { files, palette }
  }

  /** A shared inspection continues when one of its callers leaves. */
  #inspect({ file: rasterFile }: DrawnRasterSource, signal: AbortSignal): Promise<AlignedFacts | undefined> {
    if (!/\.tiff?$/i.test(rasterFile.path)) return Promise.resolve(undefined)
    const facts = this.#inspections.get(JSON.stringify(rasterFile), () =>
      this.#pool.call('look', rasterFile, { deadlineMs: drawMs }).catch((error: unknown) => {
        if (error instanceof Failure) throw error
        // GDAL may be able to read a file that this TIFF reader cannot.
        return undefined
      }),
    )
    return orAborted(facts, signal)
  }

  /** Properties that determine colours: the same for every tile of a version. */
  #factsOf(layer: LayerRecord, sources: LayerSources, signal: AbortSignal): Promise<RasterFacts> {
    const bands = (layer.details.raster?.bands ?? [])
      .filter(({ color }) => color !== 'Alpha')
      .slice(0, maxBands)
      .map(({ color, dataType }) => ({ dataType, color }))
    const facts = this.#facts.get(`${layer.id} ${sources.key}`, async () => {
      const { files, palette } = await this.#drawn(layer, sampleOf(sources.all), this.#ending.signal)
      const stretches = await this.#pool.call('spread', { files }, { deadlineMs: drawMs })
      return { bands, stretches, palette }
    })
    return orAborted(facts, signal)
  }

  #tidy(work: () => Promise<void>): void {
    work().catch(this.#deps.onError)
  }

  #sweep(): Promise<void> {
    return this.#copies.sweep(async () => (await this.#deps.catalog.layers.list()).map(({ id }) => id))
  }

  async #prune(workspace: string, name: string): Promise<void> {
    const layer = await this.#deps.catalog.layers.find(workspace, name)
    if (layer?.details.kind !== 'raster' || !(await this.#copies.has(layer.id))) return
    const version = await this.#deps.catalog.layers.versionOf(layer)
    const { all } = await this.#sources.of(layer, version, AbortSignal.timeout(60_000))
    await this.#copies.prune(
      layer.id,
      all.map((source) => source.file),
    )
  }
}

function requestedOf({ tile, scale, symbols, time, format }: RasterTileRequest): UnversionedTileKey {
  const reported = time === undefined ? {} : { time: timeSelectionText(time) }
  return { set: 'WebMercatorQuad', tile, variant: JSON.stringify({ scale, symbols, ...reported }), format }
}

/** Returns the extent of a frame's cells; the whole world if they cross its edge. */
function boxOfFrame({ zoom, cells }: MapFrame): Envelope {
  const size = cellSize(zoom)
  const { column, row, columns, rows } = cells
  const minX = column * size - mercatorHalf
  const maxX = minX + columns * size
  const isRound = minX < -mercatorHalf || maxX > mercatorHalf
  return {
    minX: isRound ? -mercatorHalf : minX,
    maxX: isRound ? mercatorHalf : maxX,
    minY: mercatorHalf - (row + rows) * size,
    maxY: mercatorHalf - row * size,
  }
}

function tooBusy(): Failure {
  return new Failure('unavailable', 'too-busy', 'Too many pictures are being drawn: try again soon', {
    retryAfterSeconds: 2,
  })
}

/** Returns a sample of the sources, at regular intervals of their order. */
function sampleOf(all: readonly PlacedSource[]): PlacedSource[] {
  const step = Math.max(1, all.length / spreadGranules)
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
