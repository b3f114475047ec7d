import type { ByteSource, LogStart } from './log-file.ts'

const chunkBytes = 1 << 20
const longestLine = 64 << 10
const newline = 0x0a
const carriageReturn = 0x0d

/** Limits of one call. */
export interface ReadLimit {
  lines: number
  bytes: number
}

export interface LineSink {
  line(bytes: Buffer, start: number, end: number): void
  /** Called for a line that exceeds the maximum length. */
  longLine(): void
}

/**
 * Splits the source of a log into lines, with bounded memory. `offset` is the position after the last line
 * passed to the sink.
 */
export class LogLines {
  offset: number
  /** True if the next bytes are the rest of a line that is too long. */
  isInLongLine: boolean
  /** Offset at which reading stops. */
  endOffset: number
  readonly #source: ByteSource
  #buffer = Buffer.allocUnsafe(chunkBytes)
  #start = 0
  #end = 0

  /** Takes ownership of the source. */
  constructor(
    source: ByteSource,
    { offset, endOffset, isInLongLine }: { offset: number; endOffset: number; isInLongLine: boolean },
  ) {
    this.#source = source
    this.offset = offset
    this.endOffset = endOffset
    this.isInLongLine = isInLongLine
  }

  /**
   * Passes lines to the sink until no complete line is left or `limit`, which is decremented, is reached;
   * returns true if it was reached.
   */
  async read(sink: LineSink, limit: ReadLimit, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (this.#split(sink, limit)) return true
      signal.throwIfAborted()
      if (!(await this.#more(signal))) return false
    }
  }

  /** Passes the text after the last newline as a line. */
  finish(sink: LineSink): void {
    if (this.#end > this.#start) this.#give(sink, this.#end)
    this.#advance(this.#end)
    this.isInLongLine = false
  }

  /** True if the open file still begins with these bytes and was not replaced. */
  stillBegins(start: LogStart): Promise<boolean> {
    return this.#source.stillBegins(start)
  }

  close(): Promise<void> {
    return this.#source.close()
  }

  #split(sink: LineSink, limit: ReadLimit): boolean {
    for (;;) {
      if (limit.lines <= 0 || limit.bytes <= 0) return true
      const found = this.#buffer.indexOf(newline, this.#start)
      if (found === -1 || found >= this.#end) break
      limit.lines -= 1
      limit.bytes -= found + 1 - this.#start
      this.#give(sink, found)
      this.#advance(found + 1)
    }
    const rest = this.#end - this.#start
    if (!this.isInLongLine && rest <= longestLine) return false
    if (!this.isInLongLine) sink.longLine()
    this.isInLongLine = true
    limit.bytes -= rest
    this.#advance(this.#end)
    return false
  }

  /**
   * NUL bytes precede the data if a log was emptied while the server continues to write at its old offset.
   */
  #give(sink: LineSink, end: number): void {
    const bytes = this.#buffer
    let start = this.#start
    while (start < end && bytes[start] === 0) start += 1
    const textEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
    if (this.isInLongLine) this.isInLongLine = false
    else if (textEnd - start > longestLine) sink.longLine()
    else if (textEnd > start) sink.line(bytes, start, textEnd)
  }

  #advance(to: number): void {
    this.offset += to - this.#start
    this.#start = to
  }

  async #more(signal: AbortSignal): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const room = Math.min(this.#buffer.length - this.#end, this.endOffset - this.offset - this.#end)
    if (room <= 0) return false
    const count = await this.#source.read(this.#buffer.subarray(0, this.#end + room), this.#end, signal)
    this.#end += count
    return count > 0
  }
}
