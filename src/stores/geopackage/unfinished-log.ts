import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { fingerprintFile } from '../file-state.ts'
import { fingerprintDatabase, noLog } from './database-fingerprint.ts'
import { seenBeforeMove } from './moved-log.ts'

/**
 * The SQLite log (https://sqlite.org/fileformat2.html#the_write_ahead_log): a header, then frames, each a
 * header and a page.
 */
const logHeaderBytes = 32
const frameHeaderBytes = 24
const logMagics = new Set([0x377f0682, 0x377f0683])
const readBytes = 4 << 20
/** A longer log is not scanned. */
const longestBytes = 4 * 2 ** 30

/**
 * Returns a test for further states in which a file may have been seen, if the present state results from a
 * process that died while using it. In a transaction: pages that did not fit into memory are in the log after
 * the last commit and are ignored. During a log move: the log pages already in the file change nothing.
 * Undefined if only the present state is possible.
 */
export async function seenBeforeRest(path: string): Promise<((text: string) => boolean) | undefined> {
  const [file, log] = [await fingerprintFile(path), await findLog(path)]
  if (log === undefined) return seenBeforeMove(path)
  const { committed, size, identity } = log
  if (committed === size) return seenBeforePart(path)
  // A log without a commit was completely moved into the file, or never existed.
  const seenInFile = committed === 0 ? seenBeforeMove(path) : undefined
  if ((await fingerprintFile(path)).text !== file.text) return undefined
  return (text) => {
    const [seenFile, seenLog = ''] = text.split(' ')
    if (seenFile !== file.text) return seenInFile?.(text) === true
    return committed === 0 || seenLog.startsWith(`${identity}.${committed}.`)
  }
}

/** If the log was not written to since it was seen, the file can only have changed by moving the log. */
async function seenBeforePart(path: string): Promise<((text: string) => boolean) | undefined> {
  const [file = '', log] = (await fingerprintDatabase(path)).text.split(' ')
  if (log === undefined || log === noLog) return undefined
  return (text) => {
    const [seenFile = '', seenLog] = text.split(' ')
    return seenLog === log && identityOf(seenFile) === identityOf(file)
  }
}

/** Returns device and inode of the file from its state text. */
function identityOf(file: string): string {
  return file.split('.', 2).join('.')
}

interface Log {
  /** Device and inode of the file. */
  identity: string
  size: number
  /** End offset of its last commit; 0 if there is none. */
  committed: number
}

async function findLog(path: string): Promise<Log | undefined> {
  // SQLite has no locks on the log itself that closing it would release.
  const handle = await open(`${path}-wal`, 'r').catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { dev, ino, size } = await handle.stat()
    if (size === 0 || size > longestBytes) return undefined
    return { identity: `${dev}.${ino}`, size, committed: await findLastCommit(handle, size) }
  } finally {
    await handle.close()
  }
}

/**
 * Returns the end offset of the last commit frame; frames of an earlier round of the log have other salts. A
 * process that dies when starting a log leaves only its header, or a part of it.
 */
async function findLastCommit(handle: FileHandle, size: number): Promise<number> {
  const header = Buffer.alloc(logHeaderBytes)
  const { bytesRead: headerBytes } = await handle.read(header, 0, logHeaderBytes, 0)
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
  const isBegun = headerBytes === logHeaderBytes && logMagics.has(header.readUInt32BE(0))
  if (!isBegun || frameBytes < frameHeaderBytes + 512 || frameBytes > frameHeaderBytes + 65536) return 0
  const framesAtOnce = Math.floor(readBytes / frameBytes)
  const frames = Buffer.alloc(framesAtOnce * frameBytes)
  let committed = 0
  for (let from = logHeaderBytes; from + frameBytes <= size; from += frames.length) {
    const { bytesRead } = await handle.read(frames, 0, frames.length, from)
    for (let at = 0; at + frameBytes <= bytesRead; at += frameBytes) {
      if (frames.compare(header, 16, 24, at + 8, at + 16) !== 0) return committed
      if (frames.readUInt32BE(at + 4) !== 0) committed = from + at + frameBytes
    }
  }
  return committed
}
