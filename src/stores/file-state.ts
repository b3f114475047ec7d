import type { BigIntStats } from 'node:fs'
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Kernels set the times of files by a clock that moves in steps of up to this long. */
const tickMs = 20
/** Some file systems know whole seconds only, and then even ones only. */
const coarseTickMs = 2000
const million = 1_000_000n
const tries = 3
/** A file that is not there is no error, which would take longer than the look. */
const quietly = { bigint: true, throwIfNoEntry: false } as const

/** What files look like at a moment: by their place, size and times. */
export interface FileLook {
  text: string
  /** How long until a further change is certain to show. */
  settlesInMs: number
}

function untilSettled(timeNs: bigint, nowMs: number): number {
  const tick = timeNs % (1000n * million) === 0n ? coarseTickMs : tickMs
  const ageMs = nowMs - Number(timeNs / million)
  return Math.abs(ageMs) < tick ? tick - ageMs : 0
}

/**
 * A file that is not there is as good as an empty one. Of a log of SQLite the time of the inode says nothing: each
 * connection of a superuser that opens it gives it its owner anew.
 */
export async function lookAtFile(path: string, { isLog = false } = {}): Promise<FileLook> {
  return lookOf(await stat(path, quietly).catch(() => undefined), isLog)
}

/** The same at once, for threads that may wait for a file. */
export function lookAtFileNow(path: string, { isLog = false } = {}): FileLook {
  try {
    return lookOf(statSync(path, { bigint: true, throwIfNoEntry: false }), isLog)
  } catch {
    return lookOf(undefined, isLog)
  }
}

function lookOf(found: BigIntStats | undefined, isLog: boolean): FileLook {
  if (found === undefined || found.size === 0n) return { text: '-', settlesInMs: 0 }
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  // Whoever sets the time of a file back cannot set that of its inode.
  const changed = isLog ? mtimeNs : ctimeNs
  const text = [dev, ino, size, mtimeNs, changed].join('.')
  return { text, settlesInMs: untilSettled(changed, Date.now()) }
}

async function lookAtFiles(paths: readonly string[]): Promise<FileLook> {
  const looks = await Promise.all(paths.map((path) => lookAtFile(path)))
  return {
    text: looks.map(({ text }) => text).join(' '),
    settlesInMs: Math.max(0, ...looks.map((look) => look.settlesInMs)),
  }
}

let unsettledLooks = 0

/**
 * The text of a look once a further change is certain to give another one; where that takes long, a text that no later
 * look repeats.
 */
export async function settled(look: () => Promise<FileLook>): Promise<string> {
  let seen = await look()
  for (let attempt = 1; attempt < tries && seen.settlesInMs > 0; attempt += 1) {
    if (seen.settlesInMs > 2 * tickMs) break
    await sleep(seen.settlesInMs)
    seen = await look()
  }
  if (seen.settlesInMs === 0) return seen.text
  unsettledLooks += 1
  return `${seen.text} ?${process.pid}.${Date.now()}.${unsettledLooks}`
}

/** A text that is another one after any change of the files. */
export function fileState(paths: readonly string[]): Promise<string> {
  return settled(() => lookAtFiles(paths))
}
