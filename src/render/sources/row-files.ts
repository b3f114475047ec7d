import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import type { Logger } from '../../core/log/logger.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { VersionState } from './layer-work.ts'
import type { LayerTable } from './overviews.ts'
import type { RowFileHandlers } from './row-work.ts'
import type { SideFiles } from './side-files.ts'

interface RowFileDeps {
  layers: Pick<Layers, 'isStill'>
  files: SideFiles
  log: Pick<Logger, 'warn'>
  /** Maximum total size of row files, in bytes. */
  maxBytes: number
}

/** State of a layer's row file. */
interface Known {
  version: number
  path: string | undefined
  /** Number of tiles that were made without it. */
  tiles: number
  /** Earliest time to begin making it, by `performance.now()`. */
  notBeforeMs: number
  /** Time of the last lookup. */
  lookedMs: number
  isMaking: boolean
}

const processes = 1
const maxHeapMb = 2048
const silenceMs = 120_000
const deadlineMs = 2 * 3_600_000
/** Layers with fewer tile requests are rarely viewed and have no row file. */
const minTiles = 16
/**
 * Minimum pause as a multiple of the time for making a file: a constantly changing layer uses at most a tenth
 * of a processor.
 */
const restFactor = 10
/** Time after a failure before the next attempt. */
const failurePauseMs = 60_000
const maxKnown = 10_000
/** Interval for checking if another server has created or removed a file, in milliseconds. */
const lookMs = 10_000

/**
 * Row files of viewed layers: a second copy of the rows, in spatially clustered chunks, from which tiles are
 * made in a fraction of the time. Requests never wait for one.
 */
export class RowFiles {
  readonly #deps: RowFileDeps
  readonly #pool = new WorkPool<RowFileHandlers>({
    start: (options) => startProcess(new URL('./row-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: processes,
  })
  readonly #known = new BoundedCache<number, Known>(maxKnown)
  readonly #making = new Map<number, { abort: AbortController; done: Promise<void> }>()

  constructor(deps: RowFileDeps) {
    this.#deps = deps
  }

  /** Returns the layer's file if there is one of this version; otherwise may start making one. */
  of(table: LayerTable, { version, isCurrent }: VersionState): string | undefined {
    if (!isCurrent || this.#deps.maxBytes === 0) return undefined
    const { layer } = table
    const known = this.#known.get(layer.id, () => unknown(version))
    if (known.version < version) this.#forget(layer.id, known, version)
    if (known.version !== version) return undefined
    if (performance.now() - known.lookedMs > lookMs) void this.#check(layer, known)
    if (known.path !== undefined) return known.path
    known.tiles += 1
    if (known.tiles >= minTiles && performance.now() >= known.notBeforeMs && !known.isMaking)
      this.#begin(table, known)
    return undefined
  }

  /** Aborts work for deleted layers. */
  keepOnly(layers: ReadonlyMap<number, unknown>): void {
    for (const [id, { abort }] of this.#making)
      if (!layers.has(id)) abort.abort(new Error('The layer was removed'))
  }

  /** Aborts all work. */
  async close(): Promise<void> {
    const making = [...this.#making.values()]
    for (const { abort } of making) abort.abort(new Error('The server stops'))
    await Promise.all(making.map(({ done }) => done))
    await this.#pool.close()
  }

  /** Cancels making the file of the previous version. */
  #forget(layerId: number, known: Known, version: number): void {
    this.#making.get(layerId)?.abort.abort(new Error('The layer has a newer version'))
    Object.assign(known, { ...unknown(version), notBeforeMs: known.notBeforeMs, isMaking: known.isMaking })
  }

  async #check(layer: LayerRecord, known: Known): Promise<void> {
    const { version } = known
    known.lookedMs = performance.now()
    const path = await this.#deps.files.find(layer, version, 'rows').catch(() => undefined)
    if (known.version !== version || known.isMaking) return
    known.path = path
    if (path !== undefined) await this.#deps.files.touch(path)
  }

  #begin(table: LayerTable, known: Known): void {
    const { id } = table.layer
    const abort = new AbortController()
    const begun = performance.now()
    known.isMaking = true
    const done = this.#make(table, known, abort.signal)
      .catch((error: unknown) => {
        if (abort.signal.aborted) return
        known.notBeforeMs = performance.now() + failurePauseMs
        this.#deps.log.warn({ err: error, layer: id }, 'the row file of a layer was not written')
      })
      .finally(() => {
        const now = performance.now()
        known.isMaking = false
        known.notBeforeMs = Math.max(known.notBeforeMs, now + (now - begun) * restFactor)
        this.#making.delete(id)
      })
    this.#making.set(id, { abort, done })
  }

  async #make({ layer, connect, table, crs }: LayerTable, known: Known, signal: AbortSignal): Promise<void> {
    const { layers, files, maxBytes } = this.#deps
    const { version } = known
    const path = await files.newPath(layer.id, version, 'rows')
    let isKept = false
    try {
      const room = maxBytes - (await files.sizeOf('copy.gpkg')) - (await files.sizeOf('rows'))
      const made = await this.#pool.call(
        'make',
        { connection: await connect(), table, crs, path, maxBytes: room },
        { signal, silenceMs, deadlineMs, onNotice: () => undefined },
      )
      if (made !== 'written') known.notBeforeMs = performance.now() + failurePauseMs
      if (made === 'no-room') await files.removeOldest('rows', layer.id)
      if (made !== 'written' || !(await layers.isStill(layer, { version, isCurrent: true }))) return
      isKept = true
      const place = await files.settle(path, layer.id, version, 'rows')
      if (known.version === version) Object.assign(known, { path: place, lookedMs: performance.now() })
    } finally {
      if (!isKept) await files.discard(path)
    }
  }
}

function unknown(version: number): Known {
  return {
    version,
    path: undefined,
    tiles: 0,
    isMaking: false,
    notBeforeMs: 0,
    lookedMs: Number.NEGATIVE_INFINITY,
  }
}
