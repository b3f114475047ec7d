import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Kernels set the times of files by a clock that moves in steps of up to this long. */
const tickMs = 20
/** Some file systems know whole seconds only, and then even ones only. */
const coarseTickMs = 2000
const million = 1_000_000n
const tries = 3

interface Look {
  text: string
  /** How long until a further change is certain to show in the times. */
  settlesInMs: number
}

function untilSettled(timeNs: bigint, nowMs: number): number {
  const tick = timeNs % (1000n * million) === 0n ? coarseTickMs : tickMs
  const ageMs = nowMs - Number(timeNs / million)
  return Math.abs(ageMs) < tick ? tick - ageMs : 0
}

async function lookAt(paths: readonly string[]): Promise<Look> {
  const parts: string[] = []
  let settlesInMs = 0
  for (const path of paths) {
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    if (found === undefined || found.size === 0n) {
      parts.push('-')
      continue
    }
    parts.push([found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join('.'))
    // What changes from here on shows at the latest in the time of the change of the inode.
    settlesInMs = Math.max(settlesInMs, untilSettled(found.ctimeNs, Date.now()))
  }
  return { text: parts.join(' '), settlesInMs }
}

let unsettledLooks = 0

/**
 * A text that is another one after any change of the files: by their place, size and times. Files that were changed a
 * moment ago are looked at again once their times can tell the next change; where that takes long, the text is one that
 * no later look repeats. A file that is not there is as good as an empty one.
 */
export async function fileState(paths: readonly string[]): Promise<string> {
  let look = await lookAt(paths)
  for (let attempt = 1; attempt < tries && look.settlesInMs > 0; attempt += 1) {
    if (look.settlesInMs > 2 * tickMs) break
    await sleep(look.settlesInMs)
    look = await lookAt(paths)
  }
  if (look.settlesInMs === 0) return look.text
  unsettledLooks += 1
  return `${look.text} ?${process.pid}.${Date.now()}.${unsettledLooks}`
}
