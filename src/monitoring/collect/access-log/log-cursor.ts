import { isRecord, isWhole } from '../../../core/values/record-keys.ts'
import type { LogFile } from './log-file.ts'
import { comparedBytes, digestLogHead } from './log-file.ts'

interface LogPosition {
  path: string
  device: string
  inode: string
  /** Offset of the first unread byte in the uncompressed file; at least 1. */
  offset: number
  /** Digest of the first `compared` bytes. */
  start: string
  /** Number of first bytes in the digest; at least 1. */
  compared: number
  /** True if the next bytes are the rest of a line that is too long. */
  isInLongLine: boolean
  /** True for a compressed file, to which nothing is appended. */
  isWhole: boolean
}

/** Read position of a log. */
export interface LogCursor {
  /**
   * The file that was read last, preceded by the previous file, to which late lines may still be appended.
   */
  files: LogPosition[]
  /** Time of the newest line, in milliseconds since 1970. */
  time: number
}

/** Parses a stored cursor; throws if it is invalid. */
export function parseCursor(text: string): LogCursor {
  const value: unknown = JSON.parse(text)
  if (!isLogCursor(value)) throw new Error('What was kept of a log is not a place in it')
  return value
}

function isLogCursor(value: unknown): value is LogCursor {
  if (!isRecord(value) || !isWhole(value['time'])) return false
  const { files } = value
  return Array.isArray(files) && files.every(isPosition)
}

function isPosition(value: unknown): value is LogPosition {
  if (!isRecord(value)) return false
  const texts = [value['path'], value['device'], value['inode'], value['start']]
  const counts = [value['offset'], value['compared']]
  const flags = [value['isInLongLine'], value['isWhole']]
  return (
    texts.every((one) => typeof one === 'string') &&
    counts.every((one) => isWhole(one) && one >= 1) &&
    flags.every((one) => typeof one === 'boolean')
  )
}

/** A file of the log and how far it was read. */
export interface LogPart {
  file: LogFile
  offset: number
  isInLongLine: boolean
  isWhole: boolean
}

export interface LogPlan {
  /** Files that may contain new lines, oldest first. */
  parts: LogPart[]
  problems: string[]
}

/** Finds the files of a cursor, whatever their present names, and the newer files. */
export function planParts(files: LogFile[], known: LogCursor | undefined): LogPlan {
  if (known === undefined) return { parts: files.map(unread), problems: [] }
  const found = findPositions(files, known.files)
  const problems: string[] = []
  const last = known.files.at(-1)
  const isLastFound = [...found.values()].some((one) => one === last)
  if (last !== undefined && !isLastFound) {
    problems.push(`${last.path} was emptied or removed: lines written to it meanwhile are missing`)
  }
  const newest = Math.max(-1, ...[...found.keys()].map((file) => files.indexOf(file)))
  const parts: LogPart[] = []
  for (const [at, file] of files.entries()) {
    const one = found.get(file)
    const isNew = at > newest && (isLastFound || file.isCurrent || timeOf(file) >= known.time)
    if (one !== undefined) parts.push(continued(file, one))
    else if (isNew) parts.push(unread(file))
  }
  return { parts, problems }
}

/**
 * Returns the file of each position, newest first: by its first bytes and, if several files have the same
 * first bytes, by its inode.
 */
function findPositions(files: LogFile[], positions: LogPosition[]): Map<LogFile, LogPosition> {
  const found = new Map<LogFile, LogPosition>()
  for (const one of positions.toReversed()) {
    const same = files.filter(
      (file) => !found.has(file) && digestLogHead(file.start, one.compared) === one.start,
    )
    const file = same.find(({ device, inode }) => device === one.device && inode === one.inode) ?? same.at(-1)
    if (file !== undefined) found.set(file, one)
  }
  return found
}

function unread(file: LogFile): LogPart {
  return { file, offset: 0, isInLongLine: false, isWhole: false }
}

function continued(file: LogFile, { offset, isInLongLine, isWhole }: LogPosition): LogPart {
  return { file, offset, isInLongLine, isWhole: isWhole && file.isCompressed }
}

function timeOf({ start, changed }: LogFile): number {
  return start.time ?? changed
}

/** Returns the cursor to store for the parts that were read. */
export function toCursor(parts: LogPart[], time: number): LogCursor {
  const files = parts.filter(({ offset }) => offset > 0).slice(-2)
  return { files: files.map(toPosition), time }
}

function toPosition({ file, offset, isInLongLine, isWhole }: LogPart): LogPosition {
  const { path, device, inode } = file
  const compared = Math.min(offset, comparedBytes, file.start.bytes.length)
  const start = digestLogHead(file.start, compared) ?? ''
  return { path, device, inode, offset, start, compared, isInLongLine, isWhole }
}
