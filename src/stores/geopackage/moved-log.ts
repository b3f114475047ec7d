import { statSync, utimesSync } from 'node:fs'
import { lookAtLogNow, noLog } from './database-look.ts'

/** Times of files are set in microseconds. */
const exactNs = 2000n

/** Of the text of a look at a file or log: which it is, and when it was written to. */
function partsOf(text: string): { identity: string; mtimeNs: bigint } | undefined {
  const [dev, ino, , mtimeNs] = text.split('.')
  return mtimeNs === undefined ? undefined : { identity: `${dev}.${ino}`, mtimeNs: BigInt(mtimeNs) }
}

/**
 * Gives a file into which its log was moved the time at which the log was written to last: by that it is known again, should
 * the process die before it has told of the move. `from` is how file and log looked before.
 */
export function bearTimeOfLog(path: string, from: string): void {
  const log = partsOf(from.split(' ')[1] ?? '')
  if (log === undefined || lookAtLogNow(path) !== noLog) return
  try {
    utimesSync(path, Date.now() / 1000, Number(log.mtimeNs) / 1e9)
  } catch {
    // It belongs to somebody else: a death in the next moment counts as a change by others.
  }
}

/** How else a file may have been seen that has no log: with one that was moved into it since. */
export function seenBeforeMove(path: string): ((text: string) => boolean) | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return undefined
  const { dev, ino, mtimeNs } = found
  return (text) => {
    const [seenFile = '', seenLog = ''] = text.split(' ')
    const [file, log] = [partsOf(seenFile), partsOf(seenLog)]
    if (file === undefined || log === undefined || file.identity !== `${dev}.${ino}`) return false
    const apart = log.mtimeNs - mtimeNs
    return apart < exactNs && apart > -exactNs
  }
}
