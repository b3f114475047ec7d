import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fontName, quoted } from '../../cartography/mapserver/map-text.ts'
import { safeConfig } from '../../formats/gdal/safe-gdal.ts'
import { digestOf } from './map-file.ts'

const mostKept = 1000
/**
 * Options of GDAL. A program that is asked by FastCGI has the variables of the request alone while it answers one, so that none
 * of its environment counts. Nothing that is drawn asks for functions of SpatiaLite, which take a millisecond each time that a
 * GeoPackage is opened.
 */
const options = { ...safeConfig, SPATIALITE_LOAD: 'NO' }
const font = join(import.meta.dirname, '..', 'pictures', 'fonts', 'DejaVuSans.ttf')

/** Files that MapServer reads: written once for what stands in them, the oldest removed; nobody but the server may read them. */
export class KeptMapFiles {
  readonly folder: string
  /** By name, the one that was used last at the end. */
  readonly #kept = new Map<string, Promise<string>>()
  #prepared: Promise<void> | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** Which map files a process reads. */
  get configuration(): string {
    return join(this.folder, 'mapserver.conf')
  }

  /** Empties the folder of what an earlier process has left. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare()
    return this.#prepared
  }

  /** The path of a file with this text. */
  async keep(text: string, ending: 'map' | 'pgpass'): Promise<string> {
    await this.prepare()
    const name = `${digestOf(text)}.${ending}`
    const known = this.#kept.get(name)
    this.#kept.delete(name)
    const path = known ?? this.#write(name, text)
    this.#kept.set(name, path)
    path.catch(() => this.#kept.delete(name))
    this.#removeOld()
    return path
  }

  async #prepare(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await writeFile(join(this.folder, 'fonts.txt'), `${fontName} ${font}\n`)
    const pattern = `^${this.folder.replace(/[.*+?^$|()[\]{}\\]/g, '\\$&')}/[0-9a-f]{32}\\.map$`
    const lines = Object.entries({ ...options, MS_MAP_PATTERN: pattern }).map(
      ([name, value]) => `${name} ${quoted(value)}\n`,
    )
    await writeFile(this.configuration, `CONFIG\nENV\n${lines.join('')}END\nEND\n`)
  }

  async #write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name)
    const part = join(this.folder, `${randomUUID()}.part`)
    await writeFile(part, text, { mode: 0o600 })
    await rename(part, path)
    return path
  }

  #removeOld(): void {
    for (const [name] of this.#kept) {
      if (this.#kept.size <= mostKept) return
      this.#kept.delete(name)
      void unlink(join(this.folder, name)).catch(() => undefined)
    }
  }
}
