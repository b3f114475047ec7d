import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, statfsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { CachedTile, TileFamily, TileKey } from './cached-tile.ts'
import { familyName, familyText } from './cached-tile.ts'
import { removeOldFiles, removeTileFile, tileFilesOf, usedMsOf } from './stored-files.ts'
import type { CountedTile } from './tile-file.ts'
import { createTileFile, DamagedFile, readFamily, TileFile } from './tile-file.ts'

/** Tiles of one family to store, and the metadata of their file if it is new. Plain data. */
export interface CachedFamilies {
  family: TileFamily
  metadata: Record<string, string>
  tiles: { address: TileAddress; tile: CachedTile }[]
}

/** A tile with the number of its requests. Plain data. */
export interface TileHits {
  key: TileKey
  asked: number
}

const maxOpen = 100
/** Maximum number of variants per layer: clients may request any selection of attributes. */
const maxVariants = 24
const recheckMs = 1000
/** Time for which nothing is stored after a disk was found to be full. */
const restMs = 30_000
/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20
const spaceCheckMs = 2000
const sqliteDamaged = [11, 26]
const sqliteUnlike = 1

interface FolderOptions {
  /** Root folder, with a subfolder for each layer id. */
  root: string
  /** Called after a problem was found and repaired or bypassed. */
  onProblem(what: string, error: unknown): void
}

/** The files of stored tiles. If a file fails, its tiles count as not stored. */
export class CacheFolder {
  readonly #options: FolderOptions
  readonly #open = new Map<string, TileFile>()
  /** Families without a file, with the time of the next check. */
  readonly #missing = new Map<string, number>()
  readonly #latest = new Map<number, number>()
  #restsUntil = 0
  #spaceCheckedAt = Number.NEGATIVE_INFINITY

  constructor(options: FolderOptions) {
    this.#options = options
  }

