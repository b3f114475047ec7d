import { type Catalog, type LayerRecord, publishMode } from '../../catalog/index.ts'
import { JoinedWork } from '../../core/concurrency/joined-work.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { CrsError } from '../../geo/crs.ts'
import {
  lightRows,
  type RequestBox,
  type ServedStore,
  type ShownColumns,
  type StoreConnection,
  type TileRequest,
  type TileSource,
} from '../../stores/index.ts'
import { ownStores } from '../../stores/registry.ts'
import { fewFeatures } from '../../tiles/generalize/layer-generalization.ts'
import { copiedTable, shownColumns } from './copied-table.ts'
import { Copies } from './copies.ts'
import type { VersionState } from './layer-work.ts'
import { needsProgram } from './needs-program.ts'
import { generalizationOf, Overviews } from './overviews.ts'
import { RowFiles } from './row-files.ts'
import { SideFiles } from './side-files.ts'
import { TableExtents } from './table-extents.ts'

/** A table that external programs can read: in a GeoPackage or PostGIS. Its connection contains secrets. */
export interface ReadableTable {
  connection: StoreConnection
  table: string
  srs: string
  /** Columns of a copy. */
  columns?: ShownColumns
}

/** A source with its store. */
interface OpenSource {
  store: ServedStore
  source: TileSource
  /** Connection of a copy. */
  connection?: StoreConnection
}

/** The CRS of a layer's table; `needsCopy` is true if only GDAL can transform it to Web Mercator. */
interface Way {
  crs: CrsDeclaration | string
  needsCopy: boolean
}

interface TileSourcesDeps {
  catalog: Pick<Catalog, 'layers' | 'stores'>
  events: EventBus
  log: Pick<Logger, 'warn'>
  openStore(connection: StoreConnection): ServedStore
  /** Root folder, with a subfolder for each layer id. */
  root: string
  /** Maximum total size of copies of layers and of row files, in bytes. */
  maxCopyBytes: number
}

/** Delay before a sweep, in milliseconds, since many layers may be removed at a time. */
const sweepDelayMs = 500
const maxCounted = 10_000
/** Time that a request waits for the copy of a large layer. */
const longestWaitMs = 20_000
/** Copies of layers with fewer rows take seconds: a request waits for them until its own deadline. */
const maxRowsWaitedFor = 100_000

