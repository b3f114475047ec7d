import { Failure } from '../lib/errors.ts'
import { findFullDisk } from '../lib/files/full-disk.ts'
import { isConnectionLost } from '../lib/postgres/errors.ts'

/** PostgreSQL's unique_violation. */
const postgresCode = '23505'
/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const sqliteCodes = [1555, 2067]
/** PostgreSQL's too_many_connections and cannot_connect_now, and a name server that does not answer. */
const awayCodes = ['53300', '57P03', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** What the client says when its own time limits are over. */
const timeouts = /^(timeout exceeded when trying to connect|Query read timeout|timeout expired)/

/** Whether our own database refused a row since there is one with its key: two requests made the same thing at once. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return code === postgresCode || sqliteCodes.includes(Number(errcode))
}

/** SQLite's busy, readonly, ioerr and cantopen: of the file of our own database, which others hold or the system refuses. */
const sqliteAwayCodes = [5, 8, 10, 14]

/** What a caller can do about an error of our own database; undefined where that is nothing. */
export function explainError(error: unknown): Failure | undefined {
  if (!isUniqueViolation(error)) return findOutage(error)
  const text = 'Another request made the same thing at the same moment: read it again'
  return new Failure('conflict', 'exists-already', text, { cause: error })
}

/** True if the error means that the catalogue database cannot be reached. */
export function isCatalogueAway(error: unknown): boolean {
  return !(error instanceof Failure) && findOutage(error)?.code === 'database-away'
}

/** That the disk is full or our own database away, without inner detail; undefined for other errors. */
export function findOutage(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  const full = findFullDisk(error)
  if (full !== undefined) return full
  if (sqliteAwayCodes.includes(Number(errcode) & 0xff)) {
    const text =
      'The file of the catalogue database cannot be read or written: try again in a minute; the log of the server names the reason'
    return new Failure('unavailable', 'database-away', text, { cause: error })
  }
  if (awayCodes.includes(String(code)) || timeouts.test(error.message) || isConnectionLost(error)) {
    const text = 'The database of the server cannot be reached: try again in a minute'
    return new Failure('unavailable', 'database-away', text, { cause: error })
  }
  return undefined
}
