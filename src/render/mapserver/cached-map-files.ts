import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { findFullDisk } from '../../core/files/full-disk.ts'
import { safeConfig } from '../../formats/index.ts'
import { fontName, quoteMapText } from '../../styles/index.ts'
import { digestMapFile } from './map-file.ts'

const mostKept = 1000
/**
 * GDAL options. During a FastCGI request the process has only the request's variables, so its environment
 * does not count. No drawing needs SpatiaLite functions, which take a millisecond each time a GeoPackage is
 * opened.
 */
const options = { ...safeConfig, SPATIALITE_LOAD: 'NO' }
const font = join(import.meta.dirname, '..', 'pictures', 'fonts', 'DejaVuSans.ttf')

/**
 * Files that MapServer reads: written once per content, the oldest deleted; only the server may read them. If
 * the data directory's disk is full, they are written to the temporary folder, so that maps are still drawn.
 */
export class CachedMapFiles {
  readonly #usual: string
  readonly #spare: string
  /** The folder of the configuration and of the sockets. */
  #folder: string
  /** Path of each file by its name. */
  readonly #kept = new PromiseCache<string, string>({ limit: mostKept, onRemoved: unlink })
  #prepared: Promise<void> | undefined

  constructor(folder: string) {
    this.#usual = folder
    this.#folder = folder
    this.#spare = join(tmpdir(), `terrane-map-files-${randomUUID()}`)
  }

  get folder(): string {
    return this.#folder
  }

  /** Configuration file of the processes. */
  get configuration(): string {
    return join(this.#folder, 'mapserver.conf')
  }

  /** Empties the folder of what an earlier process has left. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** The path of a file with this text. */
  async keep(text: string, ending: 'map' | 'pgpass'): Promise<string> {
    await this.prepare()
    const name = `${digestMapFile(text)}.${ending}`
    return this.#kept.get(name, () => this.#write(name, text))
  }

  /** Deletes the files in the temporary folder. */
  async close(): Promise<void> {
    await rm(this.#spare, { recursive: true, force: true })
  }

  async #prepare(): Promise<void> {
    await rm(this.#usual, { recursive: true, force: true })
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
