import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '../../lib/defined.ts'
import { notFound } from '../../lib/errors.ts'
import type { TaskRecord } from '../model/model.ts'
import { sourceSchema } from '../model/model.ts'
import { rejectsPath } from '../records/records.ts'
import type { LoadPool, RejectFile } from '../worker/worker.ts'

interface RejectFileNeeds {
  pool: LoadPool
  folders: { rejects: string }
}

/** A file that was made for one who fetches it; `remove` it when it was sent. */
export interface MadeRejectFile extends RejectFile {
  remove(): Promise<void>
}

/** Files are made here: no import is called so. */
const madeFolder = 'files'
/** Nobody fetches one file for longer. */
const longestFetchMs = 24 * 3600_000

/** Writes the rejected rows of a task to a file in the format of their source, or in another one and why. */
export async function writeRejectFile(
  { pool, folders }: RejectFileNeeds,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<MadeRejectFile> {
  const { importId, id, rejectsNumber, source, format, layer, charset } = task
  if (source === undefined || source.raster !== undefined)
    throw notFound('no-rejects', `Task ${id} has no rows, so none were rejected`)
  const folder = join(folders.rejects, madeFolder, randomUUID())
  const wish = {
    path: rejectsPath({ folders }, importId, id, rejectsNumber),
    schema: sourceSchema(task),
    folder,
    name: `${layer?.name ?? 'rows'}_rejects`,
    ...defined({ format, delimiter: source.delimiter, charset: charset ?? source.charset }),
  }
  const made = await pool.writeRejects(wish, signal)
  return { ...made, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Takes files away that a server which died has left. */
export async function sweepRejectFiles({ rejects }: { rejects: string }, nowMs: number): Promise<void> {
  const folder = join(rejects, madeFolder)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const status = await stat(path).catch(() => undefined)
    if (status !== undefined && nowMs - status.mtimeMs > longestFetchMs)
      await rm(path, { recursive: true, force: true })
  }
}
