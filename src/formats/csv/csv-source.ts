import { basename } from 'node:path'
import { ByteReader } from '../../core/files/byte-reader.ts'
import type { DataFile } from '../format.ts'
import { FormatError } from '../format.ts'
import { transcoderOf } from '../text/charset.ts'
import type { CsvDialect } from './delimiter.ts'
import { findDialect, maxCsvColumns } from './delimiter.ts'
import type { RowStep } from './row-scanner.ts'
import { OpenQuoteError, RowScanner } from './row-scanner.ts'

/** Maximum size of a row, in bytes. */
const longestRow = 64 << 20
const sampleBytes = 1 << 16

/** The rows of a delimited text file, the header first. */
export class CsvSource {
  readonly scanner: RowScanner
  readonly dialect: CsvDialect
  readonly #reader: ByteReader
  readonly #name: string
  readonly #signal: AbortSignal

  private constructor(reader: ByteReader, dialect: CsvDialect, name: string, signal: AbortSignal) {
    this.#reader = reader
    this.dialect = dialect
    this.#name = name
    this.#signal = signal
    this.scanner = new RowScanner(dialect.delimiter, maxCsvColumns)
    this.scanner.at = startOf(reader)
    this.scanner.bytes = reader.bytes
    this.scanner.end = reader.end
  }

  /** Opens the file and finds its delimiter; the caller must close it. */
  static async open(file: DataFile, charset: string, signal: AbortSignal): Promise<CsvSource> {
    const transcode = transcoderOf(charset)
    const options =
      transcode === undefined ? { limitBytes: longestRow } : { limitBytes: longestRow, transcode }
    const reader = await ByteReader.open(file.path, options)
    try {
      await reader.more(0)
      const start = startOf(reader)
      const isWhole = reader.end - start <= sampleBytes
      const sample = reader.bytes.subarray(start, Math.min(reader.end, start + sampleBytes))
      const dialect = findDialect(sample, isWhole) ?? { delimiter: 0x2c, columns: 1, agreement: 1 }
      return new CsvSource(reader, dialect, basename(file.path), signal)
    } catch (error) {
      await reader.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }

  /** Finds the next row in the available bytes. */
  next(): RowStep {
    try {
      return this.scanner.next()
    } catch (error) {
      if (!(error instanceof OpenQuoteError)) throw error
      throw new FormatError(`${this.#name}: ${error.message}`, { code: 'open-quote', cause: error })
    }
  }

  /** Reads more after `next` returned `more`. */
  async more(): Promise<void> {
    this.#signal.throwIfAborted()
    const { scanner } = this
    if (this.#reader.isOverLimit(scanner.at)) {
      const limit = `${longestRow / (1 << 20)} MiB`
      const message = `${this.#name}: the row that begins in line ${scanner.nextLine} is longer than ${limit}`
      throw new FormatError(`${message}; is a quote never closed?`, { code: 'too-large' })
    }
    await this.#reader.more(scanner.at)
    scanner.bytes = this.#reader.bytes
    scanner.end = this.#reader.end
    scanner.at = 0
    scanner.isLast = this.#reader.isAtEnd
  }

  /** Reads the cells of the header. */
  async readHeader(): Promise<string[]> {
    for (;;) {
      const step = this.next()
      if (step === 'row') break
      if (step === 'end')
        throw new FormatError(`${this.#name} has no header row: it is empty`, { code: 'empty' })
      await this.more()
    }
    const { scanner } = this
    if (scanner.cellCount > maxCsvColumns) {
      const message = `${this.#name} has ${scanner.cellCount} columns, at most ${maxCsvColumns} can be read`
      throw new FormatError(message, { code: 'too-wide' })
    }
    return Array.from({ length: scanner.cellCount }, (_, cell) => csvCellText(scanner, cell))
  }
}

/** Offset after the byte order mark. */
function startOf({ bytes, offset, end }: ByteReader): number {
  const hasMark = offset === 0 && end >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? 3 : 0
}

/** True if a cell is empty, or contains only blanks in quotes. */
export function isBlankCell(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (at < end && (bytes[at] as number) <= 0x20) at += 1
  return at === end
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns a cell of the last row, with doubled quotes replaced by single ones. */
export function csvCellText(scanner: RowScanner, cell: number): string {
  const text = decoder.decode(scanner.bytes.subarray(scanner.starts[cell], scanner.ends[cell]))
  return ((scanner.flags[cell] as number) & 2) === 0 ? text : text.replaceAll('""', '"')
}

/**
 * Copies a quoted cell to `target` from `to` on, with doubled quotes replaced by single ones; returns the end
 * of the copy.
 */
export function unescapeCell(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  to = 0,
): number {
  let next = to
  for (let at = start; at < end; at += 1) {
    target[next] = bytes[at] as number
    next += 1
    if (bytes[at] === 0x22) at += 1
  }
  return next
}

/** Returns the bytes of a quoted cell, with doubled quotes replaced by single ones. */
export function unescapedCell(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const target = new Uint8Array(end - start)
  return target.subarray(0, unescapeCell(bytes, start, end, target))
}
