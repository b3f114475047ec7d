import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutWaiting } from './connections.ts'
import { serverWrite } from './server-writes.ts'

const longestMs = 500
const pauseMs = 20

/**
 * Moves committed changes from the log into the file, so that the file can be copied alone. If other
 * connections are active, the last one that closes does the rest. (The journal mode stays WAL: changing it
 * would wait for every reader.)
 */
export async function moveIntoFile(path: string, db: DatabaseSync): Promise<void> {
  const deadline = performance.now() + longestMs
  while (!tryToMove(path, db) && performance.now() < deadline) await sleep(pauseMs)
}

/**
 * Tries once; returns true if nothing is left. An empty log is not touched: truncating it looks like a write
 * to others.
 */
export function tryToMove(path: string, db: DatabaseSync): boolean {
  if (logBytes(path) === 0) return true
  const move = (): boolean => db.prepare('PRAGMA main.wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  return withoutWaiting(db, () => serverWrite(path, db, move))
}

/** Moves as much of the log as is possible while other connections are active, without waiting. */
export function movePart(path: string, db: DatabaseSync): void {
  serverWrite(path, db, () => db.prepare('PRAGMA main.wal_checkpoint(PASSIVE)').get())
}

/** Returns the size of the log of the file at `path`, in bytes. */
export function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
