import { explain } from '../../../core/errors/errors.ts'
import type { LogPart } from './log-cursor.ts'
import { parseCursor, planParts, toCursor } from './log-cursor.ts'
import { openLogSource } from './log-file.ts'
import { isPassing, LogFiles } from './log-files.ts'
import type { LineSink, ReadLimit } from './log-lines.ts'
import { LogLines } from './log-lines.ts'

export interface LogSink extends LineSink {
  /** Called before the lines of a file. */
  begin(path: string): void
  /** Time of the newest line so far, in milliseconds since 1970; 0 before the first. */
  readonly newest: number
}

export interface LogProgress {
  /** Cursor for the next poll, to store with the lines; undefined if nothing was read or no line counts. */
  cursor: string | undefined
  hasMore: boolean
  problems: string[]
  /** True if neither the log nor a part of it exists. */
  isMissing: boolean
}

/**
 * Reads new lines of a log and its rotated parts. The read position is stored in the cursor only, so that
 * another process or a later start continues at the same byte.
 */
export class LogFollower {
  readonly #path: string
  readonly #files: LogFiles
  /**
   * Reader at the position where the limit was reached, so that compressed files need not be read again from
   * the start.
   */
  #held: { part: LogPart; reader: LogLines } | undefined

  constructor(path: string) {
    this.#path = path
    this.#files = new LogFiles(path)
  }

  /** Passes new lines to `sink` until `limit` is reached. */
  async read(
    from: string | undefined,
    sink: LogSink,
    limit: ReadLimit,
    signal: AbortSignal,
  ): Promise<LogProgress> {
    const known = from === undefined ? undefined : parseCursor(from)
    const files = await this.#files.list(known?.files.map(({ path }) => path) ?? [], signal)
    const { parts, problems } = planParts(files, known)
    if (known === undefined || problems.length > 0) problems.push(...this.#files.unreadable)
    if (files.at(-1)?.isCurrent !== true) problems.push(`${this.#path} does not exist`)
    const before = JSON.stringify(toCursor(parts, known?.time ?? 0).files)
    const left = { ...limit }
    let hasMore = false
    for (const [at, part] of parts.entries()) {
      const isFollowed = parts.slice(at + 1).some(({ file }) => file.sizeBytes > 0)
      try {
        hasMore = await this.#readPart({ part, isFollowed, sink, limit: left, signal })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof EmptiedError) {
          this.#files.forget()
          return { cursor: undefined, hasMore: true, problems: [], isMissing: false }
        }
        problems.push(explain(error))
        // Lines of this file precede those of the next file, so all remaining files wait for the next poll.
        if (isMoved(error) || isPassing(error)) break
      }
      if (hasMore) break
    }
    const after = toCursor(parts, Math.max(sink.newest, known?.time ?? 0))
    const hasMoved = JSON.stringify(after.files) !== before
    const cursor = hasMoved ? JSON.stringify(after) : undefined
    return { cursor, hasMore, problems, isMissing: files.length === 0 }
  }

  async close(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    await held?.reader.close()
  }

  /** Reads one file and advances its position. Returns true if the limit was reached. */
  async #readPart(work: {
    part: LogPart
    isFollowed: boolean
    sink: LogSink
    limit: ReadLimit
    signal: AbortSignal
  }): Promise<boolean> {
    const { part, isFollowed, sink, limit, signal } = work
    const { file } = part
    if (part.isWhole || (!file.isCompressed && part.offset === file.sizeBytes)) return false
    if (!file.isCompressed && part.offset > file.sizeBytes) {
      part.offset = file.sizeBytes
      if (!file.isCurrent) return false
      throw new Error(`${file.path} is shorter than it was, but begins alike: it is read on from its end`)
    }
    const reader = await this.#reader(part)
    let hasMore = false
    let isHeld = false
    try {
      sink.begin(file.path)
      hasMore = await reader.read(sink, limit, signal)
      if (!(await reader.stillBegins(file.start))) throw new EmptiedError()
      isHeld = hasMore
      if (!hasMore && (isFollowed || file.isCompressed)) reader.finish(sink)
    } catch (error) {
      // The time limit was reached before the first new line. The next poll continues here.
      isHeld = signal.aborted && reader.offset === part.offset
      throw error
    } finally {
      // Lines already passed to the sink count. The position moves past them, so that the damaged rest is not
      // read again.
      part.offset = reader.offset
      part.isInLongLine = reader.isInLongLine
      part.isWhole = !hasMore && file.isCompressed
      if (isHeld) this.#held = { part, reader }
      else await reader.close()
    }
    return hasMore
  }

  async #reader(part: LogPart): Promise<LogLines> {
    const held = this.#held
    this.#held = undefined
    const { file, offset, isInLongLine } = part
    const endOffset = file.isCompressed ? Number.MAX_SAFE_INTEGER : file.sizeBytes
    if (held !== undefined && isSame(held.part, part)) {
      held.reader.endOffset = endOffset
      return held.reader
    }
    await held?.reader.close()
    const { stats, ...source } = await openLogSource(file.path, { isCompressed: file.isCompressed, offset })
    if (String(stats.ino) !== file.inode || String(stats.dev) !== file.device) {
      await source.close()
      throw new MovedError(`${file.path} was renamed while it was read`)
    }
    return new LogLines(source, { offset, endOffset, isInLongLine })
  }
}

class MovedError extends Error {}

/**
 * The error for a log that was copied and truncated while it was read: the lines read may be from before and
 * after.
 */
class EmptiedError extends Error {}

function isMoved(error: unknown): boolean {
  return error instanceof MovedError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')
}

function isSame(a: LogPart, b: LogPart): boolean {
  const isSameFile = a.file.device === b.file.device && a.file.inode === b.file.inode
  return isSameFile && a.file.isCompressed === b.file.isCompressed && a.offset === b.offset
}
