import type { BigIntStats } from 'node:fs'
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolution of the kernel clock for file times, in milliseconds. */
const tickMs = 20
/** Some file systems store times in whole seconds, or only even ones. */
const coarseTickMs = 2000
const million = 1_000_000n
const tries = 3
/** A missing file must not throw, which would take longer than reading its state. */
const quietly = { bigint: true, throwIfNoEntry: false } as const

/** State of files at a moment: identity, size and times. */
export interface FileFingerprint {
  text: string
  /** Time until a further change is certain to be visible, in milliseconds. */
  settlesInMs: number
}

function untilSettled(timeNs: bigint, nowMs: number): number {
  const tick = timeNs % (1000n * million) === 0n ? coarseTickMs : tickMs
  const ageMs = nowMs - Number(timeNs / million)
  return Math.abs(ageMs) < tick ? tick - ageMs : 0
}

/**
 * Returns the state of a file; a missing file is equivalent to an empty one. For an SQLite log the inode
 * change time is ignored, since each connection of a superuser sets the owner of the log.
 */
export async function fingerprintFile(path: string, { isLog = false } = {}): Promise<FileFingerprint> {
  return lookOf(await stat(path, quietly).catch(() => undefined), isLog)
}

/** Synchronous version, for threads that may block. */
export function fingerprintFileNow(path: string, { isLog = false } = {}): FileFingerprint {
  try {
    return lookOf(statSync(path, { bigint: true, throwIfNoEntry: false }), isLog)
  } catch {
    return lookOf(undefined, isLog)
  }
}

function lookOf(found: BigIntStats | undefined, isLog: boolean): FileFingerprint {
  if (found === undefined || found.size === 0n) return { text: '-', settlesInMs: 0 }
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  // Setting back the modification time of a file does not set back the change time of its inode.
  const changed = isLog ? mtimeNs : ctimeNs
  const text = [dev, ino, size, mtimeNs, changed].join('.')
  return { text, settlesInMs: untilSettled(changed, Date.now()) }
}

async function lookAtFiles(paths: readonly string[]): Promise<FileFingerprint> {
  const states = await Promise.all(paths.map((path) => fingerprintFile(path)))
  return {
    text: states.map(({ text }) => text).join(' '),
    settlesInMs: Math.max(0, ...states.map((state) => state.settlesInMs)),
  }
}

let unsettledLooks = 0

/**
 * Returns the state text when any further change is certain to change it. If that takes too long, returns a
 * text that never repeats.
 */
export async function settled(read: () => Promise<FileFingerprint>): Promise<string> {
  let seen = await read()
  for (let attempt = 1; attempt < tries && seen.settlesInMs > 0; attempt += 1) {
    if (seen.settlesInMs > 2 * tickMs) break
    await sleep(seen.settlesInMs)
    seen = await read()
  }
  if (seen.settlesInMs === 0) return seen.text
  unsettledLooks += 1
  return `${seen.text} ?${process.pid}.${Date.now()}.${unsettledLooks}`
}

/** Returns a text that differs after any change of the files. */
export function fileState(paths: readonly string[]): Promise<string> {
  return settled(() => lookAtFiles(paths))
}
