import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { distrust, openForeignDatabase } from '../../formats/geopackage/open-database.ts'
import { invalid } from '../../lib/errors.ts'
import { openForReading } from './connections.ts'
import { storeFailure } from './errors.ts'
import { closeQuietly } from './own-writes.ts'

export interface GeoPackageStoreSettings {
  path: string
  /** A file of somebody else's: served as it is, never written to, nor anything beside it. */
  isReadOnly?: boolean
  /** Refuses files of which SQLite may never be done (`needs-process`): for threads, which cannot be ended inside it. */
  refusesTraps?: boolean
  /** Nothing that stands in the file is believed, whosever it is: for processes, which read what threads refuse. */
  isGuarded?: boolean
}

/** An open database for looking; `close` it in any case. */
export interface Opened {
  db: DatabaseSync
  close(): void
}

/** Whether there is anything to read yet. */
export function hasFile(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}

/** The longest value that a process reads, and all that SQLite may fill there. */
const maxValueBytes = 64 << 20
const maxHeapBytes = 256 << 20

function guard(opened: Opened): Opened {
  distrust(opened.db)
  opened.db.limits.length = maxValueBytes
  opened.db.exec(`PRAGMA hard_heap_limit = ${maxHeapBytes}`)
  return opened
}

function open({ path, isReadOnly = false }: GeoPackageStoreSettings): Opened {
  if (isReadOnly) return openForeignDatabase(path)
  const db = openForReading(path)
  return { db, close: () => closeQuietly(path, () => db.close()) }
}

export function openFile(settings: GeoPackageStoreSettings): Opened {
  const { path, isGuarded = false } = settings
  try {
    return isGuarded ? guard(open(settings)) : open(settings)
  } catch (error) {
    throw storeFailure(error, path)
  }
}

/** Throws `Failure` that says what keeps the file from being a store. One that is not there yet needs its folder. */
export function checkFile(settings: GeoPackageStoreSettings, isGeoPackage: () => boolean): void {
  const { path, isReadOnly = false } = settings
  if (isReadOnly && !existsSync(path)) throw invalid('store-file', `There is no file "${path}"`)
  const place = existsSync(path) ? path : dirname(path)
  try {
    accessSync(place, isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK)
    if (!isReadOnly) accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    const verb = isReadOnly ? 'read' : 'written to'
    throw invalid('store-file', `"${place}" is not there or cannot be ${verb}`, { cause: error })
  }
  if (!isGeoPackage()) {
    throw invalid('store-file', `"${path}" is a database, but no GeoPackage: it has no table gpkg_contents`)
  }
}
