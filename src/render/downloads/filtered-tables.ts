import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { isHeavyRead, type RequestBox, type ServedStore } from '../../stores/index.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import type { DrawnRows } from '../mapserver/map-drawings.ts'
import type { DownloadRequest } from './download-format.ts'
import type { DownloadHandlers } from './download-work.ts'
import { fileColumns } from './file-columns.ts'
import { removeLeftBehind } from './remove-left-behind.ts'
import { fileSrs, planRowExport } from './row-export-request.ts'

/** Selects the drawn rows of a layer. */
export interface FilteredTableQuery {
  /** Absent: everywhere. */
  box?: RequestBox
  filter?: RequestFilter
  /** Ids of features. */
  ids?: string[]
}

/** Rows of a layer in a GeoPackage of their own, which is removed on close. */
export interface FilteredTable extends DrawnRows {
  close(): Promise<void>
}

interface FilteredDeps {
  catalog: Pick<Catalog, 'layers' | 'stores'>
  folder: string
  onError(error: unknown): void
}

const atATime = 3
/** Maximum number of concurrent reads of large layers; the other slots are for small ones. */
const heavyAtATime = 2
const mostWaiting = 200
const silenceMs = 20_000
const maxHeapMb = 512
const roomBytes = 2 ** 30
/** A CRS that every map server knows, for layers whose own CRS has no code. */
const otherSrs = 'EPSG:3857'

/**
 * Writes the filtered rows of a layer to a temporary file for one map, so that filters have the same meaning
 * everywhere, whatever the drawing program supports.
 */
export class FilteredTables {
  readonly #deps: FilteredDeps
  readonly #pool: WorkPool<DownloadHandlers>

  constructor(deps: FilteredDeps) {
    this.#deps = deps
    this.#pool = new WorkPool<DownloadHandlers>({
      start: (options) =>
        startProcess(new URL('./download-work.ts', import.meta.url), { ...options, maxHeapMb }),
      limit: atATime,
      heavyLimit: heavyAtATime,
      maxWaiting: { count: mostWaiting, refuse: tooBusy },
      onEnd: deps.onError,
    })
  }

  /** Removes leftover files; call once at the start, without waiting. */
  start(): void {
    removeLeftBehind(this.#deps.folder).catch(this.#deps.onError)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Throws `Failure` (`too-busy`) and the errors of reading the rows. */
  async write(
    layer: LayerRecord,
    { box, filter, ids }: FilteredTableQuery,
    signal: AbortSignal,
  ): Promise<FilteredTable> {
    const { catalog, folder } = this.#deps
    await mkdir(folder, { recursive: true, mode: 0o750 })
    const workPath = await mkdtemp(join(folder, 'rows-'))
    const close = (): Promise<void> => rm(workPath, { recursive: true, force: true })
    try {
      const connection = await catalog.stores.connection(await catalog.stores.get(layer.storeId))
      const store = await catalog.layers.openStoreOf(layer)
      // Makes sure that a file has its index.
      if (connection.indexFolder !== undefined) await store.findTable(layer.nativeName)
      const request = {
        format: 'gpkg' as const,
        box,
        filter,
        srs: layer.details.srs === undefined ? otherSrs : undefined,
        page: ids === undefined ? undefined : { featureIds: ids },
      }
      const { columns } = fileColumns(layer.details.schema.attributes)
      const rows = planRowExport({ layer, connection, store }, request, {
        columns,
        task: { workPath, roomBytes },
      })
      const isHeavy = await isHeavyChoice(store, layer, request, signal)
      const share = { resource: String(layer.id), isHeavy }
      const written = await this.#pool.call('write', rows, { signal, silenceMs, ...share })
      return {
        path: rows.path,
        table: rows.name,
        geometry: rows.geometry?.name ?? '',
        srs: fileSrs(layer, request) ?? otherSrs,
        renamed: written.renamed,
        rowCount: written.rows,
        close,
      }
    } catch (error) {
      await close()
      throw error
    }
  }
}

function isHeavyChoice(
  store: Pick<ServedStore, 'estimateRowsIn'>,
  { nativeName, details }: LayerRecord,
  { box, filter, page }: Pick<DownloadRequest, 'box' | 'filter' | 'page'>,
  signal: AbortSignal,
): Promise<boolean> {
  const demand = {
    offset: 0,
    limit: Number.POSITIVE_INFINITY,
    isCounted: false,
    featureIds: page?.featureIds,
    filter: filter?.requested,
    box: box === undefined ? undefined : { ...box, crs: details.srs ?? details.crs },
  }
  return isHeavyRead(demand, (area) => store.estimateRowsIn(nativeName, area, signal))
}

function tooBusy(): Failure {
  const text = 'Too many filtered maps are drawn at once: try again soon'
  return new Failure('unavailable', 'too-busy', text, { retryAfterSeconds: 2 })
}
