import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync, constants as sqlite } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { copyGuardedSync, findSettledPath } from '../../lib/files/guarded-files.ts'
import { plainReason } from '../../lib/plain-reason.ts'
import { FormatError } from '../format.ts'

/** Longest value and row that is read. */
const maxValueBytes = 256 << 20

/** A database of somebody else's, opened for reading. `close` it in any case. */
export interface ForeignDatabase {
  db: DatabaseSync
  /** The file that is read: that of `path`, or a copy of it. */
  path: string
  /** Whether changes that stand beside the file were taken in: a copy is read then. */
  isCopy: boolean
  close(): void
}

/** The files beside a database in which SQLite keeps changes that are not yet in it, or not yet taken back. */
export function pendingFiles(path: string): string[] {
  return ['-wal', '-journal'].filter((suffix) => {
    const beside = `${path}${suffix}`
    return existsSync(beside) && statSync(beside).size > 0
  })
}

/**
 * Opens a file that is not ours: nothing is written to it or beside it, and nothing in it is trusted. Where changes
 * stand beside it, or others could put something else in its place, a copy in the temporary folder is read.
 */
export function openForeignDatabase(path: string): ForeignDatabase {
  const pending = pendingFiles(path)
  const settled = findSettledPath(path)
  const inPlace = pending.length > 0 ? undefined : settled
  const folder = inPlace !== undefined ? undefined : mkdtempSync(join(tmpdir(), 'terrane-gpkg-'))
  const remove = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const read = inPlace ?? copyWith(path, pending, folder ?? '')
    const db = inPlace === undefined ? openCopy(read) : openImmutable(read)
    distrust(db)
    return {
      db,
      path: read,
      isCopy: folder !== undefined,
      close: () => {
        db.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

function copyWith(path: string, pending: string[], folder: string): string {
  const copy = join(folder, basename(path))
  for (const suffix of ['', ...pending]) {
    copyGuardedSync(`${path}${suffix}`, `${copy}${suffix}`)
  }
  return copy
}

const options = {
  enableForeignKeyConstraints: false,
  limits: { length: maxValueBytes, attach: 0, triggerDepth: 1 },
}

function openImmutable(path: string): DatabaseSync {
  return new DatabaseSync(`${pathToFileURL(path).href}?immutable=1&mode=ro`, { ...options, readOnly: true })
}

/** Opened for writing once, so that SQLite takes in or takes back what stands beside it. */
function openCopy(path: string): DatabaseSync {
  const db = new DatabaseSync(path, options)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.exec('PRAGMA query_only = ON')
  return db
}

/** No recursive views (they need not end), no attached files, no functions with effects, pages checked as they come. */
export function distrust(db: DatabaseSync): void {
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
  db.exec('PRAGMA cache_size = -8000; PRAGMA temp_store = FILE')
  db.setAuthorizer((action) =>
    action === sqlite.SQLITE_RECURSIVE || action === sqlite.SQLITE_ATTACH
      ? sqlite.SQLITE_DENY
      : sqlite.SQLITE_OK,
  )
}

/** What went wrong inside SQLite, as an error about the file. */
export function asFormatError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return error
  return new FormatError(
    `GeoPackage "${basename(path)}" cannot be read: ${plainReason(error) ?? error.message}`,
    {
      cause: error,
    },
  )
}
