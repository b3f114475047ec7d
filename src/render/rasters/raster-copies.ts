import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { SingleFlight } from '../../core/concurrency/single-flight.ts'
import { Failure } from '../../core/errors/errors.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { CopyLimits, CopyNotes } from './make-copy.ts'
import { makeCopy, notesFile } from './make-copy.ts'
import type { DrawnRasterSource, RasterFile } from './raster-source.ts'

/** Number of copies made at the same time; one per layer. */
const atATime = 2
const maxWaiting = 2000
/** Time for which a failed copy is not retried: for a fault of the data, and for a temporary one. */
const badDataMs = 600_000
const passingMs = 30_000
const retryAfterSeconds = 5
/** Age below which files of another server are left alone. */
const partAgeMs = 3_600_000

/** A copy of a raster aligned to the cells of Web Mercator. */
export interface RasterCopy {
  /** Files of the copy: two if the raster crosses the antimeridian. */
  files: RasterFile[]
  palette?: [number, number, number, number][]
}

interface Trouble {
  error: unknown
  until: number
}

interface RasterCopiesDeps {
  /** `<data>/maps`: one folder per layer, by its id. */
  folder: string
  limits: CopyLimits
  /** True if no other server uses the same folder. */
  isAlone: boolean
}

/** Returns a key for the current state of a file. */
function keyOf({ path, state }: RasterFile): string {
  return createHash('sha256')
    .update(JSON.stringify([path, state]))
    .digest('hex')
    .slice(0, 24)
}

/**
 * Copies of rasters aligned to the cells of Web Mercator, created once by GDAL and stored next to the data
 * until the raster changes or its layer is deleted.
 */
export class RasterCopies {
  readonly #deps: RasterCopiesDeps
  readonly #queue = new WorkQueue({ limit: atATime, maxWaiting: { count: maxWaiting, refuse: tooMany } })
  readonly #making = new SingleFlight<string, RasterCopy>()
  readonly #made = new Map<string, RasterCopy>()
  readonly #troubles = new Map<string, Trouble>()
  readonly #ending = new AbortController()

  constructor(deps: RasterCopiesDeps) {
    this.#deps = deps
  }

  /**
   * Returns the copy of a raster. A missing copy is made in the background, even if the caller leaves; the
   * caller waits until its signal aborts. Throws `Failure` with the reason if a copy is impossible.
   */
  async get(layerId: number, source: DrawnRasterSource, signal: AbortSignal): Promise<RasterCopy> {
    const key = keyOf(source.file)
    const known = (await this.#stillThere(key)) ?? (await this.#find(layerId, key))
    if (known !== undefined) return known
    const trouble = this.#troubles.get(key)
    if (trouble !== undefined && performance.now() < trouble.until) throw trouble.error
    return orAborted(
      this.#making.run(key, () => this.#begin(layerId, key, source)),
      signal,
    )
  }

  /** True if a layer has copies. */
  async has(layerId: number): Promise<boolean> {
    return (await readdir(this.#folderOf(layerId)).catch(() => [])).length > 0
  }

  /** Removes copies of a layer except those of these files. */
  async prune(layerId: number, files: readonly RasterFile[]): Promise<void> {
    const requested = new Set(files.map(keyOf))
    const folder = this.#folderOf(layerId)
    for (const name of await readdir(folder).catch(() => [])) {
      const key = name.replace(/\..*$/, '')
      if (requested.has(key) || this.#making.has(key)) continue
      this.#made.delete(key)
      await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  /** Removes files left by killed servers, and copies of deleted layers. */
  async sweep(listLayerIds: () => Promise<readonly number[]>): Promise<void> {
    const names = await readdir(this.#deps.folder).catch(() => [])
    const ids = new Set((await listLayerIds()).map(String))
    for (const name of names.filter((one) => /^\d+$/.test(one))) {
      const folder = this.#folderOf(Number(name))
      if (!ids.has(name)) await rm(folder, { recursive: true, force: true })
      else await this.#removeParts(folder)
    }
  }

  /** Aborts copies in progress. */
  async close(): Promise<void> {
    const closed = new Error('The server stops')
    this.#ending.abort(closed)
    this.#queue.close(closed)
    await this.#making.settled()
  }

  async #removeParts(folder: string): Promise<void> {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.includes('.part-') || this.#making.has(name.replace(/\..*$/, ''))) continue
      const path = join(folder, name)
      const ageMs = Date.now() - (await newestTime(path))
      if (this.#deps.isAlone || ageMs > partAgeMs) await rm(path, { recursive: true, force: true })
    }
  }

  #folderOf(layerId: number): string {
    return join(this.#deps.folder, String(layerId), 'rasters')
  }

  /** An operator may delete copies to free space. */
  async #stillThere(key: string): Promise<RasterCopy | undefined> {
    const made = this.#made.get(key)
    if (made === undefined) return undefined
    const found = await Promise.all(made.files.map(({ path }) => stat(path).catch(() => undefined)))
    return found.every((one) => one !== undefined) ? made : undefined
  }

  async #find(layerId: number, key: string): Promise<RasterCopy | undefined> {
    const folder = join(this.#folderOf(layerId), key)
    const text = await readFile(join(folder, notesFile), 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    const { files, palette } = JSON.parse(text) as CopyNotes
    const copy: RasterCopy = {
      files: files.map((name) => ({ path: join(folder, name), state: key })),
      palette: palette === undefined ? undefined : (palette as RasterCopy['palette'] & object),
    }
    this.#made.set(key, copy)
    return copy
  }

  async #begin(layerId: number, key: string, source: DrawnRasterSource): Promise<RasterCopy> {
    const { signal } = this.#ending
    try {
      return await this.#queue.run(() => this.#make(layerId, key, source), { key: String(layerId), signal })
    } catch (error) {
      const isBad = error instanceof Failure && error.kind === 'notFound'
      this.#troubles.set(key, { error, until: performance.now() + (isBad ? badDataMs : passingMs) })
      throw error
    }
  }

  async #make(layerId: number, key: string, source: DrawnRasterSource): Promise<RasterCopy> {
    const { limits } = this.#deps
    const folder = this.#folderOf(layerId)
    const part = join(folder, `${key}.part-${process.pid}`)
    await rm(part, { recursive: true, force: true })
    await mkdir(part, { recursive: true })
    try {
      await makeCopy(source, part, { limits, signal: this.#ending.signal })
      await rename(part, join(folder, key)).catch(async (error: NodeJS.ErrnoException) => {
        // Another server has created the same copy meanwhile.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      })
    } finally {
      await rm(part, { recursive: true, force: true })
    }
    const made = await this.#find(layerId, key)
    if (made === undefined) throw new Error(`The copy ${key} is not there after it was made`)
    return made
  }
}

function tooMany(): Failure {
  return new Failure(
    'tooMany',
    'too-many-copies',
    'Too many rasters are being made ready for tiles: try again later',
    { retryAfterSeconds },
  )
}

/** The error for a request whose copy is not ready within the time limit. */
export function beingMade(): Failure {
  return new Failure(
    'unavailable',
    'tiles-being-made',
    'The raster is being brought to web mercator for its first tiles: try again soon',
    { retryAfterSeconds },
  )
}

async function newestTime(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const times = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
