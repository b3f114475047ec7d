import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SizedCache } from '../../core/caches/sized-cache.ts'
import type { Logger } from '../../core/log/logger.ts'
import { startLimit } from '../../core/time/wait-limit.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import type { WorkerHandle } from '../../core/workers/worker-handle.ts'
import type { CachedFamilies, TileHits } from './cache-folder.ts'
import type { CacheHandlers, CacheProblem, CacheWorkData } from './cache-work.ts'
import type { CachedTile, TileKey } from './cached-tile.ts'
import { familyText, tileText } from './cached-tile.ts'
import { RunningFamilies } from './running-families.ts'

const file = new URL('./cache-work.ts', import.meta.url)
const maxInMemory = 64 << 20
/** Approximate overhead of a tile in memory, in bytes. */
const entryBytes = 600
/** Time after which a disk counts as slow and is not used for a while: tiles are made instead. */
const patienceMs = 500
const restMs = 5000
const keepEveryMs = 50
const countEveryMs = 5000
const maxCounted = 50_000
/** Maximum size of tiles waiting to be written; further ones are not stored. */
const maxWaitingBytes = 32 << 20
const closeMs = 3000
const restartMs = 1000
const maxLayers = 100_000

interface CacheOptions extends CacheWorkData {
  /** Returns the existing layers with their versions. */
  layers(): Promise<[id: number, version: number][]>
  log: Pick<Logger, 'warn'>
}

interface Search {
  key: TileKey
  found(tile: CachedTile | undefined): void
}

