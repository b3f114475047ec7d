import { setTimeout as sleep } from 'node:timers/promises'
import type { LayerRecord, Layers } from '../../catalog/index.ts'
import type { Logger } from '../../core/log/logger.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { TileHits } from './cache-folder.ts'
import type { CachedTiles } from './cached-tiles.ts'
import type { TileCache } from './tile-cache.ts'

/** Maximum number of tiles of a layer that are made again after a change, and the time limit. */
const maxTiles = 500
const longestMs = 60_000
/** Interval for checking if a request is in progress, since requests have priority. */
const politeMs = 10
const rememberedLayers = 100_000

interface RefreshTilesDeps {
  layers: Pick<Layers, 'findById'>
  cache: TileCache
  log: Pick<Logger, 'debug'>
}

/**
 * After a change of a layer deletes stored tiles of its older versions, and makes the most requested tiles
 * again, one at a time, while no request waits for a tile.
 */
export class RemakeTiles {
  readonly #deps: RefreshTilesDeps
  readonly #kinds: CachedTiles<unknown>[] = []
  readonly #versions = new Map<number, number>()
  readonly #running = new Map<number, AbortController>()
  readonly #turns = new WorkQueue({ limit: 1 })
  readonly #works = new Set<Promise<void>>()
  #isClosed = false

  constructor(deps: RefreshTilesDeps) {
    this.#deps = deps
  }

  add(kind: CachedTiles<unknown>): void {
    this.#kinds.push(kind)
  }

  /** Notes the present version of a layer. */
  noteVersion({ id }: Pick<LayerRecord, 'id'>, version: number): void {
    const known = this.#versions.get(id)
    if (known === version || this.#isClosed || (known ?? 0) > version) return
    this.#versions.delete(id)
    this.#versions.set(id, version)
    for (const first of this.#versions.keys())
      if (this.#versions.size > rememberedLayers) this.#versions.delete(first)
    this.#running.get(id)?.abort(new Error('The layer has changed again'))
    const work = this.#remake(id, version).finally(() => this.#works.delete(work))
    this.#works.add(work)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#running.values()) stop.abort(new Error('The server is stopping'))
    await Promise.all(this.#works)
  }

  async #remake(id: number, version: number): Promise<void> {
    const stop = new AbortController()
    this.#running.set(id, stop)
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(longestMs)])
    try {
      const tileHits = await this.#deps.cache.retire(id, version, maxTiles)
      if (tileHits.length === 0) return
      await this.#turns.run(() => this.#makeAll(id, version, tileHits, signal), { signal })
    } catch (error) {
      this.#deps.log.debug({ err: error, layerId: id }, 'tiles were not all made anew')
    } finally {
      if (this.#running.get(id) === stop) this.#running.delete(id)
    }
  }

  async #makeAll(
    id: number,
    version: number,
    tileHits: readonly TileHits[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const { key } of tileHits) {
      while (this.#kinds.some(({ inFlight }) => inFlight > 0)) await sleep(politeMs, undefined, { signal })
      const layer = await this.#deps.layers.findById(id)
      if (layer === undefined || layer.version !== version) return
      const kind = this.#kinds.find((one) => one.canMake(layer, key))
      await kind?.tile(layer, key, signal, { isCounted: false })
    }
  }
}
