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

/**
 * Local copies of whole folders of stored files. A file counts as current if its size and its modification time
 * are those of the row, as with rsync.
 */
export class Mirror {
  readonly #files: StoredFiles
  readonly #scratch: Scratch
  /** Names of local files that equal a stored one, by path of the folder: others may be new. */
  readonly #known = new Map<string, Set<string>>()

  constructor(files: StoredFiles, scratch: Scratch) {
    this.#files = files
    this.#scratch = scratch
  }

  /**
   * Makes the local folder equal the stored files and keeps it until `release`. Local files that were never stored
   * stay. Throws `Failure`: `files-unavailable`, `file-missing`, `scratch-full`, `disk-full`.
   */
  async hold(mirrored: MirroredFolder, signal?: AbortSignal): Promise<HeldFolder> {
    const { folder, path } = mirrored
    const entry = this.#scratch.enter(path)
    try {
      const stored = await this.#files.list(folder)
      await entry.resize(stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
      const known = this.#knownIn(path)
      const names = new Set(stored.map(({ name }) => name))
      for (const name of [...known].filter((one) => !names.has(one))) {
        await rm(join(path, name), { force: true })
        known.delete(name)
      }
      await inParallel(stored, async (file) => {
        signal?.throwIfAborted()
        if (!(await isCurrent(join(path, file.name), file)))
          await this.#fetch(join(path, file.name), file, signal)
        known.add(file.name)
      })
      return { push: (pushSignal) => this.#push(mirrored, entry, pushSignal), release: entry.release }
    } catch (error) {
      entry.release()
      throw localFailure(error)
    }
  }

  async #push(
    { folder, path }: MirroredFolder,
    entry: ScratchEntry,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stored = new Map((await this.#files.list(folder)).map((file) => [file.name, file]))
    const known = this.#knownIn(path)
    const names = await filesBelow(path)
    await inParallel(names, async (name) => {
      signal?.throwIfAborted()
      const file = stored.get(name)
      stored.delete(name)
      const isStored = file !== undefined && (await isCurrent(join(path, name), file))
      if (!isStored) await this.#store(folder, path, name, signal)
      known.add(name)
    })
    for (const name of stored.keys()) {
      if (!known.delete(name)) continue
      await this.#files.remove(folder, name)
    }
    const rest = await this.#files.list(folder)
    await entry.resize(rest.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  }

  /** Removes the stored files and the local copy. */
  async remove({ folder, path }: MirroredFolder): Promise<void> {
    this.#known.delete(path)
    await this.#files.remove(folder)
    await this.#scratch.drop(path)
  }

  #knownIn(path: string): Set<string> {
    const known = this.#known.get(path) ?? new Set<string>()
    this.#known.set(path, known)
    return known
  }

  async #store(folder: string, path: string, name: string, signal: AbortSignal | undefined): Promise<void> {
    const local = join(path, name)
    const { mtimeMs } = await stat(local)
    await this.#files.write({ folder, name, modifiedMs: mtimeMs }, readLocal(local), signal)
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

async function isCurrent(path: string, { sizeBytes, modifiedMs }: StoredFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.size === sizeBytes && Math.abs(Math.floor(found.mtimeMs) - modifiedMs) <= 1
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
