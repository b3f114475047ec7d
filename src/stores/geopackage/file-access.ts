import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { invalid } from '../../core/errors/errors.ts'
import { distrust, openForeignDatabase } from '../../formats/geopackage/index.ts'
import { openForReading } from './connections.ts'
import { storeFailure } from './errors.ts'
import { closeQuietly } from './server-writes.ts'

export interface GeoPackageStoreSettings {
  path: string
  /**
   * True for a file that belongs to another program and is served directly. Neither the file nor its folder
   * is written to.
   */
  isReadOnly?: boolean
  /**
   * True to refuse files that may block SQLite indefinitely (`needs-process`): for threads, which cannot be
   * terminated inside SQLite.
   */
  refusesTraps?: boolean
  /**
   * True to treat the contents as untrusted, whoever owns the file: for processes, which read files that
   * threads refuse.
   */
  isGuarded?: boolean
}

/** A database open for reading; the caller must call `close()`. */
export interface Opened {
  db: DatabaseSync
  close(): void
}

/** True if the file exists and is not empty. */
export function hasFile(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}

/** Maximum size of a value that a process reads, and of the memory of SQLite. */
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

export function openStoreFile(settings: GeoPackageStoreSettings): Opened {
  const { path, isGuarded = false } = settings
  try {
    return isGuarded ? guard(open(settings)) : open(settings)
  } catch (error) {
    throw storeFailure(error, path)
  }
}

/**
 * Throws a `Failure` with the reason if the file cannot be a store. A file that does not exist yet needs its
 * folder.
 */
export function checkStoreFile(settings: GeoPackageStoreSettings, isGeoPackage: () => boolean): void {
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