/** Cache of tiles: the most recent in memory, all in files, which a thread reads and writes. */
export class TileCache {
  readonly #options: CacheOptions
  readonly #memory: SizedCache<CachedTile>
  readonly #begun = new RunningFamilies()
  #thread: WorkerHandle<CacheHandlers> | undefined
  /** True once the thread has loaded its code: until then a delay is not the disk's. */
  #isAwake = false
  #searches: Search[] = []
  /** Tiles to be stored, by family. */
  #toKeep = new Map<string, CachedFamilies>()
  #waitingBytes = 0
  #counted = new Map<string, TileHits>()
  /** Versions of layers without files to delete, for which the thread was not called. */
  readonly #unasked = new Map<number, number>()
  #keepTimer: NodeJS.Timeout | undefined
  #countTimer: NodeJS.Timeout | undefined
  #restsUntil = 0
  #swept: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: CacheOptions) {
    this.#options = options
    const maxBytes = Math.min(maxInMemory, options.maxBytes)
    this.#memory = new SizedCache(maxBytes, ({ bytes }) => bytes.length + entryBytes)
  }

  /** Returns the tile if it is in memory. */
  remembered(key: TileKey): CachedTile | undefined {
    return this.#memory.find(tileText(key))
  }

  /** Returns undefined immediately if no such tile can exist. */
  find(key: TileKey): Promise<CachedTile | undefined> | undefined {
    if (this.#isClosed || performance.now() < this.#restsUntil) return undefined
    return this.#begun.mayHave(key) ? this.#findInFile(key) : undefined
  }

  async #findInFile(key: TileKey): Promise<CachedTile | undefined> {
    const tile = await this.#ask(key)
    if (tile !== undefined) this.#memory.keep(tileText(key), tile)
    return tile
  }

  /** Counts a request for the tile. */
  count(key: TileKey): void {
    const text = tileText(key)
    const counted = this.#counted.get(text)
    if (counted !== undefined) counted.asked += 1
    else if (this.#counted.size < maxCounted) this.#counted.set(text, { key, asked: 1 })
    this.#countTimer ??= setTimeout(() => void this.#writeUses(), countEveryMs).unref()
  }

  /** Stores a tile; `metadata` describes its file if it is new. */
  keep(key: TileKey, tile: CachedTile, metadata: () => Record<string, string>): void {
    if (this.#isClosed || key.version < (this.#unasked.get(key.layerId) ?? 0)) return
    this.#memory.keep(tileText(key), tile)
    if (this.#waitingBytes > maxWaitingBytes) return
    this.#begun.keep(key)
    this.#waitingBytes += tile.bytes.length
    this.#waitingOf(key, metadata).tiles.push({ address: key.tile, tile })
    this.#keepTimer ??= setTimeout(() => void this.#writeKept(), keepEveryMs).unref()
  }

  #waitingOf({ tile: _, ...family }: TileKey, metadata: () => Record<string, string>): CachedFamilies {
    const text = familyText(family)
    const waiting = this.#toKeep.get(text) ?? { family, metadata: metadata(), tiles: [] }
    this.#toKeep.set(text, waiting)
    return waiting
  }

  /**
   * Deletes stored tiles of older versions of a layer; returns the most requested tiles, as tiles of
   * `version`.
   */
  async retire(layerId: number, version: number, limit: number): Promise<TileHits[]> {
    if (await this.#hasNothing(String(layerId))) {
      if (this.#unasked.size >= maxLayers) this.#unasked.clear()
      this.#unasked.set(layerId, version)
      return []
    }
    await this.#writeUses()
    const tileHits = await this.#call((thread) => thread.call('retire', { layerId, version, limit }))
    return tileHits ?? []
  }

  /**
   * Removes files of missing layers and old versions, and tiles beyond the size limit. No tile is read from
   * files meanwhile.
   */
  sweep(): Promise<void> {
    this.#swept = this.#sweepAll()
    return this.#swept
  }

  /** Writes pending tiles and ends the thread. */
  async close(): Promise<void> {
    const thread = this.#thread
    const rest = Promise.all([this.#writeKept(), this.#writeUses()]).then(() => thread?.call('close'))
    const late = new AbortController()
    await Promise.race([
      rest.catch(() => undefined),
      sleep(closeMs, undefined, { signal: late.signal }).catch(() => undefined),
    ])
    late.abort()
    this.#isClosed = true
    for (const { found } of this.#searches.splice(0)) found(undefined)
    await thread?.end()
  }

  async #sweepAll(): Promise<void> {
    if (await this.#hasNothing('.')) return
    await this.#call((thread) => thread.call('sweep', undefined, { onAsk: () => this.#options.layers() }))
  }

  /** True if a folder is empty or missing and no write to it is pending: no thread is started for it. */
  async #hasNothing(folder: string): Promise<boolean> {
    const isUnused = (): boolean => this.#thread === undefined && this.#toKeep.size === 0
    if (!isUnused()) return false
    const names = await readdir(join(this.#options.root, folder)).catch(missingAsEmpty)
    return names.length === 0 && isUnused()
  }

  /** Tiles requested in one iteration of the event loop are looked up together. */
  async #ask(key: TileKey): Promise<CachedTile | undefined> {
    const result = Promise.withResolvers<CachedTile | undefined>()
    this.#searches.push({ key, found: result.resolve })
    if (this.#searches.length === 1) setImmediate(() => void this.#search())
    return result.promise
  }

  async #search(): Promise<void> {
    await this.#swept
    const searches = this.#searches.splice(0)
    const keys = searches.map(({ key }) => key)
    const stop = startLimit(patienceMs, () => {
      if (this.#isAwake) this.#restsUntil = performance.now() + restMs
      for (const { found } of searches) found(undefined)
    })
    const tiles = await this.#call((thread) => thread.call('find', { keys }))
    stop()
    searches.forEach(({ key, found }, at) => {
      const tile = tiles?.[at]
      if (tile === null) this.#begun.begin(key)
      found(tile ?? undefined)
    })
  }

  async #writeKept(): Promise<void> {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = undefined
    const families = [...this.#toKeep.values()]
    this.#toKeep = new Map()
    if (families.length === 0) return
    await this.#call((thread) => thread.call('keep', { families }))
    for (const { tiles } of families) for (const { tile } of tiles) this.#waitingBytes -= tile.bytes.length
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#countTimer)
    this.#countTimer = undefined
    const tiles = [...this.#counted.values()]
    this.#counted = new Map()
    if (tiles.length === 0) return
    const atSeconds = Math.floor(Date.now() / 1000)
    await this.#call((thread) => thread.call('use', { tiles, atSeconds }))
  }

  /** A failure only means that a tile is made again. */
  async #call<Result>(
    ask: (thread: WorkerHandle<CacheHandlers>) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#isClosed || performance.now() < this.#restsUntil - restMs + restartMs) return undefined
    try {
      this.#thread ??= this.#start()
      return await ask(this.#thread)
    } catch (error) {
      if (!this.#isClosed) this.#warn('kept tiles cannot be reached', String(error))
      return undefined
    }
  }

  #start(): WorkerHandle<CacheHandlers> {
    const { root, maxBytes } = this.#options
    this.#isAwake = false
    const thread = startThread<CacheHandlers>(file, {
      data: { root, maxBytes } satisfies CacheWorkData,
      onReport: (reported) => {
        const { what, reason } = reported as CacheProblem
        this.#warn(what, reason)
      },
      onEnd: () => {
        this.#thread = undefined
        this.#restsUntil = performance.now() + restMs
      },
    })
    const awake = thread.call('find', { keys: [] })
    awake.then(() => {
      this.#isAwake = this.#thread === thread
    }, ignored)
    return thread
  }

  #warn(what: string, reason: string): void {
    this.#options.log.warn({ reason }, what)
  }
}

function missingAsEmpty(error: NodeJS.ErrnoException): string[] {
  return error.code === 'ENOENT' ? [] : ['?']
}

function ignored(): void {}