/** Determines the table from which the tiles of a layer are read, and their thinning. */
export class TileSources {
  readonly #deps: TileSourcesDeps
  readonly #files: SideFiles
  readonly #overviews: Overviews
  readonly #copies: Copies
  readonly #rowFiles: RowFiles
  readonly #extents = new TableExtents()
  readonly #counts = new Map<number, { version: number; rows: number }>()
  readonly #counting = new JoinedWork<number>()
  readonly #ways = new WeakMap<LayerRecord, Way>()
  readonly #closing = new AbortController()
  readonly #stopListening: (() => void)[]
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(deps: TileSourcesDeps) {
    this.#deps = deps
    this.#files = new SideFiles(deps.root)
    this.#overviews = new Overviews({ layers: deps.catalog.layers, files: this.#files, events: deps.events })
    this.#copies = new Copies({
      layers: deps.catalog.layers,
      files: this.#files,
      maxBytes: deps.maxCopyBytes,
    })
    this.#rowFiles = new RowFiles({
      layers: deps.catalog.layers,
      files: this.#files,
      maxBytes: deps.maxCopyBytes,
      log: deps.log,
    })
    const { events } = deps
    this.#stopListening = [
      events.on('layer.published', ({ workspace, layer, mode, rows }) => {
        const isSmall = mode === 'CREATE' && rows <= fewFeatures
        // Publishing thousands of tables in place must not read their rows.
        if (!isSmall && mode !== publishMode) void this.#prepare(workspace, layer)
      }),
      events.onEveryServer('layer.removed', () => {
        this.#sweepTimer ??= setTimeout(() => void this.#sweep(), sweepDelayMs).unref()
      }),
    ]
  }

  /** Removes files that an earlier process left unfinished, or for deleted or changed layers. */
  async start(): Promise<void> {
    await this.#sweep()
  }

  async close(): Promise<void> {
    clearTimeout(this.#sweepTimer)
    for (const stop of this.#stopListening.splice(0)) stop()
    this.#closing.abort(new Error('The server stops'))
    await Promise.all([this.#overviews.close(), this.#copies.close(), this.#rowFiles.close()])
  }

  /**
   * Returns the source of a tile for the version `now`. Throws `Failure` (`not-found`, `no-tiles`) if the
   * layer can have no tiles.
   */
  async of(
    layer: LayerRecord,
    { set, tile, filter }: TileRequest,
    now: VersionState,
    signal: AbortSignal,
  ): Promise<{ store: ServedStore; source: TileSource }> {
    const { crs, needsCopy } = this.#ways.get(layer) ?? (await this.#wayOf(layer))
    // A copy has other types and geometries than the table that a filter refers to.
    if (filter !== undefined && needsCopy) {
      const own = await this.#ownOf(layer, crs)
      return { ...own, source: { ...own.source, thinning: {} } }
    }
    const open = needsCopy ? await this.#copyOf(layer, crs, now, signal) : await this.#ownOf(layer, crs)
    const { store, connection } = open
    const known = this.#extents.known(layer.id, now)
    const { extent } = known ?? { extent: await this.#extents.of(layer.id, open, { set, now }, signal) }
    const source = extent === undefined ? open.source : { ...open.source, extent }
    const rows = this.#knownRows(layer, now) ?? (await this.#countRows(layer, now, signal))
    if (rows <= fewFeatures) return { store, source }
    const connect = async (): Promise<StoreConnection> => connection ?? this.#connectionOf(layer)
    const read = { layer, connect, table: source.table, crs: source.crs }
    const thinning = generalizationOf(await this.#overviews.of(read, now, signal), set, tile.z)
    // Rows selected by cell are read by their ids.
    const isNear = thinning.cell === undefined && filter === undefined && connection === undefined
    const rowFile = isNear ? this.#rowFiles.of(read, now) : undefined
    return { store, source: { ...source, thinning, rowFile: rowFile ?? source.rowFile } }
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) with the reason if a layer can have no tiles. */
  async requireTiles(layer: LayerRecord): Promise<void> {
    if (!this.canHaveTiles(layer)) await this.#wayOf(layer)
  }

  /** True if `requireTiles` is already known not to throw. */
  canHaveTiles(layer: LayerRecord): boolean {
    return this.#ways.has(layer)
  }

  /**
   * Returns the table of the layer, or a copy in Web Mercator if external programs cannot read the table or
   * must not connect to it. Throws like `of`.
   */
  async readable(
    layer: LayerRecord,
    findVersion: () => Promise<VersionState> | VersionState,
    signal: AbortSignal,
  ): Promise<ReadableTable> {
    const { crs } = this.#ways.get(layer) ?? (await this.#wayOf(layer))
    const connection = await this.#connectionOf(layer)
    const isReadable = Object.values(ownStores).some(({ type }) => type === connection.type)
    if (typeof crs === 'string' && isReadable && connection.reach === undefined)
      return { connection, table: layer.nativeName, srs: crs }
    const copy = await this.#copyOf(layer, crs, await findVersion(), signal)
    if (copy.connection === undefined) throw new Error('A copy has a file')
    return {
      connection: copy.connection,
      table: copy.source.table,
      srs: 'EPSG:3857',
      columns: copy.source.columns,
    }
  }

  /**
   * Returns the estimated number of rows of the layer in a box; `Number.MAX_SAFE_INTEGER` if its store does
   * not respond, which reading the rows will report.
   */
  async estimateRows(layer: LayerRecord, box: RequestBox, signal: AbortSignal): Promise<number> {
    const { nativeName, details } = layer
    try {
      const store = await this.#deps.catalog.layers.openStoreOf(layer)
      const rows = await store.estimateRowsIn(nativeName, undefined, signal)
      if (rows <= lightRows) return rows
      return await store.estimateRowsIn(nativeName, { ...box, crs: details.srs ?? details.crs }, signal)
    } catch {
      signal.throwIfAborted()
      return Number.MAX_SAFE_INTEGER
    }
  }

  /** Throws like `of`; caches results per layer record. */
  async #wayOf(layer: LayerRecord): Promise<Way> {
    const { srs, crs: declared, schema } = layer.details
    const crs = srs ?? declared
    if (schema.geometry === undefined || crs === undefined) throw noTiles(layer, lackOf(layer))
    try {
      const way = { crs, needsCopy: await needsProgram(crs) }
      this.#ways.set(layer, way)
      return way
    } catch (error) {
      if (error instanceof CrsError)
        throw noTiles(layer, `cannot be shown in web mercator (${error.message})`)
      throw error
    }
  }

  async #ownOf(layer: LayerRecord, crs: CrsDeclaration | string): Promise<OpenSource> {
    const store = await this.#deps.catalog.layers.openStoreOf(layer)
    return { store, source: { table: layer.nativeName, crs, name: layer.name } }
  }

  async #copyOf(
    layer: LayerRecord,
    crs: CrsDeclaration | string,
    now: VersionState,
    signal: AbortSignal,
  ): Promise<OpenSource> {
    const connect = (): Promise<StoreConnection> => this.#connectionOf(layer)
    const isSmall = (layer.details.featureCount ?? Number.POSITIVE_INFINITY) <= maxRowsWaitedFor
    const waiting = isSmall ? signal : AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)])
    const copy = this.#copies.of({ layer, connect, table: layer.nativeName, crs }, now, waiting)
    const { path } = await copy.catch((error: unknown) => {
      throw waiting.aborted && !signal.aborted ? notReady(layer) : error
    })
    const own = { type: ownStores.file.type, parameters: { path } }
    const columns = shownColumns(layer.details.schema)
    return {
      store: this.#deps.openStore(own),
      source: { table: copiedTable, crs: 'EPSG:3857', name: layer.name, columns },
      connection: own,
    }
  }

  async #connectionOf(layer: LayerRecord): Promise<StoreConnection> {
    const { layers, stores } = this.#deps.catalog
    return stores.connection(await layers.storeOf(layer))
  }

  /** Returns the number of rows, if known for the version. */
  #knownRows(layer: LayerRecord, { version, isCurrent }: VersionState): number | undefined {
    if (!isCurrent) return undefined
    const { featureCount } = layer.details
    const isFresh = layer.versionCause === 'import' && layer.version === version
    if (isFresh && featureCount !== undefined) return featureCount
    const counted = this.#counts.get(layer.id)
    return counted?.version === version ? counted.rows : undefined
  }

  /** Counts the rows, once per version, however many tiles wait for the result. */
  async #countRows(layer: LayerRecord, { version }: VersionState, signal: AbortSignal): Promise<number> {
    const count = async (joined: AbortSignal): Promise<number> => {
      const store = await this.#deps.catalog.layers.openStoreOf(layer)
      return store.count({ table: layer.nativeName }, joined)
    }
    const rows = await this.#counting.join(`${layer.id} ${version}`, count, signal)
    this.#counts.set(layer.id, { version, rows })
    for (const first of this.#counts.keys()) if (this.#counts.size > maxCounted) this.#counts.delete(first)
    return rows
  }

  /** Prepares the data that the first tiles need. */
  async #prepare(workspace: string, name: string): Promise<void> {
    try {
      const layer = await this.#deps.catalog.layers.find(workspace, name)
      if (layer?.details.schema.geometry === undefined || layer.details.kind === 'raster') return
      const now = await this.#deps.catalog.layers.versionOf(layer)
      await this.#files.removeOlder(layer.id, now.version)
      const request: TileRequest = { set: 'WebMercatorQuad', tile: { z: 0, x: 0, y: 0 } }
      await this.of(layer, request, now, this.#closing.signal)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.#deps.log.warn({ err: error, layer: `${workspace}:${name}` }, 'a layer was not prepared for tiles')
    }
  }

  async #sweep(): Promise<void> {
    this.#sweepTimer = undefined
    try {
      await this.#files.sweep(async () => {
        const versions = new Map(await this.#deps.catalog.layers.listVersions())
        this.#overviews.keepOnly(versions)
        this.#copies.keepOnly(versions)
        this.#rowFiles.keepOnly(versions)
        return versions
      })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'tile source files of deleted layers may be left')
    }
  }
}

function lackOf({ details: { kind, schema } }: LayerRecord): string {
  if (kind === 'raster') return 'is a coverage'
  return schema.geometry === undefined ? 'has no geometry' : 'has no known coordinate reference system'
}

function noTiles({ workspace, name }: LayerRecord, lack: string): Error {
  return notFound('no-tiles', `Layer "${workspace}:${name}" ${lack}, so there are no vector tiles of it`)
}

function notReady({ workspace, name }: LayerRecord): Failure {
  const text = `The copy of layer "${workspace}:${name}" from which its tiles are made is not ready yet`
  return new Failure('unavailable', 'tiles-not-ready', text, { retryAfterSeconds: 10 })
}
