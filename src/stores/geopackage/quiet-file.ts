import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { hasCatalogue } from '../../formats/geopackage/index.ts'
import { openForComparing } from './connections.ts'
import type { Opened } from './file-access.ts'
import { hasFile } from './file-access.ts'
import { createSkeleton } from './new-file.ts'

/**
 * Opens a GeoPackage so that neither the file nor its log differ after `close`; opens an empty in-memory
 * database if the file does not exist.
 */
export function openQuietly(path: string): Opened {
  if (!hasFile(path)) return emptyGeoPackage()
  const endGuard = keepLog(path)
  const db = openForComparing(path)
  const close = (): void => {
    db.close()
    endGuard()
  }
  try {
    if (hasCatalogue(db)) return { db, close }
  } catch (error) {
    close()
    throw error
  }
  close()
  return emptyGeoPackage()
}

function emptyGeoPackage(): Opened {
  const db = new DatabaseSync(':memory:', { limits: { attach: 1 } })
  createSkeleton(db)
  return { db, close: () => db.close() }
}

/**
 * Prevents the log from being moved: the last connection that closes moves the log into the file, but a
 * read-only one cannot, and while it is open no other connection is the last.
 */
function keepLog(path: string): () => void {
  if (!existsSync(`${path}-wal`)) return () => undefined
  const guard = new DatabaseSync(path, { readOnly: true, limits: { attach: 0 } })
  try {
    guard.prepare('SELECT 1 FROM sqlite_schema').get()
  } catch (error) {
    guard.close()
    throw error
  }
  return () => guard.close()
}
