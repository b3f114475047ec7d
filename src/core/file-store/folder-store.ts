import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileMissing, localFailure } from './failures.ts'
import type { FileRange, FileStore, GdalPath, LocalFile, PutOptions, StoredObject } from './file-store.ts'
import { requireKey, requireKeyPrefix } from './file-store.ts'

/** Suffix of files that are being written; keys never have it. */
const unfinishedEnding = '.part~'

/** Stores files in a folder, which several servers may share. */
export class FolderStore implements FileStore {
  readonly kind = 'folder'
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    { signal }: PutOptions = {},
  ): Promise<{ sizeBytes: number }> {
    const path = this.#path(key)
    const unfinished = `${path}.${randomBytes(6).toString('hex')}${unfinishedEnding}`
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o750 })
      const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o640, flush: true })
      await pipeline(Readable.from(source, { objectMode: false }), file, { signal })
      const { size } = await stat(unfinished)
      await rename(unfinished, path)
      return { sizeBytes: size }
    } catch (error) {
      await rm(unfinished, { force: true })
      signal?.throwIfAborted()
      throw localFailure(error)
    }
  }

  async get(
    key: string,
    { range, signal }: { range?: FileRange; signal?: AbortSignal } = {},
  ): Promise<Readable> {
    signal?.throwIfAborted()
    const handle = await open(this.#path(key)).catch((error: unknown) => {
      throw missing(error)
    })
    return handle.createReadStream({ ...range, signal })
  }

  async findSize(key: string): Promise<number | undefined> {
    const found = await stat(this.#path(key)).catch(() => undefined)
    return found?.isFile() === true ? found.size : undefined
  }

  async localPath(key: string): Promise<LocalFile> {
    const path = this.#path(key)
    await stat(path).catch((error: unknown) => {
      throw missing(error)
    })
    return { path, release: () => undefined }
  }

  gdalPath(key: string): GdalPath {
    return { path: this.#path(key), env: {} }
  }

  signedUrl(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    requireKeyPrefix(prefix)
    const folder = join(this.#root, prefix.slice(0, prefix.lastIndexOf('/') + 1))
    for await (const path of filesBelow(folder)) {
      const key = relative(this.#root, path).split(sep).join('/')
      if (!key.startsWith(prefix) || key.endsWith(unfinishedEnding)) continue
      const sizeBytes = await this.findSize(key)
      if (sizeBytes !== undefined) yield { key, sizeBytes }
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(this.#path(key), { force: true })
  }

  async check(): Promise<void> {
    const key = `check-${randomBytes(8).toString('hex')}`
    await this.put(key, Readable.from([Buffer.from('terrane')], { objectMode: false }))
    await this.remove([key])
  }

  close(): void {}

  #path(key: string): string {
    return join(this.#root, requireKey(key))
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

function missing(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? fileMissing(error) : error
}

/** Streams a local file. */
export function readLocal(path: string): Readable {
  return createReadStream(path, { highWaterMark: 1 << 20 })
}
