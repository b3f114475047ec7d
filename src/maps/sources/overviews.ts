import type { Catalog } from '../../catalog/catalog.ts'
import type { Layers } from '../../catalog/doors/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Logger } from '../../lib/logger.ts'
import { orAborted } from '../../lib/or-aborted.ts'
import { startProcess } from '../../lib/workers/start-process.ts'
import { WorkPool } from '../../lib/workers/work-pool.ts'
import type { OverviewHandlers } from './overview-work.ts'
import type { SideFiles } from './side-files.ts'

/** A version, and whether it was possible to see that nobody else has written. */
export type LayerVersion = Awaited<ReturnType<Layers['versionOf']>>

/** How a layer is thinned at one version. */
export interface LayerOverview {
  cells: readonly number[]
  /** Tells which rows these levels show; absent where nobody can tell whether the data are those of the version. */
  file?: { path: string; levels: number }
}

interface OverviewNeeds {
  catalog: { layers: Catalog['layers']; stores: Pick<Catalog['stores'], 'connection'> }
  files: SideFiles
  log: Pick<Logger, 'warn'>
}

/** The table that a layer is read from. */
export interface LayerTable {
  layer: LayerRecord
  crs: CrsDeclaration | string
}

interface Known extends LayerOverview {
  version: number
  /** Of data of which nobody can tell whether they are those of the version: used for them alone, and not for long. */
  looseUntil?: number
}

interface Making {
  version: number
  result: Promise<LayerOverview>
  abort: AbortController
}

/** Two read and sort at a time; others wait. */
const processes = 2
const maxHeapMb = 2048
/** Reading a page, or sorting all rows, takes no longer unless something is stuck. */
const silenceMs = 120_000
const deadlineMs = 2 * 3_600_000
const mostKnown = 10_000
/** How long cells count for data that change all the time, at least, and as many times what it took to find them. */
const looseMs = 10_000
const looseFactor = 20
/** A layer that could not be read is not read again within this time, however often it is asked for. */
const failurePauseMs = 5000

/** Overviews of layers: made in processes, one at a time for each layer, and kept in files by the layer's version. */
export class Overviews {
  readonly #needs: OverviewNeeds
  readonly #pool = new WorkPool<OverviewHandlers>({
    start: (options) =>
      startProcess(new URL('./overview-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: processes,
  })
  readonly #known = new Map<number, Known>()
  readonly #making = new Map<number, Making>()
  readonly #failed = new Map<number, { version: number; untilMs: number; error: unknown }>()

  constructor(needs: OverviewNeeds) {
    this.#needs = needs
  }

  /** From memory or its file, or made now; who waits may leave, and it is made all the same. */
  async of(table: LayerTable, now: LayerVersion, signal: AbortSignal): Promise<LayerOverview> {
    const known = this.#find(table.layer.id, now) ?? (await this.#findFile(table.layer.id, now))
    if (known !== undefined) return known
    const failed = this.#failed.get(table.layer.id)
    if (failed?.version === now.version && performance.now() < failed.untilMs) throw failed.error
    return orAborted(this.#join(table, now.version), signal)
  }

  /** Nobody asks for the layer any more. */
  forget(layerId: number): void {
    this.#making.get(layerId)?.abort.abort(new Error('The layer was removed'))
    this.#known.delete(layerId)
    this.#failed.delete(layerId)
  }

  async close(): Promise<void> {
    for (const { abort } of this.#making.values()) abort.abort(new Error('The server stops'))
    await this.#pool.close()
    await Promise.allSettled([...this.#making.values()].map(({ result }) => result))
  }

  #find(layerId: number, { version, isCurrent }: LayerVersion): LayerOverview | undefined {
    const known = this.#known.get(layerId)
    if (known === undefined) return undefined
    if (isCurrent) return known.version === version && known.looseUntil === undefined ? known : undefined
    const isFresh =
      known.looseUntil === undefined ? known.version === version : performance.now() < known.looseUntil
    return isFresh ? { cells: known.cells } : undefined
  }

  async #findFile(layerId: number, { version, isCurrent }: LayerVersion): Promise<LayerOverview | undefined> {
    const { files } = this.#needs
    const header = await files.findOverview(layerId, version)
    if (header === undefined) return undefined
    const file = { path: files.path(layerId, version, 'overview'), levels: header.levels }
    this.#remember(layerId, { version, cells: header.cells, file })
    return isCurrent ? { cells: header.cells, file } : { cells: header.cells }
  }

  #join(table: LayerTable, version: number): Promise<LayerOverview> {
    const { id } = table.layer
    const making = this.#making.get(id)
    if (making !== undefined && making.version >= version) return making.result
    const abort = new AbortController()
    const result = this.#makeAfter(making, table, version, abort.signal)
    const own: Making = { version, result, abort }
    this.#making.set(id, own)
    const end = (): void => {
      if (this.#making.get(id) === own) this.#making.delete(id)
    }
    result.then(end, (error: unknown) => {
      end()
      this.#failed.set(id, { version, untilMs: performance.now() + failurePauseMs, error })
      for (const first of this.#failed.keys()) if (this.#failed.size > mostKnown) this.#failed.delete(first)
    })
    return result
  }

  /** One at a time for a layer: what is made of an older version is given up. */
  async #makeAfter(
    older: Making | undefined,
    table: LayerTable,
    version: number,
    signal: AbortSignal,
  ): Promise<LayerOverview> {
    older?.abort.abort(new Error('The layer has a newer version'))
    await older?.result.catch(() => undefined)
    signal.throwIfAborted()
    return this.#make(table, version, signal)
  }

  async #make({ layer, crs }: LayerTable, version: number, signal: AbortSignal): Promise<LayerOverview> {
    const { catalog, files } = this.#needs
    const begun = performance.now()
    const connection = await catalog.stores.connection(await catalog.layers.storeOf(layer))
    const path = await files.newPath(layer.id, version, 'overview')
    try {
      const request = { connection, table: layer.nativeName, crs, path }
      const made = await this.#pool.call('make', request, {
        ...{ signal, silenceMs, deadlineMs },
        onNotice: () => undefined,
      })
      const { cells, levels } = made
      if (!(await this.#isStill(layer, version))) {
        const restMs = Math.max(looseMs, (performance.now() - begun) * looseFactor)
        this.#remember(layer.id, { version, cells, looseUntil: performance.now() + restMs })
        return { cells }
      }
      if (!made.isWritten) {
        this.#remember(layer.id, { version, cells })
        return { cells }
      }
      await files.settle(path, layer.id, version, 'overview')
      const file = { path: files.path(layer.id, version, 'overview'), levels }
      this.#remember(layer.id, { version, cells, file })
      await files.removeOlder(layer.id, version)
      return { cells, file }
    } finally {
      await files.discard(path)
    }
  }

  /** Whether the data that were read are those of the version. */
  #isStill(layer: LayerRecord, version: number): Promise<boolean> {
    return this.#needs.catalog.layers.isStill(layer, { version, isCurrent: true })
  }

  #remember(layerId: number, known: Known): void {
    this.#known.delete(layerId)
    this.#known.set(layerId, known)
    for (const first of this.#known.keys()) if (this.#known.size > mostKnown) this.#known.delete(first)
  }
}
