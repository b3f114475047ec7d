import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { findFullDisk } from '../../core/files/full-disk.ts'
import { safeConfig } from '../../formats/index.ts'
import { fontName, quoteMapText } from '../../styles/index.ts'
import { digestMapFile } from './map-file.ts'

const maxKept = 1000
/** A folder of a server on another host that has not been used for this long is removed, in milliseconds. */
const abandonedMs = 7 * 86_400_000
/** A server marks its folder as used after this time, in milliseconds. */
const markMs = 3_600_000
/**
 * GDAL options. During a FastCGI request the process has only the request's variables, so its environment
 * does not count. No drawing needs SpatiaLite functions, which take a millisecond each time a GeoPackage is
 * opened.
 */
const options = { ...safeConfig, SPATIALITE_LOAD: 'NO' }
/** Short digest of the host name: socket paths are limited to 107 bytes. */
const thisHost = createHash('sha256').update(hostname()).digest('hex').slice(0, 6)
const font = join(import.meta.dirname, '..', 'pictures', 'fonts', 'DejaVuSans.ttf')

/**
 * Files that MapServer reads: written once per content, the oldest are deleted, and only the user of the
 * server may read them. Each server has its own folder in a shared data directory. If the disk of the data
 * directory is full, files are written to the temporary folder, so that maps can still be drawn.
 */
export class CachedMapFiles {
  /** Parent of the folders of all servers. */
  readonly #shared: string
  readonly #usual: string
  readonly #spare: string
  /** The folder of the configuration and of the sockets. */
  #folder: string
  /** Path of each file by its name. */
  #kept = newCache()
  #prepared: Promise<void> | undefined

  #markedAt = Date.now()

  constructor(folder: string) {
    this.#shared = folder
    this.#usual = join(folder, `${randomUUID().slice(0, 6)}-${process.pid}-${thisHost}`)
    this.#folder = this.#usual
    this.#spare = join(tmpdir(), `terrane-map-files-${randomUUID()}`)
  }

  get folder(): string {
    return this.#folder
  }

  /** Configuration file of the processes. */
  get configuration(): string {
    return join(this.#folder, 'mapserver.conf')
  }

  /** Creates the folder, and removes those of processes that have ended. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** Returns the path of a file with this text. */
  async keep(text: string, ending: 'map' | 'pgpass'): Promise<string> {
    await this.#mark()
    await this.prepare()
    const name = `${digestMapFile(text)}.${ending}`
    return this.#kept.get(name, () => this.#write(name, text))
  }

  /** Deletes the files. */
  async close(): Promise<void> {
    await rm(this.#usual, { recursive: true, force: true })
    await rm(this.#spare, { recursive: true, force: true })
  }

  /** Marks the folder as used. If another server has removed it, it is created again. */
  async #mark(): Promise<void> {
    const now = Date.now()
    if (this.#prepared === undefined || now - this.#markedAt < markMs) return
    this.#markedAt = now
    try {
      await utimes(this.#folder, new Date(now), new Date(now))
    } catch {
      this.#prepared = undefined
      this.#kept = newCache()
    }
  }

  async #removeAbandoned(): Promise<void> {
    const names = await readdir(this.#shared).catch(() => [])
    for (const name of names) {
      const path = join(this.#shared, name)
      if (await isAbandoned(path, name)) await rm(path, { recursive: true, force: true })
    }
  }

  async #prepare(): Promise<void> {
    await this.#removeAbandoned()
    this.#folder = await this.#writeWhereRoomIs(async (folder) => {
      await writeFile(join(folder, 'fonts.txt'), `${fontName} ${font}\n`)
      const folders = [this.#usual, this.#spare].map((one) => one.replace(/[.*+?^$|()[\]{}\\]/g, '\\$&'))
      const pattern = `^(${folders.join('|')})/[0-9a-f]{32}\\.map$`
      const lines = Object.entries({ ...options, MS_MAP_PATTERN: pattern }).map(
        ([name, value]) => `${name} ${quoteMapText(value)}\n`,
      )
      await writeFile(join(folder, 'mapserver.conf'), `CONFIG\nENV\n${lines.join('')}END\nEND\n`)
      return folder
    })
  }

  #write(name: string, text: string): Promise<string> {
    return this.#writeWhereRoomIs(async (folder) => {
      const path = join(folder, name)
      const part = join(folder, `${randomUUID()}.part`)
      try {
        await writeFile(part, text, { mode: 0o600 })
        await rename(part, path)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
      return path
    })
  }

  /** Writes to the usual folder, or to the temporary one if that disk is full; throws the first error. */
  async #writeWhereRoomIs<T>(write: (folder: string) => Promise<T>): Promise<T> {
    const writeIn = async (folder: string): Promise<T> => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return write(folder)
    }
    try {
      return await writeIn(this.#usual)
    } catch (error) {
      if (findFullDisk(error) === undefined) throw error
      return writeIn(this.#spare).catch(() => {
        throw error
      })
    }
  }
}

function newCache(): PromiseCache<string, string> {
  return new PromiseCache<string, string>({ limit: maxKept, onRemoved: unlink })
}

/** True if no process uses an entry of the shared folder, as far as this host knows. */
async function isAbandoned(path: string, name: string): Promise<boolean> {
  const [, pid, host] = /^[0-9a-f]{6}-(\d+)-([0-9a-f]{6})$/.exec(name) ?? []
  if (host === thisHost && !isRunning(Number(pid))) return true
  // Entries of other hosts, and of earlier versions that had one folder for all servers.
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > abandonedMs
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
