/** Result of a row scanner step. */
export type RowStep = 'row' | 'more' | 'end'

export const quoted = 1
/** The cell contains doubled quotes. */
export const escaped = 2
/** Text follows the closing quote. */
export const unclean = 4
export const nonAscii = 8
export const hasNul = 16

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The error for a quote that is never closed; `line` counts from 1. */
export class OpenQuoteError extends Error {
  readonly line: number

  constructor(line: number) {
    super(`The quote that is opened in line ${line} is never closed`)
    this.name = 'OpenQuoteError'
    this.line = line
  }
}

/**
 * Finds the rows and cells of delimited text (RFC 4180) in UTF-8 `bytes[at, end)`, where `bytes[end]` is 0.
 * Ignores blanks around cells and blank lines; lines end with LF, CR LF or CR. Cell i of the row is
 * `bytes[starts[i], ends[i])` with `flags[i]`; cells after the last column are only counted.
 */
export class RowScanner {
  bytes: Uint8Array = new Uint8Array(1)
  at = 0
  end = 0
  /** True when nothing follows `end`. */
  isLast = false
  cellCount = 0
  /** Line number of the last row, and of the next one, from 1. */
  line = 1
  nextLine = 1
  starts = new Uint32Array(16)
  ends = new Uint32Array(16)
  flags = new Uint8Array(16)
  readonly #maxCells: number
  /** Class of each byte outside quotes: 0 text, 1 delimiter, 2 end of line, 3 NUL. */
  readonly #kinds = new Uint8Array(256)
  readonly #isTabBlank: boolean
  #cellEnd = 0
  #lines = 0

  constructor(delimiter: number, maxCells: number) {
    this.#maxCells = maxCells
    this.#isTabBlank = delimiter !== 0x09
    this.#kinds[0] = 3
    this.#kinds[delimiter] = 1
    this.#kinds[lineFeed] = 2
    this.#kinds[carriageReturn] = 2
  }

  /** Finds the next row; `more` consumes nothing. Throws `OpenQuoteError`. */
  next(): RowStep {
    for (;;) {
      const start = this.at
      const step = this.#row()
      if (step !== 'row') {
        this.at = start
        return step
      }
      this.line = this.nextLine
      this.nextLine += this.#lines
      if (this.cellCount > 1 || this.ends[0] !== this.starts[0] || (this.flags[0] as number) !== 0)
        return 'row'
    }
  }

  #row(): RowStep {
    const { bytes, end } = this
    let at = this.at
    this.cellCount = 0
    this.#lines = 0
    if (at >= end) return this.isLast ? 'end' : 'more'
    for (;;) {
      at = this.#plainCells(at)
      if (!this.#cell(at)) return 'more'
      at = this.#cellEnd
      const byte = bytes[at] as number
      if (byte === lineFeed) {
        at += 1
        break
      }
      if (byte === carriageReturn) {
        if (at + 1 >= end && !this.isLast) return 'more'
        at += bytes[at + 1] === lineFeed ? 2 : 1
        break
      }
      if (at >= end) {
        if (!this.isLast) return 'more'
        break
      }
      at += 1
    }
    this.#lines += 1
    this.at = at
    return 'row'
  }

  /**
   * Skips unquoted cells without surrounding blanks that are followed by a delimiter: nearly all cells, in
   * the fewest steps. Returns the start of the first other cell.
   */
  #plainCells(from: number): number {
    const { bytes, starts, ends, flags } = this
    const kinds = this.#kinds
    const most = Math.min(starts.length, this.#maxCells)
    let cell = this.cellCount
    let start = from
    while (cell < most) {
      let at = start
      let seen = 0
      let byte = bytes[at] as number
      if (byte <= 0x22 && kinds[byte] === 0) break
      while (kinds[byte] === 0) {
        seen |= byte
        at += 1
        byte = bytes[at] as number
      }
      if (kinds[byte] !== 1 || (at > start && (bytes[at - 1] as number) <= 0x20)) break
      starts[cell] = start
      ends[cell] = at
      flags[cell] = seen >= 0x80 ? nonAscii : 0
      cell += 1
      start = at + 1
    }
    this.cellCount = cell
    return start
  }

  /** Reads the cell at `from`; returns false if it may continue after the available bytes. */
  #cell(from: number): boolean {
    const { bytes } = this
    const kinds = this.#kinds
    let start = from
    let byte = bytes[start] as number
    while (byte === 0x20 || (byte === 0x09 && this.#isTabBlank)) {
      start += 1
      byte = bytes[start] as number
    }
    if (byte === quote) return this.#quotedCell(start)
    let seen = 0
    let at = start
    while (kinds[byte] === 0) {
      seen |= byte
      at += 1
      byte = bytes[at] as number
    }
    let flags = seen >= 0x80 ? nonAscii : 0
    if (byte === 0 && at < this.end) {
      at = this.#behindText(at)
      flags |= hasNul
    }
    let stop = at
    while (stop > start && this.#isBlank(bytes[stop - 1] as number)) stop -= 1
    this.#keep(start, stop, flags)
    this.#cellEnd = at
    return at < this.end || this.isLast
  }

  #quotedCell(open: number): boolean {
    const { bytes, end } = this
    let flags = quoted
    let seen = 0
    let at = open + 1
    for (;;) {
      const byte = bytes[at] as number
      if (byte === quote) {
        if (bytes[at + 1] !== quote || at + 1 >= end) break
        flags |= escaped
        at += 1
      } else if (byte === lineFeed) this.#lines += 1
      else if (byte === 0) {
        if (at >= end) return this.#openQuote()
        flags |= hasNul
      }
      seen |= byte
      at += 1
    }
    if (seen >= 0x80) flags |= nonAscii
    let behind = at + 1
    while (this.#isBlank(bytes[behind] as number)) behind += 1
    const kind = this.#kinds[bytes[behind] as number]
    if (kind === 0 || (kind === 3 && behind < end)) {
      flags |= unclean
      behind = this.#behindText(behind)
    }
    this.#keep(open + 1, at, flags)
    this.#cellEnd = Math.min(behind, end)
    return behind < end || this.isLast
  }

  #openQuote(): false {
    if (this.isLast) throw new OpenQuoteError(this.nextLine)
    return false
  }

  /** Returns the position of the next delimiter, end of line or end of bytes after `at`. */
  #behindText(from: number): number {
    let at = from
    while (at < this.end) {
      const kind = this.#kinds[this.bytes[at] as number]
      if (kind === 1 || kind === 2) break
      at += 1
    }
    return at
  }

  #isBlank(byte: number): boolean {
    return byte === 0x20 || (byte === 0x09 && this.#isTabBlank)
  }

  #keep(start: number, end: number, flags: number): void {
    const cell = this.cellCount
    this.cellCount = cell + 1
    if (cell >= this.#maxCells) return
    if (cell === this.starts.length) this.#grow()
    this.starts[cell] = start
    this.ends[cell] = end
    this.flags[cell] = flags
  }

  #grow(): void {
    const { starts, ends, flags } = this
    this.starts = new Uint32Array(starts.length * 2)
    this.starts.set(starts)
    this.ends = new Uint32Array(ends.length * 2)
    this.ends.set(ends)
    this.flags = new Uint8Array(flags.length * 2)
    this.flags.set(flags)
  }
}
