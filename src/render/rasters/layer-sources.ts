import type { Catalog, LayerRecord, StoreRecord } from '../../catalog/index.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { isInside } from '../../inputs/index.ts'
import { fingerprintFile, mosaicType, rasterState } from '../../stores/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'
import type { Granule } from './granules.ts'
import { readGranules } from './granules.ts'
import type { MercatorPart } from './mercator-extent.ts'
import { noTiles } from './no-tiles.ts'
import type { DrawnRasterSource } from './raster-source.ts'
import { isMixed } from './raster-source.ts'
import { cellSize, mercatorHalf } from './tiff/tiff-pyramid.ts'
import type { TimeSelection } from './time-selection.ts'

/** A raster and its position in Web Mercator, if known. */
export interface PlacedSource extends DrawnRasterSource {
  timeMs?: number
  /** Boxes, four numbers each; absent if unknown. */
  boxes?: number[]
}

/** The rasters of a layer at one version, in drawing order. */
export interface LayerSources {
  /** Differs for each version. */
  key: string
  all: readonly PlacedSource[]
  /** The newest time of a mosaic. */
  newestMs?: number
  zooms: { minzoom: number; maxzoom: number }
  /** True if shades may be interpolated; categories may not. */
  isMixed: boolean
}

interface RasterSourcesDeps {
  catalog: Pick<Catalog, 'layers' | 'stores'>
  granuleFolders: readonly string[]
  boxes(corners: Float64Array, crs: DrawnRasterSource['crs'], signal: AbortSignal): Promise<Float64Array>
  parts(source: DrawnRasterSource, signal: AbortSignal): Promise<MercatorPart[]>
}

const keptLayers = 100
/** Below the zoom level at which a raster has this number of cells, only a speck would be visible. */
const minCells = 8
const readMs = 60_000

/** Finds the rasters of layers and caches them by version. */
export class SourcesOfLayers {
  readonly #deps: RasterSourcesDeps
  readonly #known = new Map<number, { key: string; sources: Promise<LayerSources> }>()

  constructor(deps: RasterSourcesDeps) {
    this.#deps = deps
  }

