import { closeSync, existsSync, readSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { mayThreadsRead } from '../../formats/geopackage/traps.ts'
import { Failure } from '../../lib/errors.ts'
import { openGuardedSync } from '../../lib/files/guarded-files.ts'
import type { DatabaseConnection } from '../../sources/database/database.ts'
import { isFileDatabase } from '../../sources/database/registry.ts'
import { getStoreDescription } from '../../stores/registry.ts'
import type { StoreConnection } from '../../stores/store.ts'
import type { LoadPlan, LoadSource } from './load-plan.ts'

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
export function checkFile({ isProcess, ownFolder }: LoadPlace, path: string): void {
  if (isProcess || !isDatabase(path)) return
  if (dirname(dirname(resolve(path))) === resolve(ownFolder) || mayThreadsRead(path)) return
  throw new Failure('unavailable', ownProcess, `"${path}" is read in a process of its own`)
}

export function checkConnection(
  place: LoadPlace,
  { type, database }: Pick<DatabaseConnection, 'type' | 'database'>,
): void {
  if (isFileDatabase({ type })) checkFile(place, database)
}

/** The same for everything that a load reads from and writes to. */
export function checkPlan(place: LoadPlace, { source, connection, isReadOnly }: LoadPlan): void {
  checkSource(place, source)
  if (isReadOnly !== true) checkStore(place, connection)
}

/** The same for what rows are read from. */
export function checkSource(place: LoadPlace, source: LoadSource): void {
  if (source.kind === 'file') checkFile(place, source.file.path)
  else if (source.kind === 'table') checkStore(place, source.connection)
  else if (source.kind === 'database') checkConnection(place, source.connection)
}

/** The same for a store. */
export function checkStore(place: LoadPlace, { type, parameters: { path } }: StoreConnection): void {
  const isSqlite = getStoreDescription(type).file?.isSqlite === true
  if (isSqlite && path !== undefined && existsSync(path)) checkFile(place, path)
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
