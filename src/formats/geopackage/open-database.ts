import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync, constants as sqlite } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { plainReason } from '../../core/errors/plain-reason.ts'
import { copyGuardedSync, findSettledPath } from '../../core/files/guarded-files.ts'
import { FormatError } from '../format.ts'

/** Maximum size of a value, and of a row, in bytes. */
const maxValueBytes = 256 << 20

/** An untrusted database opened for reading. The caller must call `close()`. */
export interface ForeignDatabase {
  db: DatabaseSync
  /** The file that is read: the original or a copy. */
  path: string
  /** True if pending changes next to the file were applied: a copy is read then. */
  isCopy: boolean
  close(): void
}

/** Returns the files next to a database with changes that SQLite has not yet applied or rolled back. */
export function pendingFiles(path: string): string[] {
  return ['-wal', '-journal'].filter((suffix) => {
    const beside = `${path}${suffix}`
    return existsSync(beside) && statSync(beside).size > 0
  })
}

/**
 * Opens an untrusted file: nothing is written to it or next to it. If there are pending changes, or if other
 * users could replace the file, a copy in the temporary folder is read.
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

/** Opens the copy for writing once, so that SQLite applies or rolls back pending changes. */
function openCopy(path: string): DatabaseSync {
  const db = new DatabaseSync(path, options)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.exec('PRAGMA query_only = ON')
  return db
}

/**
 * Forbids recursive views (which may not terminate), attached files, functions with side effects; checks
 * pages when read.
 */
export function distrust(db: DatabaseSync): void {
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
  db.exec('PRAGMA cache_size = -8000; PRAGMA temp_store = FILE')
  db.setAuthorizer((action) =>
    action === sqlite.SQLITE_RECURSIVE || action === sqlite.SQLITE_ATTACH
      ? sqlite.SQLITE_DENY
      : sqlite.SQLITE_OK,
  )
}

/** Converts an SQLite error to an error about the file. */
export function asFormatError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return error
  return new FormatError(
    `GeoPackage "${basename(path)}" cannot be read: ${plainReason(error) ?? error.message}`,
    { cause: error },
  )
}
