import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { LogFile } from './log-file.ts'
import { comparedBytes, digestOf } from './log-file.ts'

const position = Type.Object({
  path: Type.String(),
  device: Type.String(),
  inode: Type.String(),
  /** Of the first byte that was not read, as the file is without compression. */
  offset: Type.Integer({ minimum: 1 }),
  /** Digest of the first `compared` bytes. */
  start: Type.String(),
  compared: Type.Integer({ minimum: 1 }),
  /** The rest of a line that is too long comes next. */
  isInLongLine: Type.Boolean(),
  /** It is compressed, so that nothing follows. */
  isWhole: Type.Boolean(),
})
const cursor = Type.Object({
  /** The log that was read last, behind the one before it: late lines may still come there. */
  files: Type.Array(position),
  /** Of the newest line, in milliseconds since 1970. */
  time: Type.Integer(),
})

/** How far a log has been read. */
export type LogCursor = Type.Static<typeof cursor>
type LogPosition = LogCursor['files'][number]

export function parseCursor(text: string): LogCursor {
  return Value.Parse(cursor, JSON.parse(text))
}

/** A file of the log and how far it was read. */
export interface LogPart {
  file: LogFile
  offset: number
  isInLongLine: boolean
  isWhole: boolean
}

export interface LogPlan {
  /** From the oldest that may have something new to the newest. */
  parts: LogPart[]
  problems: string[]
}

/** Finds the files of a cursor again, whatever their names are now, and what came after them. */
export function planParts(files: LogFile[], known: LogCursor | undefined): LogPlan {
  if (known === undefined) return { parts: files.map(unread), problems: [] }
  const found = findPositions(files, known.files)
  const problems: string[] = []
  const last = known.files.at(-1)
  const isLastFound = [...found.values()].some((one) => one === last)
  if (last !== undefined && !isLastFound) {
    problems.push(
      `${last.path} was emptied or taken away: lines that were written to it meanwhile are missing`,
    )
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

/** Each position's file, the newest first: by its first bytes, and where several have them, by its number on the disk. */
function findPositions(files: LogFile[], positions: LogPosition[]): Map<LogFile, LogPosition> {
  const found = new Map<LogFile, LogPosition>()
  for (const one of positions.toReversed()) {
    const same = files.filter((file) => !found.has(file) && digestOf(file.start, one.compared) === one.start)
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

/** What to keep of the parts that were read. */
export function toCursor(parts: LogPart[], time: number): LogCursor {
  const files = parts.filter(({ offset }) => offset > 0).slice(-2)
  return { files: files.map(toPosition), time }
}

function toPosition({ file, offset, isInLongLine, isWhole }: LogPart): LogPosition {
  const { path, device, inode } = file
  const compared = Math.min(offset, comparedBytes, file.start.bytes.length)
  const start = digestOf(file.start, compared) ?? ''
  return { path, device, inode, offset, start, compared, isInLongLine, isWhole }
}
