import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutWaiting } from './connections.ts'
import { ownWrite } from './own-writes.ts'

const longestMs = 500
const pauseMs = 20

/**
 * Moves what was committed into the file itself, so that it can be copied alone; where others are at work in it, what
 * is left is done by whoever closes last. (The journal stays a WAL: turning it back would wait for every reader.)
 */
export async function moveIntoFile(path: string, db: DatabaseSync): Promise<void> {
  const deadline = performance.now() + longestMs
  while (!tryToMove(path, db) && performance.now() < deadline) await sleep(pauseMs)
}

/** Does so once; gives whether nothing is left. A log that is empty is left alone: emptying it looks like a write to others. */
export function tryToMove(path: string, db: DatabaseSync): boolean {
  if (logBytes(path) === 0) return true
  const move = (): boolean => db.prepare('PRAGMA main.wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  return withoutWaiting(db, () => ownWrite(path, db, move))
}

/** Moves as much as can be moved while others are at work, and waits for nobody. */
export function movePart(path: string, db: DatabaseSync): void {
  ownWrite(path, db, () => db.prepare('PRAGMA main.wal_checkpoint(PASSIVE)').get())
}

/** The size of the log beside the file at `path`. */
export function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
