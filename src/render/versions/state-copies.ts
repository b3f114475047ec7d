import type { Dirent } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { SingleFlight } from '../../core/concurrency/single-flight.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { StateCopyHandlers, StateCopyRequest } from './copy-work.ts'

interface StateCopiesDeps {
  /** Parent of the folders of copies. */
  root: string
  /** Maximum size of all copies; the least recently used are deleted. */
  maxBytes: number
}

const fileName = 'rows.gpkg'
const folderName = /^version-(\d+)$/
const limits = { silenceMs: 120_000, deadlineMs: 6 * 3_600_000 }
const maxHeapMb = 1024

/** Copies of retained contents by content id. Their contents never change. */
export class StateCopies {
  readonly #deps: StateCopiesDeps
  readonly #making = new SingleFlight<number, string>()
  readonly #closing = new AbortController()
  readonly #pool = new WorkPool<StateCopyHandlers>({
    start: (options) => startProcess(new URL('./copy-work.ts', import.meta.url), { ...options, maxHeapMb }),
    limit: 1,
  })

  constructor(deps: StateCopiesDeps) {
    this.#deps = deps
  }

  /** Returns the file of the copy; creates it if missing. */
  of(contentId: number, request: () => Promise<Omit<StateCopyRequest, 'file'>>): Promise<string> {
    return this.#making.run(contentId, () => this.#find(contentId, request))
  }

  /**
   * Deletes copies whose contents are not in `kept`, which is called after listing the folders, and copies
   * beyond the size limit.
   */
  async sweep(kept: () => Promise<ReadonlySet<number>>): Promise<void> {
    const folders = await this.#folders()
    const requested = await kept()
    const found: { folder: string; sizeBytes: number; usedMs: number }[] = []
    for (const { id, folder } of folders) {
      if (this.#making.has(id)) continue
      const file = await stat(join(folder, fileName)).catch(() => undefined)
      if (file === undefined || !requested.has(id)) await rm(folder, { recursive: true, force: true })
      else found.push({ folder, sizeBytes: file.size, usedMs: file.atimeMs })
    }
    let sizeBytes = found.reduce((sum, one) => sum + one.sizeBytes, 0)
    for (const one of found.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (sizeBytes <= this.#deps.maxBytes) break
      await rm(one.folder, { recursive: true, force: true })
      sizeBytes -= one.sizeBytes
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server stops'))
    await this.#pool.close()
  }

  async #find(contentId: number, request: () => Promise<Omit<StateCopyRequest, 'file'>>): Promise<string> {
    const folder = join(this.#deps.root, `version-${contentId}`)
    const file = join(folder, fileName)
    const known = await stat(file).catch(() => undefined)
    if (known !== undefined) {
      await utimes(file, new Date(), known.mtime).catch(() => undefined)
      return file
    }
    await mkdir(folder, { recursive: true })
    const part = join(folder, `${process.pid}.part.gpkg`)
    const { signal } = this.#closing
    try {
      const call = { ...limits, signal, onNotice: () => undefined }
      await this.#pool.call('make', { ...(await request()), file: part }, call)
      await rename(part, file)
      return file
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  async #folders(): Promise<{ id: number; folder: string }[]> {
    const entries = await readdir(this.#deps.root, { withFileTypes: true }).catch((): Dirent[] => [])
    return entries.flatMap(({ name }) => {
      const [, id] = folderName.exec(name) ?? []
      return id === undefined ? [] : [{ id: Number(id), folder: join(this.#deps.root, name) }]
    })
  }
}
