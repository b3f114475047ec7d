import { closeSync, readSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { openGuardedSync } from '../../core/files/guarded-files.ts'
import { mayThreadsRead } from '../../formats/geopackage/index.ts'

/** Location of work: a thread or a process. */
export interface WorkLocation {
  /** A process can be terminated whatever it does, a thread inside SQLite cannot. */
  isProcess: boolean
  /** Folder of the GeoPackages that the server created, with a subfolder for each workspace. */
  ownFolder: string
}

const magic = 'SQLite format 3\0'
const ownProcess = 'needs-own-process'

/** True if a thread refused the work, which must then run in a process. */
export function needsOwnProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === ownProcess
}

/**
 * Throws `Failure` in a thread if the file may block SQLite indefinitely. Files of other kinds are accepted.
 */
export function checkTrustedFile(location: WorkLocation, path: string): void {
  if (location.isProcess || isOwn(location, path) || !isDatabase(path) || mayThreadsRead(path)) return
  throw refusal(path)
}

/**
 * The same for a database that SQLite may have open in this process. Such a file must not be opened for
 * inspection here: closing a file releases all locks that the process has on it (POSIX, `fcntl`), and other
 * processes would then assume exclusive access.
 */
export function checkWrittenFile(location: WorkLocation, path: string): void {
  if (!location.isProcess && !isOwn(location, path)) throw refusal(path)
}

function isOwn({ ownFolder }: WorkLocation, path: string): boolean {
  return dirname(dirname(resolve(path))) === resolve(ownFolder)
}

function refusal(path: string): Failure {
  return new Failure('unavailable', ownProcess, `"${path}" is read in a process of its own`)
}

function isDatabase(path: string): boolean {
  const head = Buffer.alloc(magic.length)
  try {
    const file = openGuardedSync(path)
    try {
      return readSync(file, head) === head.length && head.toString('latin1') === magic
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}
