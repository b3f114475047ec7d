import { Failure } from '../errors/errors.ts'
import { findFullDisk } from '../files/full-disk.ts'
import { isConnectionLost } from '../postgres/errors.ts'

/** PostgreSQL's unique_violation. */
const postgresCode = '23505'
/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const sqliteCodes = [1555, 2067]
/** PostgreSQL's too_many_connections and cannot_connect_now, and an unresponsive name server. */
const awayCodes = ['53300', '57P03', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** Messages of the client when its own timeouts expire. */
const timeouts = /^(timeout exceeded when trying to connect|Query read timeout|timeout expired)/

/**
 * True if the catalogue database rejected a row because its key exists: two requests created the same object
 * concurrently.
 */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return code === postgresCode || sqliteCodes.includes(Number(errcode))
}

/** SQLite's busy, readonly, ioerr and cantopen: the catalogue file is locked or inaccessible. */
const sqliteAwayCodes = [5, 8, 10, 14]

/**
 * Returns an error with an action for the caller for an error of the catalogue database; undefined if there
 * is none.
 */
export function explainError(error: unknown): Failure | undefined {
  if (!isUniqueViolation(error)) return findOutage(error)
  const text = 'Another request made the same thing at the same moment: read it again'
  return new Failure('conflict', 'exists-already', text, { cause: error })
}

/** True if the error means that the catalogue database cannot be reached. */
export function isCatalogueAway(error: unknown): boolean {
  return !(error instanceof Failure) && findOutage(error)?.code === 'database-away'
}

/**
 * Returns an error for a full disk or an unreachable catalogue database, without internal details; undefined
 * for other errors.
 */
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
