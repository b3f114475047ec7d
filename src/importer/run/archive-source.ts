import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { explain } from '../../core/errors/errors.ts'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { listTasks } from '../records/records.ts'
import type { RunningTable } from '../runtime/runtime.ts'
import { LoadCanceled } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'

export interface ArchiveDeps {
  records: Keeping
  kinds: TaskTypes
  running: RunningTable
  folders: { archives: string }
  /** Moves a complete archive to the file store, where files are in one. */
  keep(path: string): Promise<void>
  log: Logger
}

/** A file and its name in the archive. */
interface Packed {
  path: string
  name: string
}

/** Matches the folder of one upload within its import. */
const uploadNumber = /^\d+\//

/** Lists every file at or below a path; none if it does not exist. */
async function filesBelow(path: string): Promise<string[]> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) return []
  if (!status.isDirectory()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/**
 * Returns the file name known to the client; prefixed by the upload only if another upload has a file of that
 * name.
 */
function nameOf(task: TaskRecord, path: string, taken: ReadonlySet<string>): string {
  const name = relative(task.folder, path).split(sep).join('/')
  const short = task.isUploaded ? name.replace(uploadNumber, '') : name
  return taken.has(short.toLowerCase()) ? name : short
}

/**
 * Lists the source files of tasks with their sidecars, each once. Files of uploads in earlier runs no longer
 * exist.
 */
async function listPacked(kinds: TaskTypes, tasks: TaskRecord[]): Promise<Packed[]> {
  const packed = new Map<string, Packed>()
  const taken = new Set<string>()
  for (const task of tasks) {
    for (const file of await kinds.of(task).listFiles(task)) {
      for (const top of [file.path, ...Object.values(file.sidecars)]) {
        for (const path of packed.has(top) ? [] : await filesBelow(top)) {
          const name = nameOf(task, path, taken)
          taken.add(name.toLowerCase())
          packed.set(path, { path, name })
        }
      }
    }
  }
  return [...packed.values()]
}

/** Adds files one after the other, so that few files are open at a time. */
async function addFiles(zip: ZipFile, files: Packed[]): Promise<void> {
  for (const { path, name } of files) {
    const handle = await openGuarded(path)
    const { size, mtime } = await handle.stat()
    const content = handle.createReadStream()
    zip.addReadStream(content, name, { size, mtime })
    await finished(content)
  }
  zip.end()
}

async function writeZip(path: string, files: Packed[], signal: AbortSignal): Promise<void> {
  const zip = new ZipFile()
  const output = createWriteStream(path, { mode: 0o640, flush: true })
  zip.on('error', (error: Error) => output.destroy(error))
  void addFiles(zip, files).catch((error: Error) => output.destroy(error))
  await pipeline(zip.outputStream, output, { signal })
}

async function writeArchive(
  { folders, keep }: Pick<ArchiveDeps, 'folders' | 'keep'>,
  record: ImportRecord,
  files: Packed[],
  signal: AbortSignal,
): Promise<void> {
  const folder = folders.archives
  const path = join(folder, `import-${record.id}-run-${record.jobId}.zip`)
  try {
    await mkdir(folder, { recursive: true })
    await writeZip(`${path}.part`, files, signal)
    await rename(`${path}.part`, path)
    await keep(path)
  } catch (error) {
    await rm(`${path}.part`, { force: true })
    throw error
  }
}

/**
 * Stores a zip of the source of an import, if requested and if every task is complete. The file name contains
 * the run number, so that a resumed run replaces its own zip. Errors become messages, since the data are
 * already published. Throws when `signal` aborts.
 */
export async function archiveSource(
  deps: ArchiveDeps,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<FormatMessage[]> {
  if (!record.isArchived || record.jobId === undefined) return []
  const tasks = await listTasks(deps.records.database.kysely, record.id)
  if (tasks.some(({ state }) => state !== 'COMPLETE')) return []
  const work = deps.running.begin(record.id, signal)
  try {
    const files = await listPacked(deps.kinds, tasks)
    if (files.length > 0) await writeArchive(deps, record, files, work.signal)
    return []
  } catch (error) {
    signal.throwIfAborted()
    if (work.signal.reason instanceof LoadCanceled) return []
    deps.log.warn({ err: error, importId: record.id }, 'the archive of an import was not written')
    const message = `The zip of the source was not written: ${explain(error)}`
    return [{ level: 'warning', code: 'archive-not-written', message }]
  } finally {
    work.end()
  }
}
