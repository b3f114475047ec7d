import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { notFound } from '../../core/errors/errors.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { CrsError } from '../../geo/crs.ts'
import type {
  ChangePageRequest,
  FeaturePageRequest,
  PagePart,
  ServedStore,
  ShownColumns,
  StoreConnection,
  Tile,
  TileRequest,
} from '../../stores/index.ts'
import { ownStores } from '../../stores/registry.ts'
import { fewFeatures } from '../../tiles/generalize/layer-generalization.ts'
import { needsProgram } from './needs-program.ts'
import type { OverviewHandlers } from './overview-work.ts'
import type { LayerOverview } from './overviews.ts'
import { generalizationOf } from './overviews.ts'

/**
 * A table without a layer, such as rows before their load, or a list of changes. It is in a GeoPackage of the
 * server that is written once. Plain data.
 */
export interface SideTable {
  path: string
  table: string
  /** Name of the layer in its tiles. */
  name: string
  /** Assumed CRS of its coordinates. */
  crs: CrsDeclaration | string
  rows: number
  /** Present if its columns are shown under other names. */
  columns?: ShownColumns
}

interface SideTablesDeps {
  openStore(connection: StoreConnection): ServedStore
}

/** Results made from a file, and the signal that ends the work. */
interface MadeOfSide {
  abort: AbortController
  /** Overviews by the assumed CRS. */
  overviews: PromiseCache<string, LayerOverview>
}

/** Limits for reading a whole table. */
const limits = { silenceMs: 120_000, deadlineMs: 1_800_000 }
const processes = 1
const maxHeapMb = 2048

/** Maps of tables without a layer. The code that writes such a file must call `remove`. */
export class SideTables {
  readonly #deps: SideTablesDeps
  readonly #pool = new WorkPool<OverviewHandlers>({
    start: (options) =>
      startProcess(new URL('./overview-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: processes,
  })
  /** Derived data by path. */
  readonly #made = new Map<string, MadeOfSide>()
  readonly #closing = new AbortController()

  constructor(deps: SideTablesDeps) {
    this.#deps = deps
  }

  /**
   * Returns a vector tile of WebMercatorQuad. Throws `Failure` (`not-found`, `no-tiles`) if the CRS cannot be
   * transformed.
   */
  async tile(
    side: SideTable,
    { tile, attributes }: Pick<TileRequest, 'tile' | 'attributes'>,
    signal: AbortSignal,
  ): Promise<Tile> {
    const { table, name, crs, columns, rows } = side
    await requireWay(side)
    const set = 'WebMercatorQuad'
    const source = { table, crs, name, columns }
    const request = { set, tile, attributes } as const
    const store = this.#open(side)
    if (rows <= fewFeatures) return store.writeTile(source, request, signal)
    const overview = await orAborted(this.#overviewOf(side), signal)
    const thinning = generalizationOf(overview, set, tile.z)
    return store.writeTile({ ...source, thinning }, request, signal)
  }

  /** Yields its rows in order as GeoJSON, by default with longitude and latitude. */
  async *page(
    side: SideTable,
    { limit, offset = 0, srs = 'EPSG:4326' }: { limit: number; offset?: number; srs?: string },
    signal: AbortSignal,
  ): AsyncGenerator<PagePart> {
    const { table, crs, rows } = side
    await requireWay(side)
    const query = { table, limit, offset }
    const request: FeaturePageRequest = { query, crs, srs, isYx: false, numberMatched: rows }
    yield* this.#open(side).writePage(request, signal)
  }

  /** Returns the listed changes of a change file, as text. */
  changes(
    { path }: Pick<SideTable, 'path'>,
    request: ChangePageRequest,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    return this.#deps
      .openStore({ type: ownStores.file.type, parameters: { path } })
      .writeChangePage(request, signal)
  }

  /** Deletes a file with everything made from it; does nothing if it does not exist. */
  async remove(path: string): Promise<void> {
    const made = this.#made.get(path)
    this.#made.delete(path)
    made?.abort.abort(new Error('The table was removed'))
    await made?.overviews.settled()
    const [folder, name] = [dirname(path), basename(path)]
    for (const one of await readdir(folder).catch((): string[] => []))
      if (one.startsWith(name)) await rm(join(folder, one), { force: true })
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server stops'))
    await this.#pool.close()
  }

  #open(side: SideTable): ServedStore {
    return this.#deps.openStore(connectionOf(side))
  }

  #overviewOf(side: SideTable): Promise<LayerOverview> {
    const { path, crs } = side
    const key = JSON.stringify(crs)
    const made = this.#made.get(path) ?? { abort: new AbortController(), overviews: new PromiseCache() }
    this.#made.set(path, made)
    const { abort, overviews } = made
    return overviews.get(key, () => {
      const signal = AbortSignal.any([abort.signal, this.#closing.signal])
      return this.#makeOverview(side, `${path}.${overviews.size}.overview`, signal)
    })
  }

  async #makeOverview(side: SideTable, overviewPath: string, signal: AbortSignal): Promise<LayerOverview> {
    const { table, crs } = side
    const { cells, areas, levels, isWritten } = await this.#pool.call(
      'make',
      { connection: connectionOf(side), table, crs, path: overviewPath },
      { ...limits, signal, onNotice: () => undefined },
    )
    const thinning = { cells, areas }
    return isWritten ? { ...thinning, file: { path: overviewPath, levels } } : thinning
  }
}

function connectionOf({ path }: SideTable): StoreConnection {
  return { type: ownStores.file.type, parameters: { path } }
}

/** Accepts a transformation that needs a GDAL program: only the viewer waits for these tables. */
async function requireWay({ name, crs }: SideTable): Promise<void> {
  try {
    await needsProgram(crs)
  } catch (error) {
    if (!(error instanceof CrsError)) throw error
    const text = `"${name}" cannot be shown in web mercator (${error.message}), so there are no vector tiles of it`
    throw notFound('no-tiles', text)
  }
}
