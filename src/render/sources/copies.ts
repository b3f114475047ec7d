import type { Layers } from '../../catalog/index.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { TableCopyHandlers } from './copy-work.ts'
import type { VersionState } from './layer-work.ts'
import { LayerWork } from './layer-work.ts'
import type { LayerTable } from './overviews.ts'
import type { SideFiles } from './side-files.ts'
import { LooseFiles } from './side-files.ts'

interface TableCopiesDeps {
  layers: Pick<Layers, 'isStill'>
  files: SideFiles
  /** Maximum total size of all copies, in bytes. */
  maxBytes: number
}

/** One copy at a time, since each runs a GDAL program. */
const processes = 1
const silenceMs = 120_000
const deadlineMs = 6 * 3_600_000

/** Copies of layers in Web Mercator, for tables in a CRS that only GDAL can transform. */
export class Copies {
  readonly #deps: TableCopiesDeps
  readonly #pool = new WorkPool<TableCopyHandlers>({
    start: (options) => startProcess(new URL('./copy-work.ts', import.meta.url), options),
    limit: processes,
  })
  readonly #work: LayerWork<LayerTable, { path: string }>
  readonly #loose: LooseFiles

  constructor(deps: TableCopiesDeps) {
    this.#deps = deps
    this.#loose = new LooseFiles(deps.files)
    this.#work = new LayerWork({
      find: async (layer, version) => {
        const path = await deps.files.find(layer, version, 'copy.gpkg')
        return path === undefined ? undefined : { path }
      },
      make: (table, version, signal) => this.#make(table, version, signal),
    })
  }

  /** Returns the file of the copy; creates it if needed. */
  of(table: LayerTable, now: VersionState, signal: AbortSignal): Promise<{ path: string }> {
    return this.#work.of(table, now, signal)
  }

  keepOnly(layers: ReadonlyMap<number, unknown>): void {
    this.#work.keepOnly(layers)
  }

  async close(): Promise<void> {
    await Promise.all([this.#work.close(), this.#pool.close()])
    await this.#loose.close()
  }

  async #make({ layer, connect, table, crs }: LayerTable, version: number, signal: AbortSignal) {
    const { layers, files, maxBytes } = this.#deps
    const path = await files.newPath(layer.id, version, 'copy.gpkg')
    let isKept = false
    try {
      const room = maxBytes - (await files.sizeOf('copy.gpkg'))
      await this.#pool.call(
        'make',
        { connection: await connect(), table, crs, path, maxBytes: room },
        { signal, silenceMs, deadlineMs, onNotice: () => undefined },
      )
      const isOfVersion = await layers.isStill(layer, { version, isCurrent: true })
      isKept = true
      const result = isOfVersion
        ? { path: await files.settle(path, layer.id, version, 'copy.gpkg') }
        : { path: await this.#loose.keep(layer.id, path) }
      return { result, isOfVersion }
    } finally {
      if (!isKept) await files.discard(path)
    }
  }
}
