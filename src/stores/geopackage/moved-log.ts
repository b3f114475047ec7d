import { statSync, utimesSync } from 'node:fs'
import { fingerprintLogNow, noLog } from './database-fingerprint.ts'

/** File times are set in microseconds. */
const exactNs = 2000n

/** Splits the state text of a file or log into its identity and its modification time. */
function partsOf(text: string): { identity: string; mtimeNs: bigint } | undefined {
  const [dev, ino, , mtimeNs] = text.split('.')
  return mtimeNs === undefined ? undefined : { identity: `${dev}.${ino}`, mtimeNs: BigInt(mtimeNs) }
}

/**
 * After a log was moved into its file, sets the modification time of the file to that of the log, so that the
 * state is recognized if the process dies before it reports the move. `from` is the state of file and log
 * before.
 */
export function bearTimeOfLog(path: string, from: string): void {
  const log = partsOf(from.split(' ')[1] ?? '')
  if (log === undefined || fingerprintLogNow(path) !== noLog) return
  try {
    utimesSync(path, Date.now() / 1000, Number(log.mtimeNs) / 1e9)
  } catch {
    // The file belongs to another user. If the process dies now, the move counts as a foreign change.
  }
}

/** Returns a test for earlier states of a file without a log: with the log that was moved into it since. */
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
