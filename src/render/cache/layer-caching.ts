import type { Layers } from '../../catalog/index.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { TileMaker } from './cached-tiles.ts'
import { CachedTiles } from './cached-tiles.ts'
import { RemakeTiles } from './remake-tiles.ts'
import { TileCache } from './tile-cache.ts'

/** Location and size of the cache. */
export interface CacheLimits {
  /** Root folder, with a subfolder for each layer id. */
  root: string
  /** Maximum size of all tiles; 0 disables the cache. */
  maxBytes: number
}

interface LayerCachingDeps {
  layers: Pick<Layers, 'versionOf' | 'isStill' | 'isSettled' | 'find' | 'findById' | 'listVersions'>
  events: EventBus
  log: Pick<Logger, 'warn' | 'debug'>
}

/** Delay before a sweep, in milliseconds, since many layers may be removed at a time. */
const sweepDelayMs = 500

/** The cache of all kinds of tiles, updated when layers change. */
export class LayerCaching {
  readonly #deps: LayerCachingDeps
  readonly #cache: TileCache
  readonly #remake: RemakeTiles | undefined
  readonly #stopListening: (() => void)[] = []
  #sweepTimer: NodeJS.Timeout | undefined

  constructor(deps: LayerCachingDeps, { root, maxBytes }: CacheLimits) {
    const { layers, events, log } = deps
    this.#deps = deps
    // Deletes existing files even if caching is disabled.
    this.#cache = new TileCache({ root, maxBytes, log, layers: () => layers.listVersions() })
    this.#remake = maxBytes === 0 ? undefined : new RemakeTiles({ layers, cache: this.#cache, log })
    this.#stopListening.push(
      events.onEveryServer('layer.published', ({ workspace, layer }) => void this.#changed(workspace, layer)),
      events.onEveryServer('layer.removed', () => {
        this.#sweepTimer ??= setTimeout(() => this.#sweepLater(), sweepDelayMs).unref()
      }),
    )
  }

  /**
   * Creates the cache of one kind of tiles: the same layer, version, variant, set and format always yield the
   * same bytes.
   */
  kind<Counts>(maker: TileMaker<Counts>): CachedTiles<Counts> {
    const parts = {
      layers: this.#deps.layers,
      cache: this.#remake === undefined ? undefined : this.#cache,
      onVersion: (layer: { id: number }, version: number) => this.#remake?.noteVersion(layer, version),
    }
    const kind = new CachedTiles(parts, maker)
    this.#remake?.add(kind)
    return kind
  }

  /** Removes files that an earlier process left for deleted or changed layers. */
  start(): Promise<void> {
    return this.#cache.sweep()
  }

  async close(): Promise<void> {
    clearTimeout(this.#sweepTimer)
    for (const stop of this.#stopListening.splice(0)) stop()
    await this.#remake?.close()
    await this.#cache.close()
  }

  #sweepLater(): void {
    this.#sweepTimer = undefined
    void this.#cache.sweep()
  }

  async #changed(workspace: string, name: string): Promise<void> {
    try {
      const layer = await this.#deps.layers.find(workspace, name)
      if (layer === undefined) return
      const { version } = await this.#deps.layers.versionOf(layer)
      this.#remake?.noteVersion(layer, version)
    } catch (error) {
      this.#deps.log.warn(
        { err: error, layer: `${workspace}:${name}` },
        'a change of a layer was not followed',
      )
    }
  }
}
