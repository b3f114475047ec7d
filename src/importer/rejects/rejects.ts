import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '../../lib/defined.ts'
import { Failure, notFound } from '../../lib/errors.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import { WorkPool } from '../../lib/workers/work-pool.ts'
import type { TaskRecord } from '../model/model.ts'
import { sourceSchema } from '../model/model.ts'
import { rejectsPath } from '../records/records.ts'
import type { RejectListForm } from './list-rejects.ts'
import type { RejectWork } from './reject-work.ts'
import type { RejectFile } from './write-rejects.ts'

interface RejectNeeds {
  folders: { rejects: string }
  silenceMs: number
  /** A thread died, or was ended. */
  onEnd(error: Error): void
}

/** A file that was made for one who fetches it; `remove` it when it was sent. */
export interface MadeRejectFile extends RejectFile {
  remove(): Promise<void>
}

/** Files are made here: no import is called so. */
const madeFolder = 'files'
/** Nobody fetches one file for longer. */
const longestFetchMs = 24 * 3600_000
const file = new URL('./reject-work.ts', import.meta.url)
/** Lists wait for those who read them more than they work. */
const listsAtOnce = 16
const filesAtOnce = 2
const mostWaiting = 100

/** Rows that loads have rejected, for who fetches them: by threads of their own, which wait for no load. */
export class RejectedRows {
  readonly #needs: RejectNeeds
  readonly #lists: WorkPool<RejectWork>
  readonly #files: WorkPool<RejectWork>

  constructor(needs: RejectNeeds) {
    this.#needs = needs
    const { onEnd } = needs
    const maxWaiting = { count: mostWaiting, refuse: tooBusy }
    const start = (events: { onEnd?(error: Error): void }) => startThread<RejectWork>(file, events)
    this.#lists = new WorkPool({ start, limit: 1, share: listsAtOnce, maxWaiting, onEnd })
    this.#files = new WorkPool({
      ...{ start, limit: filesAtOnce, ownerLimit: filesAtOnce - 1, maxWaiting, onEnd },
    })
  }

  /** The rows that a task's load rejected, piece by piece; a reader who leaves ends it. */
  list(
    { importId, id, rejectsNumber }: TaskRecord,
    form: RejectListForm,
    signal: AbortSignal,
    limit?: number,
  ): AsyncGenerator<Uint8Array> {
    const path = rejectsPath(this.#needs, importId, id, rejectsNumber)
    return this.#lists.stream(
      'list',
      { path, form, ...defined({ limit }) },
      { signal, silenceMs: this.#needs.silenceMs },
    )
  }

  /** Writes the rejected rows of a task to a file in the format of their source, or in another one and why. */
  async write(task: TaskRecord, signal: AbortSignal): Promise<MadeRejectFile> {
    const { importId, id, rejectsNumber, source, format, layer, charset } = task
    if (source === undefined || source.raster !== undefined)
      throw notFound('no-rejects', `Task ${id} has no rows, so none were rejected`)
    const { folders, silenceMs } = this.#needs
    const folder = join(folders.rejects, madeFolder, randomUUID())
    const wish = {
      path: rejectsPath({ folders }, importId, id, rejectsNumber),
      schema: sourceSchema(task),
      folder,
      name: `${layer?.name ?? 'rows'}_rejects`,
      ...defined({ format, delimiter: source.delimiter, charset: charset ?? source.charset }),
    }
    const made = await this.#files.call('write', wish, { signal, silenceMs })
    return { ...made, remove: () => rm(folder, { recursive: true, force: true }) }
  }

  /** Takes files away that a server which died has left. */
  async sweep(nowMs: number): Promise<void> {
    const folder = join(this.#needs.folders.rejects, madeFolder)
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
  const text = 'Many others fetch rejected rows just now: try again soon'
  return new Failure('unavailable', 'too-busy', text, { retryAfterSeconds: 5 })
}
