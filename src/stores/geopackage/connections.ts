import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../lib/errors.ts'

/** How long a load waits for others that write to the same file. */
const maxWaitMs = 15 * 60 * 1000
/** Another process that opens the file first or closes it last keeps even readers out, for a moment. */
const briefMs = 500
const longestPauseMs = 50
const busyCode = 5

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' && (code & 0xff) === busyCode
}

/**
 * A connection for one load. It may write the tables behind an R*Tree, which SQLite forbids otherwise; nothing that
 * stands in the file is trusted all the same.
 */
export function openForLoading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { defensive: false, timeout: briefMs, limits: { attach: 1 } })
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA recursive_triggers = OFF')
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16000')
  return db
}

/** A connection for looking: it sees one state at a time whatever is written meanwhile. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    enableForeignKeyConstraints: false,
    timeout: 2000,
    limits: { attach: 0 },
  })
  db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON')
  return db
}

/** Does something at which SQLite itself waits for nobody: it would hold up the whole thread. */
export function withoutWaiting<Result>(db: DatabaseSync, action: () => Result): Result {
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return action()
  } finally {
    db.exec(`PRAGMA busy_timeout = ${briefMs}`)
  }
}

/** A connection for comparing: it only looks at the file, and writes to another one that it attaches. */
export function openForComparing(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    enableForeignKeyConstraints: false,
    timeout: 2000,
    limits: { attach: 1 },
  })
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4000')
  return db
}

/** Attaches staged rows as `side`; what is written to them is undone in memory, and lost with the machine. */
export function attachSide(db: DatabaseSync, side: string): void {
  db.prepare('ATTACH ? AS side').run(side)
  db.exec('PRAGMA side.journal_mode = MEMORY; PRAGMA side.synchronous = OFF; PRAGMA side.cache_size = -8000')
}

/** Does what needs a lock, again and again while others hold it, without blocking the thread meanwhile. */
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
