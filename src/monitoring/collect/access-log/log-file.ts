import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { constants, createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LogLineParser } from './log-line.ts'

/** First bytes of a log, which identify the log even after it was copied or compressed. */
export interface LogStart {
  bytes: Buffer
  /** Time of the first line that has one, in milliseconds since 1970. */
  time: number | undefined
}

/** A log or a rotated part of it, in its state when the folder was listed. */
export interface LogFile {
  path: string
  device: string
  inode: string
  sizeBytes: number
  /** Milliseconds since 1970. */
  changed: number
  isCompressed: boolean
  /** True for the file that is being written. */
  isCurrent: boolean
  start: LogStart
}

/** Number of first bytes that are compared. */
export const comparedBytes = 1024
const startBytes = 16 << 10

/** Bytes in the order of the uncompressed file. */
export interface ByteSource {
  /**
   * Reads bytes into `buffer` from `at` on and returns their number; 0 at the end, where later calls may
   * return more. After `signal` has aborted a call, the next call continues at the same position.
   */
  read(buffer: Buffer, at: number, signal?: AbortSignal): Promise<number>
  /** True if the file still begins with these bytes; compressed files are not rewritten. */
  stillBegins(start: LogStart): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a file for reading from `offset` on. Never blocks if the path is not a regular file, such as a pipe.
 */
export async function openLogSource(
  path: string,
  { isCompressed, offset }: { isCompressed: boolean; offset: number },
): Promise<ByteSource & { stats: BigIntStats }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw new Error(`${path} is not a file: name a log that is written to a file`)
    const source = isCompressed ? await openCompressed(handle, offset) : openPlain(handle, offset)
    return { ...source, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function openPlain(handle: FileHandle, offset: number): ByteSource {
  let position = offset
  return {
    async read(buffer, at) {
      const { bytesRead } = await handle.read(buffer, at, buffer.length - at, position)
      position += bytesRead
      return bytesRead
    },
    async stillBegins({ bytes }) {
      const found = Buffer.alloc(bytes.length)
      const { bytesRead } = await handle.read(found, 0, bytes.length, 0)
      return bytesRead === bytes.length && found.equals(bytes)
    },
    close: () => handle.close(),
  }
}

async function openCompressed(handle: FileHandle, offset: number): Promise<ByteSource> {
  const file = createReadStream('', { fd: handle, autoClose: false, highWaterMark: 256 << 10 })
  const gunzip = createGunzip({ chunkSize: 256 << 10 })
  file.once('error', (error) => gunzip.destroy(error))
  const pieces = Readable.prototype[Symbol.asyncIterator].call(file.pipe(gunzip))
  let piece: Buffer = Buffer.alloc(0)
  let toSkip = offset
  return {
    async read(buffer, at, signal) {
      while (piece.length === 0) {
        signal?.throwIfAborted()
        const next = await pieces.next()
        if (next.done === true) return 0
        const bytes = next.value as Buffer
        piece = bytes.subarray(Math.min(toSkip, bytes.length))
        toSkip -= bytes.length - piece.length
      }
      const count = piece.copy(buffer, at)
      piece = piece.subarray(count)
      return count
    },
    stillBegins: () => Promise.resolve(true),
    async close() {
      gunzip.destroy()
      file.destroy()
      await handle.close()
    },
  }
}

/** Returns the first bytes and the state of a file; throws errors of opening and reading it. */
export async function readStart(
  path: string,
  isCompressed: boolean,
): Promise<{ start: LogStart; stats: BigIntStats }> {
  const source = await openLogSource(path, { isCompressed, offset: 0 })
  try {
    const buffer = Buffer.alloc(startBytes)
    let length = 0
    while (length < buffer.length) {
      const count = await source.read(buffer, length)
      if (count === 0) break
      length += count
    }
    const bytes = buffer.subarray(0, length)
    const start = { bytes: Buffer.from(bytes.subarray(0, comparedBytes)), time: firstTime(bytes) }
    return { start, stats: source.stats }
  } finally {
    await source.close()
  }
}

function firstTime(bytes: Buffer): number | undefined {
  const parser = new LogLineParser()
  for (let start = 0; ; ) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1) return undefined
    const line = parser.parse(bytes, start, end)
    if (typeof line !== 'string') return line.created
    start = end + 1
  }
}

/** Returns a digest of the first `length` bytes of a log; undefined if it has fewer. */
export function digestLogHead({ bytes }: LogStart, length: number): string | undefined {
  if (bytes.length < length) return undefined
  return createHash('sha256').update(bytes.subarray(0, length)).digest('hex').slice(0, 32)
}
