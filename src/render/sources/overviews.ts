import type { LayerRecord, Layers } from '../../catalog/index.ts'
import type { EventBus, Events } from '../../core/events/events.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { StoreConnection } from '../../stores/index.ts'
import type { LayerGeneralization, TileGeneralization } from '../../tiles/generalize/layer-generalization.ts'
import { cellOf, levelOf } from '../../tiles/generalize/tile-cells.ts'
import type { TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { VersionState } from './layer-work.ts'
import { LayerWork } from './layer-work.ts'
import type { OverviewHandlers } from './overview-work.ts'
import type { SideFiles } from './side-files.ts'
import { LooseFiles } from './side-files.ts'

/** Thinning of a layer at one version. */
export interface LayerOverview extends LayerGeneralization {
  /** Selects the rows that these levels show; absent if it could not be written. */
  file?: { path: string; levels: number }
}

/** The table from which the tiles of a layer are read. */
export interface LayerTable {
  layer: LayerRecord
  /** Returns how to open its store, with secrets: only for code that opens it. */
  connect(): Promise<StoreConnection>
  table: string
  crs: CrsDeclaration | string
}

interface OverviewDeps {
  layers: Pick<Layers, 'isStill'>
  files: SideFiles
  events: EventBus
}

/** Maximum number of concurrent processes; further overviews wait. */
const processes = 2
const maxHeapMb = 2048
/**
 * For loads of at least this number of rows a process is started before the load ends, so that the overview
 * does not wait for the start. While rows are read, the load uses both cores of a small machine; later,
 * indexing in PostgreSQL leaves one core idle.
 */
const manyRows = 100_000
const readyMs = 2000
/**
 * Maximum time for reading a page or sorting all rows, in milliseconds; longer means that the process hangs.
 */
const silenceMs = 120_000
const deadlineMs = 2 * 3_600_000

/** Overviews of layers: made in processes and stored in files by the layer's version. */
export class Overviews {
  readonly #deps: OverviewDeps
  readonly #pool = new WorkPool<OverviewHandlers>({
    start: (options) =>
      startProcess(new URL('./overview-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: processes,
  })
  readonly #work: LayerWork<LayerTable, LayerOverview>
  readonly #loose: LooseFiles
  readonly #stopListening: () => void
  #readyUntil = Number.NEGATIVE_INFINITY
  /** Resolves when the process that was started before the end of a load is ready. */
  #starting: Promise<unknown> = Promise.resolve()

  constructor(deps: OverviewDeps) {
    this.#deps = deps
    this.#loose = new LooseFiles(deps.files)
    this.#work = new LayerWork({
      find: (layer, version) => this.#find(layer, version),
      make: (table, version, signal) => this.#make(table, version, signal),
    })
    this.#stopListening = deps.events.on('load.read', (load) => this.#prepareFor(load))
  }

  of(table: LayerTable, now: VersionState, signal: AbortSignal): Promise<LayerOverview> {
    return this.#work.of(table, now, signal)
  }

  keepOnly(layers: ReadonlyMap<number, unknown>): void {
    this.#work.keepOnly(layers)
  }

  async close(): Promise<void> {
    this.#stopListening()
    await Promise.all([this.#work.close(), this.#pool.close()])
    await this.#loose.close()
  }

  /** Starts a process, which waits for work for some seconds. */
  #prepareFor({ rows, storeType }: Events['load.read']): void {
    if (rows < manyRows) return
    if (performance.now() < this.#readyUntil || this.#pool.running > 0) return
    this.#readyUntil = performance.now() + readyMs
    const limits = { silenceMs, deadlineMs, onNotice: () => undefined }
    this.#starting = this.#pool.call('getReady', storeType, limits).catch(() => undefined)
  }

  async #find(layer: LayerRecord, version: number): Promise<LayerOverview | undefined> {
    const found = await this.#deps.files.findOverview(layer, version)
    if (found === undefined) return undefined
    const { path, header } = found
    const { cells, areas, levels } = header
    return { cells, areas, file: { path, levels } }
  }

  async #make({ layer, connect, table, crs }: LayerTable, version: number, signal: AbortSignal) {
    const { layers, files } = this.#deps
    // If nothing can be written, tiles use the envelopes of all rows.
    const path = await files.newPath(layer.id, version, 'overview').catch(() => undefined)
    let isKept = false
    try {
      // Otherwise the pool would start a second process.
      await this.#starting
      const geometryType = layer.details.schema.geometry?.type
      const { cells, areas, levels, isWritten } = await this.#pool.call(
        'make',
        { connection: await connect(), table, crs, geometryType, path },
        { signal, silenceMs, deadlineMs, onNotice: () => undefined },
      )
      const isOfVersion = await layers.isStill(layer, { version, isCurrent: true })
      const thinning = { cells, areas }
      if (!isWritten || path === undefined) return { result: thinning, isOfVersion }
      isKept = true
      const place = isOfVersion
        ? await files.settle(path, layer.id, version, 'overview')
        : await this.#loose.keep(layer.id, path)
      return { result: { ...thinning, file: { path: place, levels } }, isOfVersion }
    } finally {
      if (path !== undefined && !isKept) await files.discard(path)
    }
  }
}

/** Returns the thinning of a tile of the zoom. */
export function generalizationOf(
  overview: LayerOverview,
  set: TileMatrixSetId,
  zoom: number,
): TileGeneralization {
  const { areas, file } = overview
  const rule = areas === undefined ? {} : { areas }
  const cell = cellOf(overview, set, zoom)
  if (cell === undefined) return rule
  const level = levelOf(set, zoom)
  if (file === undefined || level >= file.levels) return { ...rule, cell }
  return { ...rule, cell, overview: { path: file.path, level } }
}