  of(
    layer: LayerRecord,
    { version, isCurrent }: { version: number; isCurrent: boolean },
    signal: AbortSignal,
  ): Promise<LayerSources> {
    const key = String(version)
    const known = this.#known.get(layer.id)
    if (known?.key === key) return known.sources
    const sources = this.#find(layer, version, AbortSignal.timeout(readMs))
    signal.throwIfAborted()
    if (!isCurrent) return sources
    this.#known.delete(layer.id)
    this.#known.set(layer.id, { key, sources })
    sources.catch(() => this.#known.delete(layer.id))
    const [oldest] = this.#known.keys()
    if (this.#known.size > keptLayers && oldest !== undefined) this.#known.delete(oldest)
    return sources
  }

  async #find(record: LayerRecord, version: number, signal: AbortSignal): Promise<LayerSources> {
    // The given version may be newer than the record: its raster has another grid.
    const { layers } = this.#deps.catalog
    const layer = record.version === version ? record : ((await layers.findById(record.id)) ?? record)
    const { raster, srs, crs: declared } = layer.details
    const crs = srs ?? declared ?? raster?.crs
    if (raster === undefined) throw noTiles('the layer has no raster')
    if (crs === undefined) throw noTiles('its coordinate reference system is not known')
    const common = { crs, bands: raster.bands, srs }
    const store = await layers.storeOf(layer)
    const all =
      store.type === mosaicType
        ? await this.#mosaic(store, common, signal)
        : [await coverage(layer, store, common)]
    const times = all.flatMap(({ timeMs }) => timeMs ?? [])
    const newest = times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b))
    return {
      key: String(version),
      all,
      zooms: await this.#zooms(all, signal),
      isMixed: isMixed(common),
      newestMs: newest,
    }
  }

  async #mosaic(
    mosaic: StoreRecord,
    common: Pick<DrawnRasterSource, 'crs' | 'bands' | 'srs'>,
    signal: AbortSignal,
  ): Promise<PlacedSource[]> {
    const { stores } = this.#deps.catalog
    const { store, table } = await stores.getMosaicIndex(mosaic)
    const granules = await this.#ownGranules(await readGranules(await stores.open(store), table, signal))
    const corners = Float64Array.from(granules.flatMap((granule) => granule.corners))
    const boxes = await this.#deps.boxes(corners, common.crs, signal)
    return Promise.all(
      granules.map(async ({ path, timeMs, ...granule }, index) => ({
        ...common,
        ...placeOf(granule),
        file: { path, state: (await fingerprintFile(path)).text },
        timeMs,
        boxes: [...boxes.subarray(index * 8, index * 8 + 8)].filter(Number.isFinite),
      })),
    )
  }

  /** Returns the granules whose files the server stores or may read. */
  async #ownGranules(granules: Granule[]): Promise<Granule[]> {
    const folders = this.#deps.granuleFolders
    const isOurs = await Promise.all(granules.map(({ path }) => isInside(folders, path).catch(() => false)))
    return granules.filter(({ corners }, index) => isOurs[index] === true && corners.length === 8)
  }

  /** Returns the zoom levels by the finest of some rasters. */
  async #zooms(all: readonly PlacedSource[], signal: AbortSignal): Promise<LayerSources['zooms']> {
    const sampled = all.slice(0, 3).filter(({ geoTransform }) => geoTransform !== undefined)
    const parts = (await Promise.all(sampled.map((source) => this.#deps.parts(source, signal)))).flat()
    if (parts.length === 0) return { minzoom: 0, maxzoom: 18 }
    const maxzoom = Math.max(...parts.map(({ zoom }) => zoom))
    const boxes = all.flatMap(({ boxes: own = [] }) => own)
    const spans = boxes.length === 0 ? parts.map(spanOf) : [extentOf(boxes)]
    const cells = Math.max(...spans) / cellSize(maxzoom)
    const minzoom = Math.max(0, maxzoom - Math.max(0, Math.floor(Math.log2(cells / minCells))))
    return { minzoom, maxzoom }
  }
}

function spanOf({ zoom, width, height }: MercatorPart): number {
  return Math.max(width, height) * cellSize(zoom)
}

function extentOf(boxes: number[]): number {
  let [minX, minY, maxX, maxY] = [mercatorHalf, mercatorHalf, -mercatorHalf, -mercatorHalf]
  for (let at = 0; at < boxes.length; at += 4) {
    minX = Math.min(minX, boxes[at] ?? minX)
    minY = Math.min(minY, boxes[at + 1] ?? minY)
    maxX = Math.max(maxX, boxes[at + 2] ?? maxX)
    maxY = Math.max(maxY, boxes[at + 3] ?? maxY)
  }
  return Math.max(maxX - minX, maxY - minY)
}

/** Returns the georeferencing that results from the corners of a footprint. */
function placeOf({ width, height, corners }: Pick<Granule, 'width' | 'height' | 'corners'>) {
  const [x = 0, y = 0, leftX = 0, leftY = 0, , , rightX = 0, rightY = 0] = corners
  const across = [(rightX - x) / width, (rightY - y) / width] as const
  const down = [(leftX - x) / height, (leftY - y) / height] as const
  return { width, height, geoTransform: [x, across[0], down[0], y, across[1], down[1]] }
}

async function coverage(
  layer: LayerRecord,
  { parameters: { path = '' } }: StoreRecord,
  common: Pick<DrawnRasterSource, 'crs' | 'bands' | 'srs'>,
): Promise<PlacedSource> {
  const { raster, envelope } = layer.details
  const { width = 0, height = 0, geoTransform, controlPointCount } = raster ?? {}
  const file = { path, state: (await rasterState(path)).text }
  const base = { ...common, width, height, file }
  if (geoTransform !== undefined) return { ...base, geoTransform }
  if (controlPointCount !== undefined) return base
  if (envelope === undefined) throw noTiles('nothing says where its cells lie')
  const { minX, minY, maxX, maxY } = envelope
  const given = [minX, (maxX - minX) / width, 0, maxY, 0, (minY - maxY) / height]
  return { ...base, geoTransform: given, isPlacedByClient: true }
}

/**
 * Returns the rasters that intersect a tile at the requested times; by default the newest, and those without
 * a time.
 */
export function touching(
  sources: LayerSources,
  tile: TileAddress,
  time: TimeSelection | undefined,
): PlacedSource[] {
  const box = tileEnvelope(getTileMatrixSet('WebMercatorQuad'), tile)
  return within(sources, box, time === undefined ? undefined : [time])
}

/** The same for a box in Web Mercator, at any of the times. */
export function within(
  sources: LayerSources,
  box: Envelope,
  times: readonly TimeSelection[] | undefined,
): PlacedSource[] {
  return atTimes(sources, times).filter((source) => meets(source, box))
}

/** Returns the rasters of some times, regardless of their position. */
export function atTimes(
  { all, newestMs }: Pick<LayerSources, 'all' | 'newestMs'>,
  times: readonly TimeSelection[] | undefined,
): PlacedSource[] {
  return all.filter(({ timeMs }) => {
    if (times === undefined) return timeMs === undefined || timeMs === newestMs
    return timeMs !== undefined && times.some(({ fromMs, toMs }) => timeMs >= fromMs && timeMs <= toMs)
  })
}

function meets(
  { boxes }: PlacedSource,
  { minX, minY, maxX, maxY }: { minX: number; minY: number; maxX: number; maxY: number },
): boolean {
  if (boxes === undefined) return true
  for (let at = 0; at + 3 < boxes.length; at += 4) {
    const [left = 0, bottom = 0, right = 0, top = 0] = boxes.slice(at, at + 4)
    if (left < maxX && right > minX && bottom < maxY && top > minY) return true
  }
  return false
}
