import { closeSync, readSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { mayThreadsRead } from '../../formats/geopackage/traps.ts'
import { Failure } from '../../lib/errors.ts'
import { openGuardedSync } from '../../lib/files/guarded-files.ts'

/** Where a piece of work is done. */
export interface LoadPlace {
  /** A process can be ended whatever it does, a thread inside SQLite cannot. */
  isProcess: boolean
  /** Where the server keeps the GeoPackages that it made, in a folder for each workspace. */
  ownFolder: string
}

const magic = 'SQLite format 3\0'
const ownProcess = 'needs-own-process'

/** Whether work was refused by a thread, and is to be done by a process. */
export function needsOwnProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === ownProcess
}

/** Throws `Failure` in a thread where SQLite may never be done with the file. Files of other kinds are fine. */
export function checkFile(place: LoadPlace, path: string): void {
  if (place.isProcess || isOwn(place, path) || !isDatabase(path) || mayThreadsRead(path)) return
  throw refusal(path)
}

/**
 * The same for a database that SQLite may have open in this process, which is not opened here for a look: whoever closes a
 * file gives up the locks that the whole process holds in it (POSIX, `fcntl`), and others take it for theirs alone.
 */
export function checkWrittenFile(place: LoadPlace, path: string): void {
  if (!place.isProcess && !isOwn(place, path)) throw refusal(path)
}

function isOwn({ ownFolder }: LoadPlace, path: string): boolean {
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
