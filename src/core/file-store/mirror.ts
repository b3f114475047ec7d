import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileMissing, localFailure } from './failures.ts'
import { readLocal } from './folder-store.ts'
import type { Scratch, ScratchEntry } from './scratch.ts'
import type { StoredFile, StoredFiles } from './stored-files.ts'

/** A folder of stored files and its local copy. */
export interface MirroredFolder {
  /** Folder of the stored files, such as `imports/7`. */
  folder: string
  /** Its local path, in the scratch folder. */
  path: string
}

/** A local folder that equals the stored files until it is released. */
export interface HeldFolder {
  /** Stores local files that are new or changed, and removes stored files that were removed here. */
  push(signal?: AbortSignal): Promise<void>
  release(): void
}

const atOnce = 4

/** State of a local file when it was equal to the stored one. */
interface Synced {
  key: string
  sizeBytes: number
  mtimeMs: number
}

/**
 * Local copies of complete folders of stored files. A local file is stored again if its size or modification
 * time has changed since it was synchronized. A file that another server has changed meanwhile is not
 * overwritten by an older local copy.
 */
export class Mirror {
  readonly #files: StoredFiles
  readonly #scratch: Scratch
  /** Synchronized files by folder path and name. */
  readonly #synced = new Map<string, Map<string, Synced>>()

  constructor(files: StoredFiles, scratch: Scratch) {
    this.#files = files
    this.#scratch = scratch
  }

  /**
   * Synchronizes the local folder with the stored files and retains it until `release`. Local files that were
   * never stored are not removed. Throws `Failure`: `files-unavailable`, `file-missing`, `scratch-full`,
   * `disk-full`.
   */
  async hold(mirrored: MirroredFolder, signal?: AbortSignal): Promise<HeldFolder> {
    const { folder, path } = mirrored
    const entry = this.#scratch.enter(path)
    try {
      const stored = await this.#files.list(folder)
      await entry.resize(sizeOf(stored))
      const synced = this.#syncedIn(path)
      const names = new Set(stored.map(({ name }) => name))
      for (const name of [...synced.keys()].filter((one) => !names.has(one))) {
        await rm(join(path, name), { force: true })
        synced.delete(name)
      }
      await inParallel(stored, (file) => this.#pull(path, file, signal))
      return { push: (pushSignal) => this.#push(mirrored, entry, pushSignal), release: entry.release }
    } catch (error) {
      entry.release()
      throw localFailure(error)
    }
  }

  /** Removes the stored files and the local copy. */
  async remove({ folder, path }: MirroredFolder): Promise<void> {
    this.#synced.delete(path)
    await this.#files.remove(folder)
    await this.#scratch.drop(path)
  }

  async #pull(path: string, file: StoredFile, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const synced = this.#syncedIn(path)
    const local = join(path, file.name)
    const isCurrent =
      synced.get(file.name)?.key === file.key && (await isUnchanged(local, synced.get(file.name)))
    if (!isCurrent) await this.#fetch(local, file, signal)
    synced.set(file.name, { key: file.key, ...(await stateOf(local)) })
  }

  async #push(
    { folder, path }: MirroredFolder,
    entry: ScratchEntry,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const synced = this.#syncedIn(path)
    const names = await filesBelow(path)
    await inParallel(names, async (name) => {
      signal?.throwIfAborted()
      const local = join(path, name)
      if (await isUnchanged(local, synced.get(name))) return
      const state = await stateOf(local)
      const file = { folder, name, modifiedMs: state.mtimeMs }
      const { key } = await this.#files.write(file, readLocal(local), signal)
      synced.set(name, { key, ...state })
    })
    const present = new Set(names)
    for (const [name, { key }] of [...synced]) {
      if (present.has(name)) continue
      synced.delete(name)
      if ((await this.#files.find(folder, name))?.key === key) await this.#files.remove(folder, name)
    }
    await entry.resize(sizeOf(await this.#files.list(folder)))
  }

  #syncedIn(path: string): Map<string, Synced> {
    const synced = this.#synced.get(path) ?? new Map<string, Synced>()
    this.#synced.set(path, synced)
    return synced
  }

  async #fetch(
    path: string,
    { key, modifiedMs, sizeBytes }: StoredFile,
    signal?: AbortSignal,
  ): Promise<void> {
    const unfinished = `${path}.${randomBytes(6).toString('hex')}.part~`
    await mkdir(dirname(path), { recursive: true, mode: 0o750 })
    try {
      const source = await this.#files.store.get(key, { signal })
      await pipeline(source, createWriteStream(unfinished, { flags: 'wx', mode: 0o640 }), { signal })
      if ((await stat(unfinished)).size !== sizeBytes) throw fileMissing()
      await utimes(unfinished, modifiedMs / 1000, modifiedMs / 1000)
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
  }
}

function sizeOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

async function stateOf(path: string): Promise<Omit<Synced, 'key'>> {
  const { size, mtimeMs } = await stat(path)
  return { sizeBytes: size, mtimeMs }
}

async function isUnchanged(path: string, synced: Synced | undefined): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.size === synced?.sizeBytes && found.mtimeMs === synced.mtimeMs
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((): Dirent[] => [])
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part~'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items].values()
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
