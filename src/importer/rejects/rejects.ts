import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, notFound } from '../../core/errors/errors.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { TaskRecord } from '../model/model.ts'
import { sourceSchema } from '../model/model.ts'
import { rejectsPath } from '../records/records.ts'
import type { RejectListForm } from './list-rejects.ts'
import type { RejectWork } from './reject-work.ts'
import type { RejectFile } from './write-rejects.ts'

interface RejectDeps {
  folders: { rejects: string }
  silenceMs: number
  /** Called when a thread died, or was terminated. */
  onEnd(error: Error): void
}

/** A file created for one download; call `remove` after sending it. */
export interface GeneratedRejectFile extends RejectFile {
  remove(): Promise<void>
}

/** Subfolder for created files; no import has this name. */
const madeFolder = 'files'
/** Maximum duration of one download. */
const longestFetchMs = 24 * 3600_000
const file = new URL('./reject-work.ts', import.meta.url)
/** Maximum number of concurrent lists; most of the time they wait for their clients. */
const listsAtOnce = 16
const filesAtOnce = 2
const maxQueued = 100

/** Rejected rows of loads, for download. They are read by separate threads, which do not wait for loads. */
export class RejectedRows {
  readonly #deps: RejectDeps
  readonly #lists: WorkPool<RejectWork>
  readonly #files: WorkPool<RejectWork>

  constructor(deps: RejectDeps) {
    this.#deps = deps
    const { onEnd } = deps
    const maxWaiting = { count: maxQueued, refuse: tooBusy }
    const start = (events: { onEnd?(error: Error): void }) => startThread<RejectWork>(file, events)
    this.#lists = new WorkPool({ start, limit: 1, share: listsAtOnce, maxWaiting, onEnd })
    this.#files = new WorkPool({ start, limit: filesAtOnce, ownerLimit: filesAtOnce - 1, maxWaiting, onEnd })
  }

  /** Yields the rejected rows of a task's load in pieces; ends when the reader leaves. */
  list(
    { importId, id, rejectsNumber }: TaskRecord,
    form: RejectListForm,
    signal: AbortSignal,
    limit?: number,
  ): AsyncGenerator<Uint8Array> {
    const path = rejectsPath(this.#deps.folders, importId, id, rejectsNumber)
    return this.#lists.stream('list', { path, form, limit }, { signal, silenceMs: this.#deps.silenceMs })
  }

  /**
   * Writes the rejected rows of a task to a file in the format of their source, or in another format with the
   * reason.
   */
  async write(task: TaskRecord, signal: AbortSignal): Promise<GeneratedRejectFile> {
    const { importId, id, rejectsNumber, source, format, layer, charset } = task
    if (source === undefined || source.raster !== undefined)
      throw notFound('no-rejects', `Task ${id} has no rows, so none were rejected`)
    const { folders, silenceMs } = this.#deps
    const folder = join(folders.rejects, madeFolder, randomUUID())
    const request = {
      path: rejectsPath(folders, importId, id, rejectsNumber),
      schema: sourceSchema(task),
      folder,
      name: `${layer?.name ?? 'rows'}_rejects`,
      format,
      delimiter: source.delimiter,
      charset: charset ?? source.charset,
    }
    const made = await this.#files.call('write', request, { signal, silenceMs })
    return { ...made, remove: () => rm(folder, { recursive: true, force: true }) }
  }

  /** Removes files left by a crashed server. */
  async sweep(nowMs: number): Promise<void> {
    const folder = join(this.#deps.folders.rejects, madeFolder)
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const status = await stat(path).catch(() => undefined)
      if (status !== undefined && nowMs - status.mtimeMs > longestFetchMs)
        await rm(path, { recursive: true, force: true })
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#lists.close(), this.#files.close()])
  }
}

function tooBusy(): Failure {
  const text = 'Too many requests are reading rejected rows: try again soon'
  return new Failure('unavailable', 'too-busy', text, { retryAfterSeconds: 5 })
}
