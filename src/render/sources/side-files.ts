import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { LayerRecord } from '../../catalog/index.ts'
import type { OverviewHeader } from '../../tiles/generalize/overview.ts'
import { overviewHeaderBytes, readOverviewHeader } from '../../tiles/generalize/overview.ts'
import { directoryHeadBytes, readDirectoryHead } from '../../tiles/rows/row-directory.ts'

/** Files derived from data without a known version: one per layer, for the lifetime of this process. */
export class LooseFiles {
  readonly #files: SideFiles
  readonly #paths = new Map<number, string>()

  constructor(files: SideFiles) {
    this.#files = files
  }

  /** Replaces the previous file by a new one and deletes the old one. */
  async keep(layerId: number, path: string): Promise<string> {
    const older = this.#paths.get(layerId)
    this.#paths.set(layerId, path)
    if (older !== undefined) await this.#files.discard(older)
    return path
  }

  async close(): Promise<void> {
    for (const path of this.#paths.values()) await this.#files.discard(path)
  }
}

/** Kinds of derived files of a layer, by file extension. */
export type SideKind = 'overview' | 'copy.gpkg' | 'rows'

/** Identifies whether a layer's data equal those of the previous version. */
export type SideFileLayer = Pick<LayerRecord, 'id' | 'version' | 'versionCause'>

/** Minimum age of an unfinished file to be considered abandoned, in milliseconds. */
const abandonedMs = 3 * 3_600_000
const layerFolder = /^\d+$/
const sideFile = /^(\d+)\.(?:overview|copy\.gpkg|rows)(-wal|-shm|-journal)?$/
const unfinished = /\.(?:overview|copy\.gpkg|rows)\.[0-9a-f]{12}\.new(?:-wal|-shm|-journal)?$/

/** Files derived from layers, in a folder for each layer: `<layer id>/<version>.<kind>`. */
export class SideFiles {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  path(layerId: number, version: number, kind: SideKind): string {
    return join(this.#root, String(layerId), `${version}.${kind}`)
  }

  /** Returns a unique path for an unfinished file, next to its final path. */
  async newPath(layerId: number, version: number, kind: SideKind): Promise<string> {
    await mkdir(join(this.#root, String(layerId)), { recursive: true, mode: 0o750 })
    return `${this.path(layerId, version, kind)}.${randomBytes(6).toString('hex')}.new`
  }

  /** Moves a finished file to its final path, where another server may have put an equivalent one. */
  async settle(newPath: string, layerId: number, version: number, kind: SideKind): Promise<string> {
    const path = this.path(layerId, version, kind)
    await rename(newPath, path)
    await this.removeOlder(layerId, version)
    return path
  }

  /**
   * Returns the path of an existing file; undefined if there is none. An edit that changed only the layer's
   * version leaves its data: the file of the previous version is used for the new one.
   */
  async find(layer: SideFileLayer, version: number, kind: SideKind): Promise<string | undefined> {
    const path = this.path(layer.id, version, kind)
    if (await isThere(path)) return kind === 'rows' && !(await isRowFile(path)) ? undefined : path
    const isEdited = layer.version === version && ['edit', 'style'].includes(layer.versionCause)
    if (!isEdited) return undefined
    await link(this.path(layer.id, version - 1, kind), path).catch(() => undefined)
    return (await isThere(path)) ? path : undefined
  }

  /** Returns the size of all files of a kind, including unfinished ones. */
  async sizeOf(kind: SideKind): Promise<number> {
    let sizeBytes = 0
    for await (const { size } of this.#filesOf(kind)) sizeBytes += size
    return sizeBytes
  }

  /** Notes that a file is in use. */
  async touch(path: string): Promise<void> {
    const now = new Date()
    await utimes(path, now, now).catch(() => undefined)
  }

  /** Deletes the least recently used file of a kind, of a layer other than this one. */
  async removeOldest(kind: SideKind, layerId: number): Promise<void> {
    let oldest: { path: string; mtimeMs: number } | undefined
    for await (const file of this.#filesOf(kind)) {
      const isOther = file.folder !== String(layerId) && sideFile.test(basename(file.path))
      if (isOther && file.mtimeMs < (oldest?.mtimeMs ?? Number.POSITIVE_INFINITY)) oldest = file
    }
    if (oldest !== undefined) await this.discard(oldest.path)
  }

  async *#filesOf(
    kind: SideKind,
  ): AsyncGenerator<{ folder: string; path: string; size: number; mtimeMs: number }> {
    for (const folder of await readdir(this.#root).catch((): string[] => [])) {
      if (!layerFolder.test(folder)) continue
      for (const name of await readdir(join(this.#root, folder)).catch((): string[] => [])) {
        if (!name.includes(`.${kind}`)) continue
        const path = join(this.#root, folder, name)
        const status = await stat(path).catch(() => undefined)
        if (status !== undefined) yield { folder, path, size: status.size, mtimeMs: status.mtimeMs }
      }
    }
  }

  /** Deletes an unneeded file with SQLite's side files. */
  async discard(path: string): Promise<void> {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(path + suffix, { force: true })
  }

  /** Returns the header and path of a layer's overview; undefined if there is no usable one. */
  async findOverview(
    layer: SideFileLayer,
    version: number,
  ): Promise<{ path: string; header: OverviewHeader } | undefined> {
    const path = await this.find(layer, version, 'overview')
    if (path === undefined) return undefined
    try {
      await using file = await open(path, 'r')
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(overviewHeaderBytes),
        0,
        overviewHeaderBytes,
        0,
      )
      const header = readOverviewHeader(buffer.subarray(0, bytesRead))
      return header === undefined ? undefined : { path, header }
    } catch {
      return undefined
    }
  }

  /** Deletes a layer's files of earlier versions. */
  async removeOlder(layerId: number, version: number): Promise<void> {
    await this.#sweepLayer(String(layerId), (of) => of < version)
  }

  /**
   * Deletes files of missing layers, of versions other than the layer's, and unfinished files. Calls `layers`
   * after listing the folders, so that layers created meanwhile are included.
   */
  async sweep(layers: () => Promise<ReadonlyMap<number, number>>): Promise<void> {
    const entries = await readdir(this.#root, { withFileTypes: true }).catch((): Dirent[] => [])
    const folders = entries.filter((entry) => entry.isDirectory() && layerFolder.test(entry.name))
    const versions = await layers()
    for (const { name } of folders) {
      const version = versions.get(Number(name))
      await this.#sweepLayer(name, (of) => of !== version)
    }
  }

  async #sweepLayer(folder: string, isPast: (version: number) => boolean): Promise<void> {
    const names = await readdir(join(this.#root, folder)).catch((): string[] => [])
    for (const name of names) {
      const path = join(this.#root, folder, name)
      const [, version] = sideFile.exec(name) ?? []
      const isGone =
        version === undefined ? unfinished.test(name) && (await isOld(path)) : isPast(Number(version))
      if (isGone) await rm(path, { force: true })
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** True if a file has the present layout: earlier releases had another one. */
async function isRowFile(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(directoryHeadBytes), 0, directoryHeadBytes, 0)
    return readDirectoryHead(buffer.subarray(0, bytesRead)) !== undefined
  } catch {
    return false
  }
}

async function isOld(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => undefined)
  return status !== undefined && Date.now() - status.mtimeMs > abandonedMs
}