  find(keys: readonly TileKey[]): (CachedTile | undefined)[] {
    return keys.map((key) => this.#try(key, (file) => file.find(key)))
  }

  /** True if a family was recently found to have no file. */
  lacksFile(family: TileFamily): boolean {
    return (this.#missing.get(familyText(family)) ?? 0) > performance.now()
  }

  /** Returns the number of stored bytes. */
  keep(families: readonly CachedFamilies[]): number {
    let sizeBytes = 0
    for (const { family, metadata, tiles } of families) {
      if (this.#isOld(family) || !this.#hasRoom()) continue
      const keyed = tiles.map(({ address, tile }) => ({ key: { ...family, tile: address }, tile }))
      this.#try(family, (file) => file.keep(keyed), metadata)
      for (const { tile } of tiles) sizeBytes += tile.bytes.length
    }
    return sizeBytes
  }

  use(tiles: readonly TileHits[], atSeconds: number): void {
    for (const [, group] of Map.groupBy(tiles, ({ key }) => familyText(key))) {
      const [first] = group
      const used = group.map(({ key, asked: requested }) => ({ tile: key.tile, asked: requested }))
      if (first !== undefined && this.#hasRoom()) this.#try(first.key, (file) => file.use(used, atSeconds))
    }
  }

  /**
   * Deletes the files of older versions of a layer; returns their most requested tiles, as tiles of the new
   * version.
   */
  retire(layerId: number, version: number, limit: number): TileHits[] {
    this.#latest.delete(layerId)
    this.#latest.set(layerId, version)
    for (const first of this.#latest.keys()) if (this.#latest.size > 100_000) this.#latest.delete(first)
    for (const [text, file] of this.#open)
      if (text.startsWith(`${layerId}.`) && !text.startsWith(`${layerId}.${version}.`))
        this.#close(text, file)
    const tileHits: TileHits[] = []
    removeOldFiles(this.#options.root, layerId, version, (path) => {
      const family = readFamily(path)
      if (family !== undefined) tileHits.push(...this.#requestedIn(path, { ...family, version }, limit))
    })
    return mostRequested(tileHits, limit)
  }

  /** Removes some of the least used tiles of a file. */
  trim(path: string): void {
    const family = readFamily(path)
    if (family === undefined) this.remove(path)
    else this.#try(family, (file) => file.trim())
  }

  remove(path: string): void {
    for (const [text, file] of this.#open) if (file.path === path) this.#close(text, file)
    removeTileFile(path)
  }

  close(): void {
    for (const [text, file] of this.#open) this.#close(text, file)
  }

  #requestedIn(path: string, family: TileFamily, limit: number): TileHits[] {
    let file: TileFile | undefined
    try {
      file = new TileFile(path)
      return file
        .mostRequested(limit)
        .map(({ tile, asked: requested }: CountedTile) => ({ key: { ...family, tile }, asked: requested }))
    } catch {
      return []
    } finally {
      file?.close()
    }
  }

  #isOld({ layerId, version }: TileFamily): boolean {
    return version < (this.#latest.get(layerId) ?? 0)
  }

  /** True if the disk has enough space to store tiles. */
  #hasRoom(): boolean {
    const now = performance.now()
    if (now < this.#restsUntil) return false
    if (now - this.#spaceCheckedAt < spaceCheckMs) return true
    this.#spaceCheckedAt = now
    const { bsize, bavail } = statfsSync(this.#options.root)
    if (bsize * bavail > spareBytes) return true
    this.#rest('the disk is nearly full: no tiles are kept', undefined)
    return false
  }

  #rest(what: string, error: unknown): void {
    this.#restsUntil = performance.now() + restMs
    this.#options.onProblem(what, error)
  }

  #try<Result>(
    family: TileFamily,
    work: (file: TileFile) => Result,
    metadata?: Record<string, string>,
  ): Result | undefined {
    let file: TileFile | undefined
    try {
      file = this.#fileOf(family, metadata)
      return file === undefined ? undefined : work(file)
    } catch (error) {
      this.#fail(family, file, error)
      return undefined
    }
  }

  #fail(family: TileFamily, file: TileFile | undefined, error: unknown): void {
    if (file !== undefined) this.#close(familyText(family), file)
    const code = codeOf(error)
    const path = file?.path ?? this.#findPath(family)
    const isDamaged = error instanceof DamagedFile || sqliteDamaged.includes(code) || code === sqliteUnlike
    if (isDamaged && path !== undefined) {
      removeTileFile(path)
      this.#options.onProblem('a file of kept tiles was damaged and is made anew', error)
    } else this.#rest('tiles cannot be kept for now', error)
  }

  /** If `metadata` is given, creates a missing file. */
  #fileOf(family: TileFamily, metadata: Record<string, string> | undefined): TileFile | undefined {
    const text = familyText(family)
    const open = this.#open.get(text)
    if (open !== undefined && (metadata === undefined || existsSync(open.path))) return open
    if (open !== undefined) this.#close(text, open)
    if (metadata === undefined && (this.#missing.get(text) ?? 0) > performance.now()) return undefined
    const path =
      this.#findPath(family) ?? (metadata === undefined ? undefined : this.#create(family, metadata))
    if (path === undefined) {
      if (this.#missing.size >= 10_000) this.#missing.clear()
      this.#missing.set(text, performance.now() + recheckMs)
      return undefined
    }
    this.#missing.delete(text)
    const file = new TileFile(path)
    this.#open.set(text, file)
    const [oldest] = this.#open
    if (this.#open.size > maxOpen && oldest !== undefined) this.#close(...oldest)
    return file
  }

  #findPath(family: TileFamily): string | undefined {
    const prefix = `${familyName(family)}-`
    return tileFilesOf(this.#options.root, family.layerId)
      .filter((path) => basename(path).startsWith(prefix))
      .sort()[0]
  }

  /**
   * File names are never reused: a process that has a deleted file open must not find another one under its
   * name.
   */
  #create(family: TileFamily, metadata: Record<string, string>): string {
    const folder = join(this.#options.root, String(family.layerId))
    mkdirSync(folder, { recursive: true, mode: 0o750 })
    const files = tileFilesOf(this.#options.root, family.layerId)
    if (files.length >= maxVariants) this.remove(leastUsed(files))
    const path = join(folder, `${familyName(family)}-${randomBytes(6).toString('hex')}.mbtiles`)
    createTileFile(path, family, metadata)
    return path
  }

  #close(text: string, file: TileFile): void {
    this.#open.delete(text)
    try {
      file.close()
    } catch (error) {
      this.#options.onProblem('a file of kept tiles was not closed', error)
    }
  }
}

function leastUsed(paths: readonly string[]): string {
  const filesByUse = paths
    .map((path) => ({ path, usedMs: usedMsOf(path) }))
    .sort((a, b) => a.usedMs - b.usedMs)
  return filesByUse[0]?.path ?? ''
}

function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
  return code & 0xff
}

/** The same tile may have been requested in several older versions. */
function mostRequested(tileHits: readonly TileHits[], limit: number): TileHits[] {
  const sums = new Map<string, TileHits>()
  for (const one of tileHits) {
    const { z, x, y }: TileAddress = one.key.tile
    const text = `${z}/${x}/${y}/${familyText(one.key)}`
    sums.set(text, { key: one.key, asked: one.asked + (sums.get(text)?.asked ?? 0) })
  }
  return [...sums.values()].sort((a, b) => b.asked - a.asked).slice(0, limit)
}
