import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { notFound } from '../../lib/errors.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { TileThinning } from '../../tiles/thin/layer-thinning.ts'
import { fewFeatures } from '../../tiles/thin/layer-thinning.ts'
import { cellOf, levelOf } from '../../tiles/thin/tile-cells.ts'
import type { TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { LayerOverview, LayerVersion } from './overviews.ts'
import { Overviews } from './overviews.ts'
import { SideFiles } from './side-files.ts'

/** What the tiles of a zoom are read from. */
export interface TileSource {
  store: ServedStore
  table: string
  /** Of the table. */
  crs: CrsDeclaration | string
  thinning?: TileThinning
}

interface SourceNeeds {
  catalog: Pick<Catalog, 'layers' | 'stores'>
  events: EventBus
  log: Pick<Logger, 'warn'>
  /** Has a folder for each layer by its number. */
  root: string
}

/** Layers may be removed by the hundred. */
const sweepDelayMs = 500
const mostCounted = 10_000

/** Tells from which table the tiles of a layer are read, and by what they are thinned. */
export class TileSources {
  readonly #needs: SourceNeeds
  readonly #files: SideFiles
  readonly #overviews: Overviews
  readonly #counts = new Map<number, { version: number; rows: number }>()
  readonly #closing = new AbortController()
  readonly #stopListening: (() => void)[]
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(needs: SourceNeeds) {
    this.#needs = needs
    this.#files = new SideFiles(needs.root)
    this.#overviews = new Overviews({ catalog: needs.catalog, files: this.#files, log: needs.log })
    const { events } = needs
    this.#stopListening = [
      events.on('layer.published', ({ workspace, layer, mode, rows }) => {
        const isSmall = mode === 'CREATE' && rows <= fewFeatures
        if (!isSmall) void this.#prepare(workspace, layer)
      }),
      events.on('layer.removed', () => {
        this.#sweepTimer ??= setTimeout(() => void this.#sweep(), sweepDelayMs).unref()
      }),
    ]
  }

  /** Removes what an earlier process has left of layers that are gone or have changed, and of what it did not finish. */
  async start(): Promise<void> {
    await this.#sweep()
  }

  async close(): Promise<void> {
    clearTimeout(this.#sweepTimer)
    for (const stop of this.#stopListening.splice(0)) stop()
    this.#closing.abort(new Error('The server stops'))
    await this.#overviews.close()
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) where the layer can have no tiles. */
  async of(layer: LayerRecord, set: TileMatrixSetId, zoom: number, signal: AbortSignal): Promise<TileSource> {
    const crs = this.requireTiles(layer)
    const { layers } = this.#needs.catalog
    const now = await layers.versionOf(layer)
    const store = await layers.openStoreOf(layer)
    const source = { store, table: layer.nativeName, crs }
    if ((await this.#countRows(layer, now, signal)) <= fewFeatures) return source
    const overview = await this.#overviews.of({ layer, crs }, now, signal)
    return { ...source, thinning: thinningOf(overview, set, zoom) }
  }

  /** The CRS of the table; throws `Failure` (`not-found`, `no-tiles`) with the reason where a layer can have no tiles. */
  requireTiles(layer: LayerRecord): CrsDeclaration | string {
    const { srs, crs: declared, schema } = layer.details
    const crs = srs ?? declared
    if (schema.geometry === undefined || crs === undefined) throw noTiles(layer)
    return crs
  }

  /** Number of rows, counted once for each version. */
  async #countRows(
    layer: LayerRecord,
    { version, isCurrent }: LayerVersion,
    signal: AbortSignal,
  ): Promise<number> {
    const { featureCount } = layer.details
    const isFresh = layer.versionCause === 'import' && layer.version === version
    if (isCurrent && isFresh && featureCount !== undefined) return featureCount
    const counted = this.#counts.get(layer.id)
    if (isCurrent && counted?.version === version) return counted.rows
    const store = await this.#needs.catalog.layers.openStoreOf(layer)
    const rows = await store.count({ table: layer.nativeName }, signal)
    this.#counts.set(layer.id, { version, rows })
    for (const first of this.#counts.keys()) if (this.#counts.size > mostCounted) this.#counts.delete(first)
    return rows
  }

  /** Makes beforehand what the first tiles will need. */
  async #prepare(workspace: string, name: string): Promise<void> {
    try {
      const layer = await this.#needs.catalog.layers.find(workspace, name)
      if (layer?.details.schema.geometry === undefined || layer.details.kind === 'raster') return
      const { version } = await this.#needs.catalog.layers.versionOf(layer)
      await this.#files.removeOlder(layer.id, version)
      await this.of(layer, 'WebMercatorQuad', 0, this.#closing.signal)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#needs.log.warn(
        { err: error, layer: `${workspace}:${name}` },
        'a layer was not prepared for tiles',
      )
    }
  }

  async #sweep(): Promise<void> {
    this.#sweepTimer = undefined
    try {
      await this.#files.sweep(async () => {
        const layers = await this.#needs.catalog.layers.list()
        return new Map(layers.map(({ id, version }) => [id, version]))
      })
    } catch (error) {
      this.#needs.log.warn(
        { err: error },
        'files that were made for tiles of layers that are gone may be left',
      )
    }
  }
}

function thinningOf(overview: LayerOverview, set: TileMatrixSetId, zoom: number): TileThinning {
  const cell = cellOf(overview, set, zoom)
  if (cell === undefined) return {}
  const level = levelOf(set, zoom)
  const { file } = overview
  return file !== undefined && level < file.levels ? { cell, overview: { path: file.path, level } } : { cell }
}

function noTiles({ workspace, name, details: { kind, schema } }: LayerRecord): Error {
  const lack =
    kind === 'raster'
      ? 'is a coverage'
      : schema.geometry === undefined
        ? 'has no geometry'
        : 'has no known coordinate reference system'
  return notFound('no-tiles', `Layer "${workspace}:${name}" ${lack}, so there are no vector tiles of it`)
}
