import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/errors/errors.ts'

/** Maximum wait of a load for other writers of the same file, in milliseconds. */
const maxWaitMs = 15 * 60 * 1000
/** Another process that opens the file first or closes it last blocks even readers for a moment. */
const briefMs = 500
const longestPauseMs = 50
const busyCode = 5

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' && (code & 0xff) === busyCode
}

/**
 * Opens a connection for one load. It may write the shadow tables of an R*Tree, which SQLite forbids
 * otherwise. The contents of the file remain untrusted.
 */
export function openForLoading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { defensive: false, timeout: briefMs, limits: { attach: 1 } })
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA recursive_triggers = OFF')
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16000')
  return db
}

/** Opens a read connection, which sees one state at a time while other connections write. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    enableForeignKeyConstraints: false,
    timeout: 2000,
    limits: { attach: 0 },
  })
  db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
  return db
}

/**
 * Runs an action with the busy timeout of SQLite set to 0, since waiting in SQLite would block the whole
 * thread.
 */
export function withoutWaiting<Result>(db: DatabaseSync, action: () => Result): Result {
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return action()
  } finally {
    db.exec(`PRAGMA busy_timeout = ${briefMs}`)
  }
}

/** Opens a connection for comparing: it reads the file and writes to another, attached file. */
export function openForComparing(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    enableForeignKeyConstraints: false,
    timeout: 2000,
    limits: { attach: 1 },
  })
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4000')
  return db
}

/** Attaches staged rows as `side`; writes to them are rolled back in memory, and lost in a power failure. */
export function attachSide(db: DatabaseSync, side: string): void {
  db.prepare('ATTACH ? AS side').run(side)
  db.exec('PRAGMA side.journal_mode = MEMORY; PRAGMA side.synchronous = OFF; PRAGMA side.cache_size = -8000')
}

/** Retries an action that needs a lock while others have it, without blocking the thread. */
export async function whenFree<Result>(
  db: DatabaseSync,
  signal: AbortSignal,
  action: () => Result,
): Promise<Result> {
  const deadline = performance.now() + maxWaitMs
  for (let pauseMs = 1; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    signal.throwIfAborted()
    try {
      return withoutWaiting(db, action)
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) {
        throw new Failure('unavailable', 'store-busy', 'The GeoPackage was in use by others for 15 minutes', {
          cause: error,
        })
      }
    }
    await sleep(pauseMs, undefined, { signal })
  }
}
